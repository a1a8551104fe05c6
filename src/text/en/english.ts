/** English in its two accents: the same rules and words but for a few, and other sounds. */
import type { Language } from '../../protocol/job.js';
import type { FrontEnd, PhonemeAlphabet } from '../front-end.js';
import { Characters } from '../normalize/characters.js';
import type { Rule } from '../normalize/rule.js';
import { joinLetters } from './letters.js';
import { fromEspeak, fromIpa } from './pronunciation/alphabet.js';
import { britishWording, pastHourRule } from './pronunciation/british.js';
import { knownReading, respelled } from './pronunciation/known-words.js';
import { possessive } from './pronunciation/possessive.js';
import { pronounce } from './pronunciation/pronounce.js';
import { askedInEnglish } from './questions.js';
import { RULES } from './rules.js';
import { readAs } from './say-as.js';
import { isShouted } from './sentence-starts.js';
import { STRESS_WORDS } from './stress-words.js';
import { isSpokenSign } from './symbols.js';

const alphabet = (language: Language, espeakVoice: string): PhonemeAlphabet => ({
  espeakVoice,
  fromEspeak: (ipa) => fromEspeak(ipa, language),
  ...(language === 'en-GB' && { parted: /[^aeiou]y-/i }),
  respelled,
  // "Zlatan"
  namedFirst: /^z[bdglmnrv][\p{L}]{2,58}$/iu,
  known: (word) => knownReading(word, language),
  fromIpa: (ipa) => fromIpa(ipa, language),
  possessive,
});

const english = (language: Language, espeakVoice: string, rules: readonly Rule[]): FrontEnd => ({
  language,
  characters: new Characters(isSpokenSign, { formulas: true }),
  isShouted,
  rules,
  readAs,
  joinLetters,
  pronounce,
  asked: askedInEnglish,
  stressWords: STRESS_WORDS,
  alphabet: alphabet(language, espeakVoice),
});

export const AMERICAN: FrontEnd = english('en-US', 'en-us', RULES);
export const BRITISH: FrontEnd = {
  ...english('en-GB', 'en-gb-x-rp', [pastHourRule, ...RULES]),
  wording: britishWording,
};
