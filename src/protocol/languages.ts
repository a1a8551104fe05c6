/** How people and requests name languages: a code such as `es`, or a locale such as `es-419`. */
import { TtsError } from './errors.js';
import { LANGUAGES, type Language } from './job.js';

/** A language without its region (ISO 639-1). */
export type LanguageCode = 'en' | 'es' | 'fr' | 'it' | 'pt' | 'hi' | 'ja' | 'zh';

export const codeOf = (language: Language): LanguageCode => language.slice(0, 2) as LanguageCode;

export const LANGUAGE_CODES: readonly LanguageCode[] = [...new Set(LANGUAGES.map(codeOf))];

/** Everything that a language can be named by. */
export const LANGUAGE_TAGS: readonly string[] = [...LANGUAGE_CODES, ...LANGUAGES];

/** English names, for lists and remarks. */
export const LANGUAGE_NAMES: Readonly<Record<LanguageCode, string>> = {
  en: 'English',
  es: 'Spanish',
  fr: 'French',
  it: 'Italian',
  pt: 'Portuguese',
  hi: 'Hindi',
  ja: 'Japanese',
  zh: 'Mandarin',
};

/** Whether a voice of `language` speaks what a person calls `wanted`, a code or a locale. */
export function speaks(language: Language, wanted: string): boolean {
  const tag = wanted.toLowerCase();
  return codeOf(language) === tag || readingOf(language, wanted).toLowerCase() === tag;
}

/**
 * The locale a voice reads in where a request names one. Spanish voices read as in Spain or as in
 * Latin America; accents of English are voices of their own. Anything else is the voice's own.
 */
export function readingOf(language: Language, wanted = ''): Language {
  const tag = wanted.toLowerCase();
  return codeOf(language) === 'es'
    ? (LANGUAGES.find((each) => each.toLowerCase() === tag && codeOf(each) === 'es') ?? language)
    : language;
}

/** The locale that a tag names; of a language alone, its first. */
export const localeOf = (tag: string): Language | undefined => {
  const wanted = tag.toLowerCase();
  return LANGUAGES.find((each) => each.toLowerCase() === wanted) ?? LANGUAGES.find((each) => codeOf(each) === wanted);
};

/** The tag as it is written here. Throws `usage` with those that there are. */
export function knownLanguage(tag: string): string {
  const known = LANGUAGE_TAGS.find((each) => each.toLowerCase() === tag.toLowerCase());
  if (known !== undefined) return known;
  throw new TtsError(
    'usage',
    `There is no language "${tag}" here. There are: ${LANGUAGE_CODES.join(', ')}, and ${LANGUAGES.join(', ')}.`,
  );
}
