/** What holds for any text: the model's limit, linear growth, no exception. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Segment } from '../../../src/protocol/job.js';
import { createReader } from '../../../src/text/reader.js';
import { Segmenter, segmentText } from '../../../src/text/segment/segment.js';
import { MAX_TOKENS } from '../../../src/text/types.js';
import { repeated } from '../../../testkit/long-texts.js';
import { countBlocks, growth, MOST_GROWTH } from '../../support/growth.js';

const reader = await createReader();
const chars = (text: string) => text.length;
const joined = (segments: readonly Segment[]) => segments.map(({ text }) => text).join('');

/** A pseudo-random sequence, the same in every run. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

const random = (length: number, from: number, to: number) => {
  const next = sequence(length);
  return Array.from({ length }, () => String.fromCharCode(from + Math.floor(next() * (to - from)))).join('');
};

const TEXTS: Readonly<Record<string, (length: number) => string>> = {
  sentences: (length) => repeated('The quick brown fox jumps over the lazy dog. ', length),
  'words without a mark': (length) => repeated('the quick brown fox jumps over the lazy dog and ', length),
  digits: (length) => repeated('1234567890', length),
  brackets: (length) => repeated('([{', length),
  quotes: (length) => repeated('"\'', length),
  emoji: (length) => repeated('😀', length),
  'one long word': (length) => repeated('a', length),
  stops: (length) => repeated('. ', length),
  newlines: (length) => repeated('\n', length),
  'random units': (length) => random(length, 0, 0x10000),
  'random ASCII': (length) => random(length, 32, 127),
};

describe("the model's limit", () => {
  const words = fc.constantFrom(
    'word',
    'the',
    '1234567',
    '$5,000,000',
    'https://example.com/a',
    'www',
    'NASA',
    'wxyz',
    'e.g.',
    'approx.',
    '≥',
    '5°C',
    'Dr.',
    '😀',
    '世界',
    'extraordinarily',
    'Hello.',
    'no,',
    'so;',
    'x'.repeat(90),
    '7'.repeat(150),
  );
  const long = fc.array(words, { minLength: 60, maxLength: 250 }).map((parts) => parts.join(' '));

  it('is kept by every segment, counted by the reader that speaks it', () => {
    fc.assert(
      fc.property(long, (text) => {
        const segments = segmentText(text, { countTokens: (part) => reader.countTokens(part) });
        expect(joined(segments)).toBe(text);
        for (const segment of segments) {
          const speech = reader.read(segment).parts.filter((part) => part.kind === 'speech');
          expect(speech.reduce((sum, part) => sum + part.tokens.length, 0)).toBeLessThanOrEqual(MAX_TOKENS);
        }
      }),
      { numRuns: 12 },
    );
  });

  it('is kept by a text made of nothing but what grows most when it is said', () => {
    for (const word of [
      'e.g.',
      'i.e.',
      'approx.',
      '≥',
      'www',
      'WWW',
      '7',
      '777,777',
      '°C',
      '&',
      'Mr.',
      '½',
      'km²',
      '$1',
    ]) {
      for (const { text } of segmentText(`${word} `.repeat(400), { countTokens: (part) => reader.countTokens(part) })) {
        expect(reader.countTokens(text)).toBeLessThanOrEqual(MAX_TOKENS);
      }
    }
  });

  it('never parts a word that fits by itself', () => {
    const pieces = fc.array(fc.string({ unit: fc.constantFrom(...'abcdefgh'), minLength: 1, maxLength: 150 }), {
      minLength: 5,
      maxLength: 40,
    });
    fc.assert(
      fc.property(pieces, (list) => {
        const whole = new Set(list);
        const segments = segmentText(list.join(' '), { countTokens: chars });
        for (const { text } of segments) for (const word of text.trim().split(' ')) expect(whole).toContain(word);
      }),
      { numRuns: 200 },
    );
  });

  it('cuts a long sentence at the best place: a colon or semicolon, then a comma or dash, then a word', () => {
    const run = (text: string) => segmentText(text, { countTokens: chars }).map((segment) => segment.text);
    const filler = (letters: number) => repeated('abcdefg ', letters);
    const opening = 'This is the opening. ';
    expect(run(`${opening}${filler(200)}x, y; ${filler(200)}x, ${filler(300)}`)[1]).toBe(`${filler(200)}x, y; `);
    expect(run(`${opening}${filler(200)}x, ${filler(400)}`)[1]).toBe(`${filler(200)}x, `);
    expect(run(`${opening}${filler(200)}x — ${filler(400)}`)[1]).toBe(`${filler(200)}x — `);
    expect(run(`${opening}x; ${filler(600)}`)[1]!.length).toBeGreaterThan(400);
    expect(run(`${opening}${filler(600)}`)[1]).toMatch(/ $/);
    const inside = run(`${opening}${repeated('a', 700)}`).slice(1);
    expect(inside).toHaveLength(2);
    expect(inside[0]!.length).toBeGreaterThan(400);
  });

  it('parts neither a pair nor a joined emoji inside an endless word', () => {
    const family = '👩\u200D👩\u200D👧';
    for (const { text } of segmentText(family.repeat(300), { countTokens: chars })) {
      expect(text.length % family.length).toBe(0);
    }
  });
});

describe('flush', () => {
  it('cuts at once, and what follows begins anew with the right offset', () => {
    const segmenter = new Segmenter({ countTokens: chars });
    expect(segmenter.push('Hello 😀 wor')).toEqual([]);
    expect(segmenter.pendingChars).toBe(11);
    const [first] = segmenter.flush();
    expect(first).toMatchObject({ text: 'Hello 😀 wor', offset: 0, pause: 'none' });
    expect(segmenter.pendingChars).toBe(0);
    expect(segmenter.flush()).toEqual([]);
    segmenter.push('ld');
    expect(segmenter.end()).toMatchObject([{ text: 'ld', offset: 11 }]);
    expect(segmenter.end()).toEqual([]);
  });

  it('joins to the input with flushes anywhere', () => {
    const steps = fc.array(fc.oneof(fc.string({ maxLength: 40 }), fc.constant(null)), { maxLength: 30 });
    fc.assert(
      fc.property(steps, (list) => {
        const segmenter = new Segmenter({ countTokens: chars });
        const out = list.flatMap((step) => (step === null ? segmenter.flush() : segmenter.push(step)));
        expect(joined([...out, ...segmenter.end()])).toBe(list.filter((step) => step !== null).join(''));
        expect(segmenter.pendingChars).toBe(0);
      }),
    );
  });
});

describe('growth of what is counted for the model', () => {
  /**
   * Work that can be counted, so that a busy machine changes nothing: characters handed to the
   * token counter.
   */
  const counted = (text: string) => {
    let sum = 0;
    segmentText(text, {
      countTokens: (part) => {
        sum += part.length;
        return part.length;
      },
    });
    return sum;
  };
  for (const [name, make] of Object.entries(TEXTS)) {
    it(`is linear for ${name}: counting`, () => {
      const [small, large] = [counted(make(100_000)), counted(make(400_000))];
      expect(large).toBeLessThanOrEqual(Math.max(small * 5, 400_000));
      expect(small).toBeLessThanOrEqual(100_000 * 10);
    });
  }
});

