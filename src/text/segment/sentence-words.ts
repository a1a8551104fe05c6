/**
 * The words that tell where sentences end, by language, without the rest of what a language brings:
 * clients need no more.
 */
import type { Language } from '../../protocol/job.js';
import { SENTENCE_WORDS } from '../en/abbreviations.js';
import type { SentenceWords } from './sentence-ends.js';

const loaded = new Map<Language, SentenceWords>([
  ['en-US', SENTENCE_WORDS],
  ['en-GB', SENTENCE_WORDS],
]);

const LOADERS: Readonly<
  Record<Exclude<Language, 'en-US' | 'en-GB'>, () => Promise<{ readonly SENTENCE_WORDS: SentenceWords }>>
> = {
  'es-ES': () => import('../es/sentence-words.js'),
  'es-419': () => import('../es/sentence-words.js'),
  'fr-FR': () => import('../fr/sentence-words.js'),
  'it-IT': () => import('../it/sentence-words.js'),
  'pt-BR': () => import('../pt/sentence-words.js'),
  'hi-IN': () => import('../hi/sentence-words.js'),
  'ja-JP': () => import('../ja/sentence-words.js'),
  'zh-CN': () => import('../zh/sentence-words.js'),
};

/** The words of a language that was loaded before. */
export function sentenceWords(language: Language): SentenceWords {
  const words = loaded.get(language);
  if (words === undefined) throw new Error(`the sentence words of ${language} are used before they are loaded`);
  return words;
}

export async function loadSentenceWords(language: Language): Promise<void> {
  if (loaded.has(language)) return;
  loaded.set(language, (await LOADERS[language as keyof typeof LOADERS]()).SENTENCE_WORDS);
}
