/** Mandarin, as it is written in simplified and traditional characters. */
import { espeakSymbols } from '../espeak/espeak-language.js';
import { readIpa } from '../espeak/ipa.js';
import type { FoundWord, FrontEnd } from '../front-end.js';
import { Characters } from '../normalize/characters.js';
import { MARK_RULES } from '../normalize/marks.js';
import { keptScriptRule, plainRules } from '../normalize/plain-rules.js';

const SCRIPT = /[\p{Script=Han}〇]/u;

/** A place holder until its words and their sounds are known: characters one by one, without a sound. */
const words = (text: string): FoundWord[] =>
  [...text.matchAll(/[\p{L}\p{N}]/gu)].map(({ 0: word, index }) => ({
    start: index,
    end: index + word.length,
    phonemes: '',
  }));

export const MANDARIN: FrontEnd = {
  language: 'zh-CN',
  characters: new Characters(() => false, { keeps: SCRIPT }),
  isShouted: () => false,
  rules: [keptScriptRule(SCRIPT), ...plainRules({ digits: (digits) => [...digits].join(' ') }), ...MARK_RULES],
  readAs: () => false,
  readable: SCRIPT,
  words,
  pronounce: (said, phonemizer) => said.map(({ text, phonemes }) => phonemes ?? phonemizer.word(text)),
  alphabet: {
    // What is written in Latin letters is said in English.
    espeakVoice: 'en-us',
    fromEspeak: espeakSymbols,
    known: () => undefined,
    fromIpa: (ipa) => readIpa(ipa, espeakSymbols),
  },
};
