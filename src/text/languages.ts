/** The languages that are read, each by its front end. Another one is a folder beside `en/`, a line here and in `sentence-words.ts`. */
import type { Language } from '../protocol/job.js';
import { AMERICAN, BRITISH } from './en/english.js';
import type { FrontEnd } from './front-end.js';

const FRONT_ENDS: Readonly<Record<Language, FrontEnd>> = { 'en-US': AMERICAN, 'en-GB': BRITISH };

export const frontEnd = (language: Language): FrontEnd => FRONT_ENDS[language];
