/** The words that tell where French sentences and clauses end. */
import { createSentenceWords } from '../segment/sentence-ends.js';

export const SENTENCE_WORDS = createSentenceWords({});
