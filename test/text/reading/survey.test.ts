/** What a text loses when it is read, and what may be shown of it beside its speech. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayText } from '../../../src/text/display.js';
import { loadFrontEnd } from '../../../src/text/languages.js';
import { parseLexicon } from '../../../src/text/lexicon.js';
import { createReader } from '../../../src/text/reader.js';
import { Segmenter, segmentText } from '../../../src/text/segment/segment.js';
import { Survey, surveyText } from '../../../src/text/survey.js';
import { unspokenInWords } from '../../../src/text/unspoken.js';

it('knows the script of the language that a text is read in', async () => {
  for (const [language, text] of [
    ['ja-JP', 'こんにちは世界。'],
    ['zh-CN', '你好，世界！'],
    ['hi-IN', 'नमस्ते।'],
  ] as const) {
    await loadFrontEnd(language);
    expect(surveyText(text, { language })).toMatchObject({ spoken: true, unspoken: {} });
  }
  expect(surveyText('नमस्ते 😀', { language: 'zh-CN' })).toMatchObject({ spoken: false });
});

describe('what is not spoken', () => {
  const CASES: readonly (readonly [string, boolean, Record<string, number>, string])[] = [
    ['Hello there.', true, {}, ''],
    ['你好', false, { 'script:Han': 2 }, '2 characters of Han'],
    ['😀👍', false, { emoji: 2 }, '2 emoji'],
    ['!!!', false, {}, ''],
    ['… — …', false, {}, ''],
    ['', false, {}, ''],
    [
      'Hi 你好 😀, a ✗ and שלום',
      true,
      { 'script:Han': 2, emoji: 1, symbol: 1, 'script:Hebrew': 4 },
      '2 characters of Han, 1 emoji, 4 characters of Hebrew and 1 sign',
    ],
    ['a\u0001b 你', true, { control: 1, 'script:Han': 1 }, '1 character that cannot be shown and 1 character of Han'],
    ['42', true, {}, ''],
    ['€', true, {}, ''],
  ];
  for (const [text, spoken, unspoken, words] of CASES) {
    it(JSON.stringify(text), () => {
      const found = surveyText(text);
      expect(found).toEqual({ spoken, unspoken, ignoredMarkup: [] });
      expect(unspokenInWords(found.unspoken)).toBe(words);
    });
  }

  it('is spoken after all where a lexicon has words for it', () => {
    const lexicon = parseLexicon('😀 = big smile', 'words.txt');
    expect(surveyText('😀 👍', { lexicon })).toMatchObject({ spoken: true, unspoken: { emoji: 1 } });
  });

  it('agrees with the reader on whether anything is spoken', async () => {
    const reader = await createReader();
    const pieces = fc.constantFrom(
      '!',
      '…',
      ' ',
      '你',
      '😀',
      '—',
      '"',
      'a',
      '5',
      '%',
      '\n\n',
      '***',
      '<',
      'é',
      '°',
      '`',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 6 }), (parts) => {
        const text = parts.join('');
        const segments = segmentText(text, { countTokens: (part) => reader.countTokens(part) });
        const heard = segments.some((segment) => reader.read(segment).parts.some(({ kind }) => kind === 'speech'));
        expect(surveyText(text).spoken).toBe(heard);
      }),
      { numRuns: 300 },
    );
  });

  it('can be gathered segment by segment as a text comes', () => {
    const survey = new Survey();
    const segmenter = new Segmenter({ countTokens: (text) => text.length });
    const pieces = ['你好', '。 Now it', ' is 😀.'];
    for (const segment of pieces.flatMap((piece) => segmenter.push(piece))) survey.add(segment);
    for (const segment of segmenter.end()) survey.add(segment);
    expect([survey.spoken, survey.unspoken]).toEqual([true, { 'script:Han': 2, emoji: 1 }]);
  });
});

describe('what is ignored of SSML', () => {
  const ignored = (text: string) => surveyText(text, { ssml: true }).ignoredMarkup;

  it('is told once each, attributes of known elements included', () => {
    expect(
      ignored(
        '<speak version="1.1" xml:lang="en"><prosody rate="slow" contour="x">a <b>b</b></prosody><audio src="x">c</audio>' +
          '<voice name="x">d</voice><say-as interpret-as="date" format="mdy">5/6</say-as><p xml:lang="de">e</p></speak>',
      ),
    ).toEqual(['prosody contour', '<b>', '<audio>', 'say-as format', 'p xml:lang']);
  });

  it('is nothing where all is understood', () => {
    expect(ignored('<speak><p><s>a<break strength="weak"/></s></p><sub alias="b">c</sub></speak>')).toEqual([]);
    expect(surveyText('<prosody>a</prosody>').ignoredMarkup).toEqual([]);
  });

  it('is bounded, whatever is sent', () => {
    const names = ignored(Array.from({ length: 100 }, (_, i) => `<${'x'.repeat(200)}${i}/><y${i}/>`).join('a '));
    expect(names).toHaveLength(20);
    for (const name of names) expect(name.length).toBeLessThan(40);
  });

  it('speaks what the rest says', () => {
    expect(surveyText('<break time="1s"/>', { ssml: true }).spoken).toBe(false);
    expect(surveyText('<phoneme ph="a">你</phoneme>', { ssml: true })).toMatchObject({ spoken: true, unspoken: {} });
    expect(surveyText('<sub alias="hello">你</sub>', { ssml: true })).toMatchObject({ spoken: true, unspoken: {} });
  });
});

describe('the text to show', () => {
  const CASES: readonly (readonly [string, string])[] = [
    ['Hello there.', 'Hello there.'],
    ['**Bold** and *soft* and __strong__ and `code`', 'Bold and soft and strong and code'],
    ['# A heading\n\nText', 'A heading\n\nText'],
    ['- one\n- two\n1. three', 'one\ntwo\n1. three'],
    ['> quoted\n> again', 'quoted\nagain'],
    ['See [the page](https://example.com/a(b)) and ![a cat](cat.png).', 'See the page and a cat.'],
    ['As shown[^1] before.[2]', 'As shown before.'],
    ['AT&amp;T &lt; &eacute;', 'AT&T < é'],
    ['a<br>b <b>c</b> <!-- note --> d', 'a b c  d'],
    ['| a | b |\n|---|---|\n| c | d |', 'a   b  \n\nc   d  '],
    ['```js\nlet a = 1\n```\nDone', '\nlet a = 1\n\nDone'],
    ['---\nText', '\nText'],
    ['2 * 3 = 6, snake_case, a < b, 5 \\* 6', '2 * 3 = 6, snake_case, a < b, 5 * 6'],
    ['你好 😀 “quotes” — it’s ½', '你好 😀 “quotes” — it’s ½'],
    ['~~gone~~ \u001b[1mred\u001b[0m', 'gone red'],
    ['<https://example.com>', 'https://example.com'],
  ];
  for (const [text, shown] of CASES) it(JSON.stringify(text), () => expect(displayText(text).join('')).toBe(shown));

  it('of SSML is what its elements hold', () => {
    const text = '<speak>Ask <sub alias="A T and T">AT&amp;T</sub>,<break time="1s"/> <b>**now**</b>.</speak>';
    const shown = displayText(text, { ssml: true });
    expect(shown.join('')).toBe('Ask AT&T, now.');
    expect(shown).toHaveLength(text.length);
    expect(shown[text.indexOf('&amp;')]).toBe('&');
  });

  it('keeps step with the text as sent, code point by code point', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.string({ unit: 'grapheme', maxLength: 100 }),
      fc
        .array(fc.constantFrom('**', '`', '[a](b)', '😀', '&amp;', '<b>', '# ', '\n', '| ', 'word', ' ', '\\', '- '))
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, fc.boolean(), (value, ssml) => {
        const points = [...value];
        const shown = displayText(value, { ssml });
        expect(shown).toHaveLength(points.length);
      }),
      { numRuns: 1000 },
    );
  });

  it('shows words where they stand', () => {
    const text = '## The *quick* [fox](http://x.y)';
    const shown = displayText(text);
    for (const word of ['The', 'quick', 'fox']) {
      const at = text.indexOf(word);
      expect(shown.slice(at, at + word.length).join('')).toBe(word);
    }
  });
});