describe('growth of all work', () => {
  countBlocks();
  const single =
    (options: { ssml?: boolean } = {}) =>
    (text: string) => {
      const segmenter = new Segmenter({ countTokens: chars, ...options });
      for (let i = 0; i < text.length; i += 1) segmenter.push(text[i]!);
      segmenter.end();
    };

  for (const [name, make] of Object.entries(TEXTS)) {
    it(`is linear for ${name}: whole and one unit at a time`, () => {
      const whole = (text: string) => segmentText(text, { countTokens: chars });
      for (const work of [whole, single()]) {
        expect(growth(work, make, 2_000)).toBeLessThan(MOST_GROWTH);
      }
    });
  }

  it('is linear for SSML one unit at a time, comments included', () => {
    const ssml = (length: number) =>
      `<speak><!--${repeated('a comment ', length)}-->${repeated('Some <b>text</b> here. ', length - (length % 23))}</speak>`;
    expect(growth(single({ ssml: true }), ssml, 23 * 50)).toBeLessThan(MOST_GROWTH);
  });
});

describe('a fuzzer', () => {
  it('finds no exception between text and tokens', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.string({ unit: 'grapheme', maxLength: 100 }),
      fc
        .array(fc.constantFrom(...'.,;:!?-–—…"\'()[]{}<>&#@$%^*_+=|\\/~`0123456789aAbBIV \n\t€°²½😀é世'), {
          maxLength: 200,
        })
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (value) => {
        const segments = segmentText(value, { countTokens: (part) => reader.countTokens(part) });
        expect(joined(segments)).toBe(value);
        for (const segment of segments) {
          const length = [...segment.text].length;
          const { parts } = reader.read(segment);
          const tokens = parts.reduce((sum, part) => sum + (part.kind === 'speech' ? part.tokens.length : 0), 0);
          expect(segment.spans.length === 0 ? 0 : reader.countTokens(segment.text)).toBe(tokens);
          for (const part of parts) {
            for (const { start, end } of part.kind === 'speech' ? part.tokens : []) {
              expect(start).toBeGreaterThanOrEqual(0);
              expect(end).toBeLessThanOrEqual(length);
              expect(start).toBeLessThanOrEqual(end);
            }
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
