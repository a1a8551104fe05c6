/** French as it is read in France. */
import { createEspeakFrontEnd } from '../espeak/espeak-language.js';
import type { FrontEnd } from '../front-end.js';
import { unknownSignRule } from '../normalize/sign-rules.js';
import { fromEspeak, joinLetters, known, pronounce, respelled } from './pronunciation.js';
import { RULES } from './rules.js';
import { readAs } from './say-as.js';
import { isSpokenSign } from './signs.js';
import { isShouted } from './words.js';

const french = createEspeakFrontEnd({
  language: 'fr-FR',
  espeakVoice: 'fr',
  rules: RULES,
  says: isSpokenSign,
  characters: { groupMark: ' ' },
  readAs,
  isShouted,
  known,
  respelled,
  fromEspeak,
});

export const FRENCH: FrontEnd = { ...french, rules: [...french.rules, unknownSignRule], joinLetters, pronounce };
