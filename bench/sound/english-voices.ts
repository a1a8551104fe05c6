/** The voices of the catalogue that speak English. */
import type { loadCatalogue } from '../../src/models/catalogue.js';
import { codeOf } from '../../src/protocol/languages.js';

/** Ids, each style once: the first two of the catalogue are other names of two that follow. */
export const englishVoices = (catalogue: ReturnType<typeof loadCatalogue>): string[] =>
  catalogue.all
    .slice(2)
    .filter(({ language }) => codeOf(language) === 'en')
    .map(({ voice }) => voice.id);
