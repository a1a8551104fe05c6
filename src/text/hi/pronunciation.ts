/**
 * How Hindi words sound: espeak's sounds, told which of the vowels that are not written are not
 * said.
 */

import { espeakSymbols } from '../espeak/espeak-language.js';
import type { Phonemizer, Utterance } from '../front-end.js';

/** Words that espeak misreads, in a spelling that it reads right. */
const RESPELLED: Readonly<Record<string, string>> = {
  यह: 'ये',
  वह: 'वो',
  जनसंख्या: 'जन्संख्या',
  जनवरी: 'जन्वरी',
  फ़रवरी: 'फ़र्वरी',
  फरवरी: 'फ़र्वरी',
  मुंबई: 'मुम्बई',
  इंतज़ार: 'इन्तज़ार',
  ज़िंदगी: 'ज़िन्दगी',
  जिंदगी: 'ज़िन्दगी',
  दशमलव: 'दशम्लव',
  दुःख: 'दुख',
  सिंह: 'सिंघ',
  जन्मदिन: 'जन्म्दिन',
  ताजमहल: 'ताज्महल',
  श्रृंखला: 'शृंखला',
  व्हाट्सऐप: 'वाट्सैप',
  रुपये: 'रुपए',
};

const VIRAMA = '\u094d';
/** A syllable: consonants with the vowel behind them, or a vowel by itself. */
const SYLLABLES =
  /((?:[\u0915-\u0939\u0958-\u095f]\u093c?\u094d)*[\u0915-\u0939\u0958-\u095f]\u093c?)([\u093e-\u094c\u0962\u0963]?)([\u0901-\u0903]?)(\u094d?)|[\u0904-\u0914\u0960\u0961\u0972][\u0901-\u0903]?/gu;

interface Syllable {
  readonly end: number;
  readonly consonants: string;
  /** Its vowel is the one that is not written. */
  readonly inherent: boolean;
  readonly cluster: boolean;
  readonly vowel: string;
  readonly nasal: string;
}

function syllablesOf(word: string): Syllable[] {
  return [...word.matchAll(SYLLABLES)].map((match) => {
    const [whole, consonants = '', vowel = '', nasal = '', bare = ''] = match;
    return {
      end: match.index + whole.length,
      consonants,
      inherent: consonants !== '' && vowel === '' && nasal === '' && bare === '',
      cluster: consonants.includes(VIRAMA) || bare !== '',
      vowel,
      nasal,
    };
  });
}

/**
 * Whether the unwritten vowel of the syllable at `i` is silent: a vowel stands before and one
 * behind, each a consonant away.
 */
function isSilent(syllables: readonly Syllable[], i: number): boolean {
  const last = syllables.length - 1;
  const [before, own, next] = [syllables[i - 1]!, syllables[i]!, syllables[i + 1]!];
  if (!own.inherent || own.cluster || own.consonants === 'य') return false;
  // Of two such syllables in a row espeak knows which one is silent.
  if (i > 1 && before.inherent) return false;
  if (next.cluster || next.consonants === '') return false;
  if (!next.inherent) return !(i + 1 === last && /^(?:ो|े[ंँ])/u.test(next.vowel + next.nasal));
  // "लगभग", "बैठकर": the next syllable keeps its vowel before a last one that has none; "करण" keeps
  // all.
  const final = syllables[i + 2];
  if (i + 2 !== last || !final?.inherent || final.cluster) return false;
  return before.nasal === '' && !(next.consonants === 'र' && final.consonants === 'ण');
}

/** "पचपनवीं": an ordinal is its number, and an ending that begins with a consonant. */
const ORDINAL = /^(.{2,}[\u0915-\u0939]\u093c?)व(ाँ|ां|ीं|ें)$/u;
/** Sixty-nine and its like: no vowel is heard before the h. */
const BEFORE_SEVENTY = /(?<=^[\u0905-\u0939][\u0915-\u0939])(?=हत्तर)/u;

/**
 * A word as espeak has to see it: silent vowels marked, and two endings that it misreads written
 * otherwise.
 */
export function respelled(word: string): string {
  const composed = word.normalize('NFC');
  if (Object.hasOwn(RESPELLED, composed)) return RESPELLED[composed]!;
  const ordinal = ORDINAL.exec(composed);
  if (ordinal) return `${respelled(ordinal[1]!)}${VIRAMA}व${ordinal[2]!}`;
  const plain = composed
    .replace(BEFORE_SEVENTY, VIRAMA)
    .replaceAll('एँ', 'एं')
    .replace(/([ाआीूोेइउ])ओं/gu, '$1-ओं');
  const syllables = syllablesOf(plain);
  if (syllables.length < 3) return plain;
  let out = '';
  let from = 0;
  for (let i = 1; i < syllables.length - 1; i++) {
    if (!isSilent(syllables, i)) continue;
    const { end } = syllables[i]!;
    out += plain.slice(from, end) + VIRAMA;
    from = end;
  }
  return out + plain.slice(from);
}

const VOWEL_FIRST = /^[\u0904-\u0914]/u;
/** Behind these a glide is heard before a vowel. */
const GLIDING = /[िीइई]$/u;
/** Any word: what is said of the word before does not hang on it, but that it follows. */
const ANY_WORD = 'दिन';

/** The sounds of the words of a clause; little words lose their stress before others. */
export function pronounce(words: readonly Utterance[], phonemizer: Phonemizer): string[] {
  return words.map(({ text, phonemes, followed }, index) => {
    if (phonemes !== undefined) return phonemes;
    const next = words[index + 1]?.text;
    if (!followed || next === undefined) return phonemizer.word(text);
    const glides = GLIDING.test(text) && VOWEL_FIRST.test(next);
    return phonemizer.phrase([text, glides ? next : ANY_WORD])[0]!;
  });
}

/**
 * espeak's IPA in the model's alphabet: hexgrad/misaki joins only what is one sound to espeak, and
 * in Hindi "ts" is two. espeak writes ड़ as "r.", and so the model learnt it: no rest is
 * heard.
 */
export const fromEspeak = (ipa: string): string => espeakSymbols(ipa).replaceAll('ʦ', 'ts').replaceAll('ʣ', 'dz');
