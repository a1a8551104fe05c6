/** Hindi. */
import { createEspeakFrontEnd } from '../espeak/espeak-language.js';
import type { FrontEnd } from '../front-end.js';
import { unknownSignRule } from '../normalize/sign-rules.js';
import { fromEspeak, pronounce, respelled } from './pronunciation.js';
import { RULES } from './rules.js';
import { readAs } from './say-as.js';
import { isSpokenSign } from './signs.js';

const hindi = createEspeakFrontEnd({
  language: 'hi-IN',
  espeakVoice: 'hi',
  rules: RULES,
  says: isSpokenSign,
  characters: { keeps: /[\u0900-\u0963\u0971-\u097f]/u },
  readable: /[\p{Script=Devanagari}\p{Script=Latin}]/u,
  readAs,
  respelled,
  fromEspeak,
});

export const HINDI: FrontEnd = { ...hindi, rules: [...hindi.rules, unknownSignRule], pronounce };
