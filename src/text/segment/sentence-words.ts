/** The words that tell where sentences end, by language, without the rest of what a language brings: clients need no more. */
import type { Language } from '../../protocol/job.js';
import { SENTENCE_WORDS } from '../en/abbreviations.js';
import type { SentenceWords } from './sentence-ends.js';

const WORDS: Readonly<Record<Language, SentenceWords>> = { 'en-US': SENTENCE_WORDS, 'en-GB': SENTENCE_WORDS };

export const sentenceWords = (language: Language): SentenceWords => WORDS[language];
