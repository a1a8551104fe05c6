/** What a file tells about itself: a title, who reads it, where its chapters begin. */

export interface AudioTags {
  readonly title?: string;
  /** The voice, where a player shows a performer. */
  readonly artist?: string;
}

export interface Chapter {
  readonly title: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** The same titles before their times are known. */
export const untimed = (titles: readonly string[]): Chapter[] =>
  titles.map((title) => ({ title, startMs: 0, endMs: 0 }));
