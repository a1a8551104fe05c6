/**
 * The languages that are read, each by its front end. Another one is a folder beside `en/`, a line
 * here and in `segment/sentence-words.ts`. English is there with this module, which modules that
 * only cut text do not load; the others are loaded when they are first used.
 */
import type { Language } from '../protocol/job.js';
import { AMERICAN, BRITISH } from './en/english.js';
import { addFrontEnd, type FrontEnd, frontEnd, hasFrontEnd } from './front-end.js';
import { loadSentenceWords } from './segment/sentence-words.js';

export { frontEnd };

addFrontEnd('en-US', AMERICAN);
addFrontEnd('en-GB', BRITISH);

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

/** Loads a front end with its sentence words; both can then be asked for synchronously. */
export async function loadFrontEnd(language: Language): Promise<FrontEnd> {
  if (!hasFrontEnd(language)) {
    const [front] = await Promise.all([LOADERS[language as keyof typeof LOADERS](), loadSentenceWords(language)]);
    addFrontEnd(language, front);
  }
  return frontEnd(language);
}
