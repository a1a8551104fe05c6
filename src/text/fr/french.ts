/** French as it is read in France. */
import { toCardinal } from 'n2words/fr-FR';
import { createEspeakFrontEnd } from '../espeak/espeak-language.js';
import { plainRules } from '../normalize/plain-rules.js';

export const FRENCH = createEspeakFrontEnd({
  language: 'fr-FR',
  espeakVoice: 'fr',
  rules: plainRules({ digits: (digits) => toCardinal(BigInt(digits)) }),
  says: () => false,
});
