/** Texts of which nothing can be spoken, as the reader finds them when it speaks. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createReader } from '../../../src/text/reader.js';
import { segmentText } from '../../../src/text/segment/segment.js';
import { soundless } from '../../../src/text/soundless.js';
import type { Reader } from '../../../src/text/types.js';

let reader: Reader;
beforeAll(async () => {
  reader = await createReader();
});

const speaks = (text: string): boolean =>
  segmentText(text, { countTokens: (part) => reader.countTokens(part), inTimeChars: Number.POSITIVE_INFINITY }).some(
    (segment) => reader.read(segment).parts.some((part) => part.kind === 'speech'),
  );
const unspoken = (text: string) => soundless(text, reader, 'en-US');

describe('soundless', () => {
  it.each([
    ['😀'.repeat(20), '20 emoji'],
    ['\u200b', ''],
    ['\ufeff', ''],
    ['…', ''],
    ['* * *', ''],
    ['中文', '2 characters of Han'],
    ['سلام', '4 characters of Arabic'],
    ['<br> <br/>', ''],
    ['&nbsp;', ''],
    [':D', '2 emoji'],
    ['😀 中文 ✓', '1 emoji, 2 characters of Han and 1 sign'],
    ['😀'.repeat(10_000), '10000 emoji'],
  ])('tells what %j holds instead of words', async (text, held) => {
    expect(await unspoken(text)).toBe(held);
    expect(speaks(text)).toBe(false);
  });

  it.each(['a', '1', '½', 'é', 'XD', '€', '&amp;', 'ア', 'Привет', '中 a', `${'😀 '.repeat(3_000)}Hello.`])(
    'leaves %j to be spoken',
    async (text) => {
      expect(await unspoken(text)).toBeUndefined();
      expect(speaks(text)).toBe(true);
    },
  );

  it('decides as the reader does, whatever the text', async () => {
    const parts = fc.constantFrom(
      ...[
        '😀',
        ' ',
        '…',
        '. ',
        '\n\n',
        '中',
        'क',
        'ア',
        'x',
        '7',
        '%',
        '&',
        '#',
        '<br>',
        '<img alt="a">',
        ':)',
        '*',
        '_',
      ],
      ...['\u200b', '\ufeff', '\u0085', '\u0301', '\ud83d', '✓', '→', '€', '|', '`', '[', ']', '(u)', '&lt;', '½', '@'],
    );
    const odd = fc.array(parts, { minLength: 1, maxLength: 12 }).map((all) => all.join(''));
    await fc.assert(
      fc.asyncProperty(fc.oneof(odd, fc.string({ unit: 'binary', maxLength: 30 })), async (text) => {
        expect((await unspoken(text)) === undefined, JSON.stringify(text)).toBe(speaks(text));
      }),
      { numRuns: 600 },
    );
  });
});
