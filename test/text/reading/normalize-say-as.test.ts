/** Readings asked for by name, what is left out and counted, and where words come from. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { SayAs } from '../../../src/protocol/job.js';
import { loadFrontEnd } from '../../../src/text/languages.js';
import { normalize } from '../../../src/text/normalize.js';

beforeAll(() => loadFrontEnd('en-US'));

const CASES: readonly (readonly [SayAs, string, string])[] = [
  ['characters', 'ABC', 'A B C'],
  ['characters', 'a', 'eigh'],
  ['characters', 'B2-x_9', 'B two dash X underscore nine'],
  ['characters', 'U.S.', 'U dot S dot'],
  ['characters', 'no way', 'N O, W A Y'],
  ['characters', 'é@5', 'É at five'],
  ['characters', 'a×b÷2', 'eigh times B divided by two'],
  ['cardinal', '1984', 'one thousand nine hundred eighty-four'],
  ['cardinal', '1,234', 'one thousand two hundred thirty-four'],
  ['cardinal', '007', 'seven'],
  ['cardinal', '-3', 'minus three'],
  ['cardinal', '2.50', 'two point five zero'],
  ['cardinal', 'many', 'many'],
  ['ordinal', '3', 'third'],
  ['ordinal', '21st', 'twenty-first'],
  ['ordinal', '1,000', 'one thousandth'],
  ['ordinal', 'first', 'first'],
  ['date', '3/4', 'March fourth'],
  ['date', '25/12', 'December twenty-fifth'],
  ['date', '12/2024', 'December twenty twenty-four'],
  ['date', '2024-06', 'June twenty twenty-four'],
  ['date', '20240115', 'January fifteenth, twenty twenty-four'],
  ['date', '1/2/24', 'January second, twenty twenty-four'],
  ['date', '1066', 'ten sixty-six'],
  ['date', 'Jan. 5, 2024', 'January fifth, twenty twenty-four'],
  ['date', '99/99', 'ninety-nine out of ninety-nine'],
  ['telephone', '5551234', 'five five five one two three four'],
  ['telephone', '555-0100', 'five five five, oh one oh oh'],
  ['telephone', '+1 (212) 555 0147', 'plus one, two one two, five five five, oh one four seven'],
  ['telephone', '911', 'nine one one'],
  ['telephone', '555 1234 x9', 'five five five, one two three four, extension, nine'],
];

describe('say-as', () => {
  for (const [sayAs, written, spoken] of CASES) {
    it(`${sayAs}: ${written}`, () => {
      expect(normalize(written, { sayAs }).text).toBe(spoken);
    });
  }
});

describe('what cannot be read', () => {
  const skipped: readonly (readonly [string, Record<string, number>])[] = [
    ['Well done 🎉🎉', { emoji: 2 }],
    ['👨‍👩‍👧 family', { emoji: 5 }],
    ['東京 is Tokyo', { 'script:Han': 2 }],
    ['שלום and مرحبا', { 'script:Hebrew': 4, 'script:Arabic': 5 }],
    ['a\u0007b', { control: 1 }],
    ['lone \ud800 half', { surrogate: 1 }],
    ['bad \ufffd byte', { replacement: 1 }],
    ['Acme™', { symbol: 1 }],
    ['plain words', {}],
  ];
  for (const [text, counts] of skipped) {
    it(`is counted by kind in ${JSON.stringify(text)}`, () => {
      expect(normalize(text).skipped).toEqual(counts);
    });
  }
});

/** The characters of the input that the first occurrence of `word` stands for. */
function sourceOf(text: string, word: string): string {
  const { text: said, starts, ends } = normalize(text);
  const at = said.indexOf(word);
  expect(at).toBeGreaterThanOrEqual(0);
  return [...text].slice(starts[at]!, ends[at + word.length - 1]!).join('');
}

describe('the way back', () => {
  const sources: readonly (readonly [string, string, string])[] = [
    ['It costs $5.50 today', 'five dollars and fifty cents', '$5.50'],
    ['It costs $5.50 today', 'today', 'today'],
    ['😀 at 5:30 p.m. sharp', 'five thirty P M', '5:30 p.m.'],
    ['😀 at 5:30 p.m. sharp', 'sharp', 'sharp'],
    ['Dr. Smith', 'Doctor', 'Dr.'],
    ['# Heading\ntext', 'Heading', 'Heading'],
    ['see [the docs](https://a.io/b) now', 'docs', 'docs'],
    ['see [the docs](https://a.io/b) now', 'now', 'now'],
    ['Tom &amp; Jerry', 'and', '&amp;'],
    ['the getHTTPResponse call', 'H T T P', 'HTTP'],
    ['the getHTTPResponse call', 'Response', 'Response'],
    ['cafe\u0301 noir', 'café', 'cafe\u0301'],
    ['𝐇𝐢 you', 'Hi', '𝐇𝐢'],
    ['mail bob@x.org', 'at', '@'],
    ['**bold** move', 'bold', 'bold'],
    ['Москва 5', 'Moskva', 'Москва'],
  ];
  for (const [text, word, source] of sources) {
    it(`leads from "${word}" to ${JSON.stringify(source)} in ${JSON.stringify(text)}`, () => {
      expect(sourceOf(text, word)).toBe(source);
    });
  }

  it('covers every word of a plain sentence one to one', () => {
    const text = 'The quick brown fox, he said, jumps over the lazy dog.';
    const { text: said, starts, ends } = normalize(text);
    expect(said).toBe(text);
    expect(starts).toEqual([...text].map((_, i) => i));
    expect(ends).toEqual([...text].map((_, i) => i + 1));
  });
});
