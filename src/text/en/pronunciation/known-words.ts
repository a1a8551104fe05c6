/**
 * Words whose reading is known: corrections of our own, then the dictionary. espeak guesses the
 * rest.
 */
import type { Language } from '../../../protocol/job.js';
import { inBritish } from './alphabet.js';
import { correction } from './corrections.js';
import { dictionaryReading } from './dictionary.js';
import { interjection } from './interjections.js';
import { possessive } from './possessive.js';

const ASCII = /^[\x20-\x7e]*$/;
const LETTERS = /^\p{L}+$/u;
const OURS = /^[a-z][a-z']*$/;

/** The phonemes of one written word, possessives included; undefined where nobody knows it. */
export function knownReading(word: string, language: Language): string | undefined {
  const british = language === 'en-GB';
  const small = word.toLowerCase();
  const made = interjection(small);
  if (made !== undefined) return made;
  if (small.includes('-')) return compound(small, language);
  const owned = small.endsWith("'s");
  const stem = owned ? small.slice(0, -2) : small.endsWith("s'") ? small.slice(0, -1) : small;
  const plain = unaccented(stem);
  if (!OURS.test(plain)) return LETTERS.test(stem) ? dictionaryReading(stem, british) : undefined;
  const american = correction(plain) ?? fromDictionary(stem, plain, british);
  if (american === undefined) return undefined;
  const said = american + (owned ? possessive(american) : '');
  return british ? inBritish(said, plain) : said;
}

/** "Jean-Paul": where a part is known, each is said for itself. */
function compound(word: string, language: Language): string | undefined {
  const own = dictionaryReading(word, language === 'en-GB');
  if (own !== undefined) return own;
  const parts = word.split('-');
  if (parts.length > 4) return undefined;
  const said = parts.map((part) => knownReading(part, language));
  return said.every((part) => part !== undefined) ? said.join('') : undefined;
}

/**
 * An accent tells how a letter sounds: the dictionary, which has none, is believed where it says
 * the same.
 */
function fromDictionary(stem: string, plain: string, british: boolean): string | undefined {
  const own = dictionaryReading(stem, british);
  if (own !== undefined || stem === plain) return own;
  const reading = dictionaryReading(plain, british);
  if (reading === undefined) return undefined;
  if (/[éè]e?s?$/.test(stem) && !/[Ai]s?z?$/u.test(reading)) return undefined;
  if (/[ćč]$/.test(stem) && !/ʧ$/u.test(reading)) return undefined;
  if (stem.includes('ñ') && !/n[jˈˌ]*[ji]/u.test(reading)) return undefined;
  return reading;
}

const RESPELLED: Readonly<Record<string, string>> = { ć: 'ch', č: 'ch', š: 'sh', ś: 'sh', ž: 'zh', ź: 'zh', ł: 'w' };

/** As an English reader would have to see it: espeak takes these accents for ornaments. */
export const respelled = (word: string): string =>
  ASCII.test(word) ? word : word.replace(/[ćčšśžźł]/giu, (letter) => RESPELLED[letter.toLowerCase()]!);

const unaccented = (word: string) => (ASCII.test(word) ? word : word.normalize('NFD').replace(/\p{M}/gu, ''));
