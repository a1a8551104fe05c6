/** How voices are searched for, in the playground and by `tts voices --search`. */
import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../src/models/catalogue.js';
import { matchesSearch } from '../../src/protocol/playground/voice-words.js';

const { all } = loadCatalogue();
const found = (search: string) =>
  all
    .filter(({ voice, character, uses }) => matchesSearch({ ...voice, character, uses }, search))
    .map(({ voice }) => voice.id);

describe('a search for voices', () => {
  it('"male" finds no woman, "female" no man', () => {
    expect(found('male').every((id) => id.includes('_male_'))).toBe(true);
    expect(found('male').length + found('female').length).toBe(all.length);
  });

  it('takes words in any order, and beginnings of words', () => {
    expect(found('british male')).toEqual(found('Male BRIT'));
    expect(found('british male')).toHaveLength(4);
    expect(found('  ')).toHaveLength(all.length);
  });

  it('knows languages by their English and by their own name, with and without accents', () => {
    expect(found('french')).toEqual(['french_female_siwis']);
    expect(found('français')).toEqual(found('francais'));
    expect(found('日本語')).toEqual(found('japanese'));
    expect(found('en-GB')).toHaveLength(8);
  });

  it('knows what a voice sounds like and suits', () => {
    expect(found('whispering')).toEqual(['american_female_nicole']);
    expect(found('news british')).toContain('british_female_emma');
    expect(found('whispering male')).toEqual([]);
  });
});
