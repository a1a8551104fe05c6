/**
 * British voices are read with British words and sounds; American reading beside them stays as it
 * is.
 */
import { describe, expect, it } from 'vitest';
import { BRITISH } from '../../src/text/en/english.js';
import { inBritish } from '../../src/text/en/pronunciation/alphabet.js';
import { normalize } from '../../src/text/normalize.js';
import { createReaders } from '../../src/text/reader.js';
import { segmentText } from '../../src/text/segment/segment.js';
import { createAlphabet } from '../../src/text/tokens.js';

const open = await createReaders();
const readers = { 'en-US': await open('en-US'), 'en-GB': await open('en-GB') };
const phonemes = (text: string, language: keyof typeof readers = 'en-GB') => {
  const reader = readers[language];
  const segments = segmentText(text, { countTokens: (part) => reader.countTokens(part), language });
  return segments.map((segment) => reader.read(segment).phonemes).join(' ');
};

describe('British words', () => {
  const CASES: readonly (readonly [written: string, british: string, american: string])[] = [
    ['at 5:15', 'at quarter past five', 'at five fifteen'],
    ['at 5:30.', 'at half past five.', 'at five thirty.'],
    ['at 12:45,', 'at quarter to one,', 'at twelve forty-five,'],
    ['at 5:15 p.m.', 'at five fifteen P M.', 'at five fifteen P M.'],
    ['at 17:15', 'at seventeen fifteen', 'at seventeen fifteen'],
    ['from 5:15-6:30', normalize('from 5:15-6:30').text, normalize('from 5:15-6:30').text],
    ['5:10', 'five ten', 'five ten'],
    ['a 4:15 ratio', normalize('a 4:15 ratio').text, normalize('a 4:15 ratio').text],
    ['on 3/4/2024', 'on the third of April, twenty twenty-four', 'on March fourth, twenty twenty-four'],
    ['2024-05-06', 'the sixth of May, twenty twenty-four', 'May sixth, twenty twenty-four'],
    ['4/23/2024', 'the twenty-third of April, twenty twenty-four', 'April twenty-third, twenty twenty-four'],
    ['May 5', 'May the fifth', 'May fifth'],
    ['105 men', 'one hundred and five men', 'one hundred five men'],
    ['2,009 men', 'two thousand and nine men', 'two thousand nine men'],
    ['2,345 men', 'two thousand three hundred and forty-five men', 'two thousand three hundred forty-five men'],
    [
      '1,234,567 men',
      'one million two hundred and thirty-four thousand five hundred and sixty-seven men',
      'one million two hundred thirty-four thousand five hundred sixty-seven men',
    ],
    ['the 121st', 'the one hundred and twenty-first', 'the one hundred twenty-first'],
    ['5,000 men', 'five thousand men', 'five thousand men'],
    ['in 2009', 'in two thousand and nine', 'in two thousand nine'],
    ['the one hundred words', 'the one hundred words', 'the one hundred words'],
  ];
  for (const [written, british, american] of CASES) {
    it(written, () => {
      expect(normalize(written, { language: 'en-GB' }).text).toBe(british);
      expect(normalize(written, { language: 'en-US' }).text).toBe(american);
      expect(normalize(written).text).toBe(american);
    });
  }

  it('in what the author asked for by name', () => {
    expect(normalize('3/4', { sayAs: 'date', language: 'en-GB' }).text).toBe('April third');
    expect(normalize('3/4', { sayAs: 'date' }).text).toBe('March fourth');
  });
});

describe('British sounds', () => {
  const CASES: readonly (readonly [text: string, british: string, american: string])[] = [
    ['Z', 'zˈɛd', 'zˈi'],
    ['dance', 'dˈɑːns', 'dˈæns'],
    ['garden', 'ɡˈɑːdən', 'ɡˈɑɹdən'],
    ['water', 'wˈɔːtə', 'wˈɔTəɹ'],
    ['go', 'ɡˈQ', 'ɡˈO'],
    ['lot', 'lˈɒt', 'lˈɑt'],
    ['sixty-five happy cities', 'sˈɪkstifˈIv hˈæpi sˈɪtɪz', 'sˈɪkstifˈIv hˈæpi sˈɪTiz'],
    ['mother-in-law', 'mˈʌðəɹɪnlˈɔː', 'mˈʌðəɹɪnlˈɔ'],
    ['I have read it', 'ˌI hæv ɹˈɛd ɪt', 'ˌI hæv ɹˈɛd ɪt'],
    ['lead the way', 'lˈiːd ðə wˈA', 'lˈid ðə wˈA'],
    ['an object', 'ɐn ˈɒbʤɛkt', 'ɐn ˈɑbʤɛkt'],
  ];
  for (const [text, british, american] of CASES) {
    it(text, () => {
      expect(phonemes(text)).toBe(british);
      expect(phonemes(text, 'en-US')).toBe(american);
    });
  }

  it('say the last letter of XYZ as zed', () => {
    expect(phonemes('XYZ')).toContain('zˈɛd');
    expect(phonemes('XYZ', 'en-US')).toContain('zˈi');
  });

  it('are all symbols of the model', () => {
    const alphabet = createAlphabet();
    const text = `The quick brown fox jumps over the lazy dog. Nature's here, fire, tour, near, pure, cure, poor, square;
      little bottles of water, a year ago, the theatre, particularly February, Worcestershire, schedule and aluminium.`;
    for (const symbol of phonemes(text)) expect(alphabet.has(symbol), symbol).toBe(true);
  });

  it('of readings written down in American', () => {
    expect(
      ['tˈɛɹ', 'tˈɪɹ', 'bˈO', 'mˈɑdəɹət', 'pəɹfˈɛkt', 'kənvˈɜɹt', 'ɹəkˈɔɹd', 'kˈinwˌɑ'].map((reading) =>
        inBritish(reading),
      ),
    ).toEqual(['tˈɛː', 'tˈɪə', 'bˈQ', 'mˈɒdəɹət', 'pəfˈɛkt', 'kənvˈɜːt', 'ɹəkˈɔːd', 'kˈiːnwˌɑː']);
  });

  it('are those a lexicon gives in IPA, too', () => {
    expect(BRITISH.alphabet.fromIpa('/ˈɡəʊ ˈfɑːðə/')).toBe('ɡˈQ fˈɑːðə');
  });
});

describe('words that the British say in their own way', () => {
  it.each([
    ['The aluminium jaguar.', 'ˌæljəmˈɪniəm', 'ʤˈæɡjuə'],
    ['His secretary shone.', 'sˈɛkɹətɹi', 'ʃˈɒn'],
    ['Zero debris.', 'zˈɪəɹQ', 'dˈɛbɹiː'],
    // The r between two vowels is said, whichever of them is stressed.
    ['Interrupt karate.', 'ˌɪntəɹˈʌpt', 'kəɹˈɑːti'],
  ])('%s', (text, ...sounds) => {
    for (const sound of sounds) expect(phonemes(text)).toContain(sound);
  });
});
