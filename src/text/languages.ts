/**
 * The languages that are read, each by its front end. Another one is a folder beside `en/`, a line
 * here and in
 * `segment/sentence-words.ts`. English is always there; the others are loaded when they are first
 * used.
 */
import type { Language } from '../protocol/job.js';
import { AMERICAN, BRITISH } from './en/english.js';
import type { FrontEnd } from './front-end.js';
import { loadSentenceWords } from './segment/sentence-words.js';

const loaded = new Map<Language, FrontEnd>([
  ['en-US', AMERICAN],
  ['en-GB', BRITISH],
]);

const LOADERS: Readonly<Record<Exclude<Language, 'en-US' | 'en-GB'>, () => Promise<FrontEnd>>> = {
  'es-ES': async () => (await import('./es/spanish.js')).CASTILIAN,
  'es-419': async () => (await import('./es/spanish.js')).LATIN_AMERICAN,
  'fr-FR': async () => (await import('./fr/french.js')).FRENCH,
  'it-IT': async () => (await import('./it/italian.js')).ITALIAN,
  'pt-BR': async () => (await import('./pt/portuguese.js')).BRAZILIAN,
  'hi-IN': async () => (await import('./hi/hindi.js')).HINDI,
  'ja-JP': async () => (await import('./ja/japanese.js')).JAPANESE,
  'zh-CN': async () => (await import('./zh/mandarin.js')).MANDARIN,
};

/** The front end of a language that was loaded before. */
export function frontEnd(language: Language): FrontEnd {
  const front = loaded.get(language);
  if (front === undefined) throw new Error(`the front end of ${language} is used before it is loaded`);
  return front;
}

/** Loads a front end with its sentence words; both can then be asked for synchronously. */
export async function loadFrontEnd(language: Language): Promise<FrontEnd> {
  const known = loaded.get(language);
  if (known !== undefined) return known;
  const [front] = await Promise.all([LOADERS[language as keyof typeof LOADERS](), loadSentenceWords(language)]);
  loaded.set(language, front);
  return front;
}
