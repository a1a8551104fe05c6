/** Portuguese as it is read in Brazil. */
import { toCardinal } from 'n2words/pt-PT';
import { createEspeakFrontEnd } from '../espeak/espeak-language.js';
import { plainRules } from '../normalize/plain-rules.js';

export const BRAZILIAN = createEspeakFrontEnd({
  language: 'pt-BR',
  espeakVoice: 'pt-br',
  rules: plainRules({ digits: (digits) => toCardinal(BigInt(digits)) }),
  says: () => false,
});
