/**
 * The pronouncing dictionary: each of its words is found, nothing else is, and all are sounds of
 * the model.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { dictionaryReading } from '../../src/text/en/pronunciation/dictionary.js';
import { knownReading } from '../../src/text/en/pronunciation/known-words.js';
import { createAlphabet } from '../../src/text/tokens.js';

const lines = readFileSync(path.resolve(import.meta.dirname, '../../pronunciations/en.txt'), 'utf8')
  .trimEnd()
  .split('\n');

describe('the dictionary', () => {
  it('is sorted by bytes, each word once', () => {
    const words = lines.map((line) => Buffer.from(line.split(' ')[0]!));
    for (let i = 1; i < words.length; i++) expect(Buffer.compare(words[i - 1]!, words[i]!)).toBe(-1);
  });

  it('finds every word it has', () => {
    const wrong = lines.filter((line) => {
      const [word, phonemes, accent] = line.split(' ') as [string, string, string?];
      const said = phonemes === '=' ? null : phonemes;
      return dictionaryReading(word, false) !== said || dictionaryReading(word, true) !== (accent ? null : said);
    });
    expect(wrong).toEqual([]);
  });

  it('finds nothing else', () => {
    for (const word of ['', 'a', 'zzzzzz', 'aachenx', 'zyuganovz', 'the', 'house', ' ', 'é', '\u{1f600}']) {
      expect(dictionaryReading(word, false), word).toBeUndefined();
    }
  });

  it('has sounds of the model alone, each word with one stress', () => {
    const alphabet = createAlphabet();
    const wrong = lines.filter((line) => {
      const phonemes = line.split(' ')[1]!;
      if (phonemes === '=') return false;
      return phonemes.split('ˈ').length !== 2 || [...phonemes].some((symbol) => !alphabet.has(symbol));
    });
    expect(wrong).toEqual([]);
  });
});

describe('a known word', () => {
  it('keeps its reading in a possessive, in capitals and in a compound of such', () => {
    expect(knownReading("Eleanor's", 'en-US')).toBe(`${knownReading('Eleanor', 'en-US')}z`);
    expect(knownReading('CAMUS', 'en-US')).toBe('kæmˈu');
    expect(knownReading('Sartre-Camus', 'en-US')).toBe(`${knownReading('Sartre', 'en-US')}kæmˈu`);
  });

  it('is another one with an accent', () => {
    expect(knownReading('Jesús', 'en-US')).toBe('hAsˈus');
    expect(knownReading('Jesus', 'en-US')).toBeUndefined();
  });

  it('is said by the British without the r and with their own vowels', () => {
    expect(knownReading('Guevara', 'en-GB')).toBe('ɡəvˈɑːɹə');
    expect(knownReading('Renoir', 'en-GB')).toMatch(/wˈɑː$/u);
    expect(knownReading('Dostoevsky', 'en-GB')).toContain('ɒ');
  });
});
