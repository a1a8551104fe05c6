/**
 * What holds for any text at all: a map that leads back in order, no exception, and time in
 * proportion to length.
 */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SayAs } from '../../../src/protocol/job.js';
import { joinLetters } from '../../../src/text/en/letters.js';
import { loadFrontEnd } from '../../../src/text/languages.js';
import { normalize } from '../../../src/text/normalize.js';
import type { Normalized } from '../../../src/text/types.js';

beforeAll(() => loadFrontEnd('en-US'));

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 200 }).map((units) => String.fromCharCode(...units)),
  fc
    .array(fc.constantFrom(...'0123456789.,:;/\\-–—+*_#@$€£%^&|~`\'"<>()[]{}!? \n\taAbBiIvVxX°²½µ’“”…'), {
      maxLength: 120,
    })
    .map((chars) => chars.join('')),
  fc
    .array(
      fc.constantFrom(
        ...'Dr. St. No. 5 1/2 $1 USD 12:30 p.m. 2024-01-15 555-1234 v1.2.3 IV Henry http://a.b/c a@b.co #tag @me ~/x 3rd 1990s 10km 20% https:// **b** [a](b) &amp; | - > 😀 日本 H2O C# camelCase snake_case GPUs 5\'10" 0xFF 1e9 Jan. May 3 -5 1,000'.split(
          ' ',
        ),
      ),
      { maxLength: 30 },
    )
    .chain((words) => fc.constantFrom(' ', '', '\n', ', ').map((between) => words.join(between))),
);

function checkMap(text: string, { text: said, starts, ends }: Normalized): void {
  const points = [...text].length;
  expect(starts).toHaveLength(said.length);
  expect(ends).toHaveLength(said.length);
  for (let i = 0; i < said.length; i++) {
    const wrong =
      starts[i]! > ends[i]! ||
      starts[i]! < 0 ||
      ends[i]! > points ||
      (i > 0 && (starts[i]! < starts[i - 1]! || ends[i]! < ends[i - 1]!));
    if (wrong) expect.fail(`unit ${i} of ${JSON.stringify(said)} maps to [${starts[i]}, ${ends[i]})`);
  }
}

describe('for any text', () => {
  it('keeps a complete map that never goes back', () => {
    fc.assert(
      fc.property(anyText, (text) => checkMap(text, normalize(text))),
      { numRuns: 3000 },
    );
  });

  it('keeps the map when the author says how to read it', () => {
    const sayAs = fc.constantFrom<SayAs>('characters', 'cardinal', 'ordinal', 'date', 'telephone');
    fc.assert(
      fc.property(anyText, sayAs, (text, as) => checkMap(text, normalize(text, { sayAs: as }))),
      { numRuns: 1500 },
    );
  });

  it('leaves no digit unread and no space doubled or at an edge', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { text: said } = normalize(text);
        expect(said).not.toMatch(/\d| {2}|^ | $|[\n\t`*_|#@]/);
        expect(said).not.toMatch(/\p{Cs}/u);
      }),
      { numRuns: 3000 },
    );
  });

  it('says ordinary words as they are written, each unit mapped to its own character', () => {
    const words =
      'the evening was quiet when nobody answered because friends had gone away together before sunset'.split(' ');
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 30 }), (chosen) => {
        const text = chosen.join(' ');
        const { text: said, starts, ends } = normalize(text);
        expect(said).toBe(text);
        expect(starts).toEqual([...text].map((_, i) => i));
        expect(ends).toEqual([...text].map((_, i) => i + 1));
      }),
    );
  });

  it('loses no word between its neighbours: plain words around anything keep their places', () => {
    fc.assert(
      fc.property(anyText, (middle) => {
        const text = `opening ${middle.replace(/[<[]/g, '')} closing`;
        const { text: said, starts, ends } = normalize(text);
        const points = [...text].length;
        expect(said.startsWith('opening')).toBe(true);
        expect(starts.slice(0, 7)).toEqual([0, 1, 2, 3, 4, 5, 6]);
        // A heading, an item or a row gets its pause behind the last word.
        expect(said).toMatch(/closing[.;]?$/);
        expect(ends[said.lastIndexOf('closing') + 6]).toBe(points);
      }),
    );
  });

  it('counts what is left out by kind, whichever pass leaves it out', () => {
    expect(normalize('a 😀 b ❤ c ★').skipped).toEqual({ emoji: 2, symbol: 1 });
    expect(normalize('世界 и 世').skipped).toEqual({ 'script:Han': 3 });
  });

  it('joins rows of letters without changing the length', () => {
    expect(joinLetters("the H T M L page's A P I's, U S A.")).toBe("the H.T.M.L page's A.P-I's, U.S.A.");
    fc.assert(
      fc.property(anyText, (text) => {
        const { text: said } = normalize(text);
        expect(joinLetters(said)).toHaveLength(said.length);
      }),
    );
  });
});
