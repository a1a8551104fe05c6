/** Hindi. */
import { toCardinal } from 'n2words/hi-IN';
import { createEspeakFrontEnd } from '../espeak/espeak-language.js';
import { plainRules } from '../normalize/plain-rules.js';

export const HINDI = createEspeakFrontEnd({
  language: 'hi-IN',
  espeakVoice: 'hi',
  rules: plainRules({ digits: (digits) => toCardinal(BigInt(digits)) }),
  says: () => false,
  characters: { keeps: /[\u0900-\u0963\u0971-\u097f]/u },
  readable: /[\p{Script=Devanagari}\p{Script=Latin}]/u,
});
