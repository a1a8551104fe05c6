/**
 * Words whose reading is known: corrections of our own, then the dictionary. espeak guesses the
 * rest.
 */
import type { Language } from '../../../protocol/job.js';
import { byOrigin } from '../origin/origin.js';
import { inBritish } from './alphabet.js';
import { britishReading } from './british-words.js';
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
  const own = british ? britishReading(plain) : undefined;
  if (own !== undefined) return own + (owned ? possessive(own) : '');
  const american = reading(word.slice(0, stem.length), stem, plain, british);
  if (american === undefined || american === null) return undefined;
  const said = american + (owned ? possessive(american) : '');
  return british ? inBritish(said, plain) : said;
}

/** Null where the word is left to espeak, as it is where nothing is known of it. */
function reading(written: string, stem: string, plain: string, british: boolean): string | null | undefined {
  if (!LETTERS.test(stem) && !OURS.test(plain)) return undefined;
  const known = OURS.test(plain)
    ? (correction(plain) ?? fromDictionary(stem, plain, british))
    : dictionaryReading(stem, british);
  return known === undefined ? byOrigin(written) : known;
}

/** "Jean-Paul": where a part is known, each is said for itself. */
function compound(word: string, language: Language): string | undefined {
  const own = dictionaryReading(word, language === 'en-GB');
  if (own) return own;
  const parts = word.split('-');
  if (parts.length > 4) return undefined;
  const said = parts.map((part) => knownReading(part, language));
  return said.every((part) => part !== undefined) ? said.join('') : undefined;
}

/**
 * An accent tells how a letter sounds: the dictionary, which has none, is believed where it says
 * the same.
 */
function fromDictionary(stem: string, plain: string, british: boolean): string | null | undefined {
  const own = dictionaryReading(stem, british);
  if (own !== undefined || stem === plain) return own;
  const bare = dictionaryReading(plain, british) ?? undefined;
  if (bare === undefined) return undefined;
  if (/[éè]e?s?$/.test(stem) && !/[Ai]s?z?$/u.test(bare)) return undefined;
  if (/[ćč]$/.test(stem) && !/ʧ$/u.test(bare)) return undefined;
  if (stem.includes('ñ') && !/n[jˈˌ]*[ji]/u.test(bare)) return undefined;
  return bare;
}

const RESPELLED: Readonly<Record<string, string>> = { ć: 'ch', č: 'ch', š: 'sh', ś: 'sh', ž: 'zh', ź: 'zh', ł: 'w' };

/** As an English reader would have to see it: espeak takes these accents for ornaments. */
export const respelled = (word: string): string =>
  ASCII.test(word) ? word : word.replace(/[ćčšśžźł]/giu, (letter) => RESPELLED[letter.toLowerCase()]!);

const unaccented = (word: string) => (ASCII.test(word) ? word : word.normalize('NFD').replace(/\p{M}/gu, ''));
