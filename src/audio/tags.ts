/** Tags of a file: title, voice, chapters, and what a book has besides. */

export interface AudioTags {
  readonly title?: string;
  /** The voice, which players show as performer; of a book its author. */
  readonly artist?: string;
  /** The title of the book. */
  readonly album?: string;
  /** The voice that reads a book: players of audiobooks look for the narrator here. */
  readonly composer?: string;
  /** The place of this file among the book's files. */
  readonly track?: { readonly number: number; readonly of: number };
  /** BCP 47. */
  readonly language?: string;
  readonly genre?: string;
  readonly cover?: { readonly mediaType: 'image/jpeg' | 'image/png'; readonly bytes: Uint8Array };
}

export interface Chapter {
  readonly title: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** Titles of chapters before their times are known. */
export const untimed = (titles: readonly string[]): Chapter[] =>
  titles.map((title) => ({ title, startMs: 0, endMs: 0 }));

const THREE_LETTERS: Readonly<Record<string, string>> = {
  en: 'eng',
  es: 'spa',
  fr: 'fra',
  it: 'ita',
  pt: 'por',
  hi: 'hin',
  ja: 'jpn',
  zh: 'zho',
  de: 'deu',
  nl: 'nld',
  ru: 'rus',
};

/** The code of three letters that tags of mp3 and MP4 want; `und` where it is not known. */
export function iso639_2(language: string): string {
  const [code = ''] = language.toLowerCase().split('-');
  return THREE_LETTERS[code] ?? (code.length === 3 ? code : 'und');
}
