/** The words that tell where Japanese sentences and clauses end. */
import { createSentenceWords } from '../segment/sentence-ends.js';

export const SENTENCE_WORDS = createSentenceWords({});
