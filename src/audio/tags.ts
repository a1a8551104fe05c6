/** Tags of a file: title, voice, chapters. */

export interface AudioTags {
  readonly title?: string;
  /** The voice, which players show as performer. */
  readonly artist?: string;
}

export interface Chapter {
  readonly title: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** Titles of chapters before their times are known. */
export const untimed = (titles: readonly string[]): Chapter[] =>
  titles.map((title) => ({ title, startMs: 0, endMs: 0 }));
