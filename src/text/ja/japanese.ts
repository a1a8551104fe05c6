/** Japanese: written forms are said in katakana, the rest is read by a dictionary. */
import type { SayAs } from '../../protocol/job.js';
import { fromEspeak } from '../en/pronunciation/alphabet.js';
import { knownReading, respelled } from '../en/pronunciation/known-words.js';
import { espeakSymbols } from '../espeak/espeak-language.js';
import { readIpa } from '../espeak/ipa.js';
import type { FoundWord, FrontEnd, LanguageFiles } from '../front-end.js';
import { Characters } from '../normalize/characters.js';
import type { Scan } from '../normalize/scan.js';
import { WIDE_MARKS } from '../normalize/wide-marks.js';
import { loadDictionary } from './analysis/dictionary.js';
import { Lattice } from './analysis/lattice.js';
import { latinSound, letterNames } from './forms/latin.js';
import { isNamed } from './forms/signs.js';
import { kanaPhonemes } from './kana.js';
import { digitNames, integerSound } from './numbers/numerals.js';
import { RULES, SCRIPT } from './rules.js';
import { japaneseWords } from './words.js';

const KEPT = new RegExp(`${SCRIPT.source}|${WIDE_MARKS.source}|[〜～〒※㈱㈲\\uff66-\\uff9f\\u3300-\\u3357]`, 'u');
const VULGAR_FRACTIONS = '½⅓⅔¼¾⅕⅛';

let lattice: Lattice | undefined;

async function prepare(files: LanguageFiles): Promise<void> {
  lattice ??= new Lattice(await loadDictionary(await files('ja-JP')));
}

/** The lattice of the dictionary, for a text that is read. */
export function japaneseLattice(): Lattice {
  if (lattice === undefined) throw new Error('Japanese is read before its dictionary is loaded');
  return lattice;
}

const words = (text: string): FoundWord[] =>
  japaneseWords(text, japaneseLattice()).map(({ start, end, kana }) => ({
    start,
    end,
    phonemes: kana === undefined ? undefined : kanaPhonemes(kana),
  }));

/** A whole text by its characters, as a number or as the digits of a telephone. */
function readAs(scan: Scan, as: SayAs): boolean {
  const { text, out } = scan;
  const digits = text.replace(/[\s,()-]/g, '');
  if (as === 'characters' && /^[\w\s.-]+$/.test(text)) {
    const names = [...digits].map((char) => (/\d/.test(char) ? digitNames(char) : letterNames(char)));
    out.say(names.filter((name) => name !== '').join(' '), 0, text.length);
    return true;
  }
  if (!/^\+?\d+$/.test(digits) || (as !== 'telephone' && as !== 'cardinal')) return false;
  const groups = text.split(/[\s()-]+/).map((group) => digitNames(group.replace(/\D/g, '')));
  out.say(as === 'cardinal' ? integerSound(digits.replace('+', '')) : groups.join(' '), 0, text.length);
  return true;
}

export const JAPANESE: FrontEnd = {
  language: 'ja-JP',
  characters: new Characters((sign) => isNamed(sign) || VULGAR_FRACTIONS.includes(sign), { keeps: KEPT }),
  isShouted: () => false,
  rules: RULES,
  readAs,
  readable: SCRIPT,
  words,
  prepare,
  pronounce: (said, phonemizer) => said.map(({ text, phonemes }) => phonemes ?? phonemizer.word(text)),
  alphabet: {
    // A Latin word that is not known in kana is said in English.
    espeakVoice: 'en-us',
    respelled,
    fromEspeak: (ipa) => fromEspeak(ipa, 'en-US'),
    known: (word) => {
      const kana = latinSound(word);
      return kana === undefined ? knownReading(word, 'en-US') : kanaPhonemes(kana);
    },
    fromIpa: (ipa) =>
      readIpa(ipa.replace(/t[\u0361\u035c]?ɕ/gu, 'ʨ').replace(/d[\u0361\u035c]?ʑ/gu, 'ʥ'), espeakSymbols),
  },
};
