/** Spanish, as it is read in Spain and in Latin America: the same words, other sounds. */
import { toCardinal } from 'n2words/es-ES';
import type { Language } from '../../protocol/job.js';
import { createEspeakFrontEnd } from '../espeak/espeak-language.js';
import { plainRules } from '../normalize/plain-rules.js';

const spanish = (language: Language, espeakVoice: string) =>
  createEspeakFrontEnd({
    language,
    espeakVoice,
    rules: plainRules({ digits: (digits) => toCardinal(BigInt(digits)) }),
    says: () => false,
  });

export const CASTILIAN = spanish('es-ES', 'es');
export const LATIN_AMERICAN = spanish('es-419', 'es-419');
