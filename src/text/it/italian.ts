/** Italian. */
import { toCardinal } from 'n2words/it-IT';
import { createEspeakFrontEnd } from '../espeak/espeak-language.js';
import { plainRules } from '../normalize/plain-rules.js';

export const ITALIAN = createEspeakFrontEnd({
  language: 'it-IT',
  espeakVoice: 'it',
  rules: plainRules({ digits: (digits) => toCardinal(BigInt(digits)) }),
  says: () => false,
});
