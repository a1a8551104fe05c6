/**
 * The dictionaries of languages for tests: in the model cache, fetched first if they are not there.
 */
import { loadConfig } from '../src/config.js';
import { ensureLanguage } from '../src/models/language-packs.js';
import type { LanguageFiles } from '../src/text/front-end.js';

export const languageFiles: LanguageFiles = (language) => {
  const { modelDir, offline } = loadConfig().config;
  return ensureLanguage(language, { modelDir, offline });
};
