/** What a process and its text thread say to each other. */
import type { ErrorCode } from '../../protocol/errors.js';
import type { Language, Segment } from '../../protocol/job.js';
import type { Explanation } from '../explain.js';
import type { SegmenterOptions } from '../segment/segment.js';

/** Words as they are written, each with a respelling or, between slashes, IPA. */
export type Words = Readonly<Record<string, string>>;

export type CutOptions = Omit<SegmenterOptions, 'countTokens' | 'language'> & {
  readonly language: Language;
  /** How words are read in this text alone. */
  readonly words?: Words;
};

export interface TextThreadOptions {
  /** The file of the operator's own pronunciations, '' for none. */
  readonly lexicon: string;
  /** The reader is loaded when it is first needed, and not at once. */
  readonly lazy: boolean;
  /** Words that the operator keeps, as they are at the start. */
  readonly words: Words;
}

export type TextPiece =
  | { readonly kind: 'push'; readonly text: string }
  | { readonly kind: 'flush' }
  | { readonly kind: 'end' };

export type TextWork =
  | { readonly type: 'open' }
  /** Where the files of a language lie, before its first text. */
  | { readonly type: 'files'; readonly language: Language; readonly folder: string }
  /** The first of a session brings its options along. */
  | { readonly type: 'cut'; readonly session: number; readonly piece: TextPiece; readonly options?: CutOptions }
  /** Words that the operator keeps from now on; with `check`, whether they could be kept. */
  | { readonly type: 'words'; readonly words: Words; readonly check: boolean }
  | { readonly type: 'soundless'; readonly text: string; readonly language: Language }
  | { readonly type: 'explain'; readonly text: string; readonly options: ExplainOptions };

export interface ExplainOptions {
  readonly language: Language;
  readonly ssml: boolean;
  readonly words?: Words | undefined;
}

export interface CutResult {
  readonly segments: Segment[];
  readonly pendingChars: number;
  readonly ignoredMarkup: readonly string[];
}

export interface TextResults {
  open: undefined;
  files: undefined;
  words: undefined;
  cut: CutResult;
  soundless: string | undefined;
  explain: Explanation;
}

/** A session's end is answered by nothing. */
export type TextRequest =
  | { readonly id: number; readonly work: TextWork }
  | { readonly id: undefined; readonly session: number };

export type TextReply =
  | { readonly id: number; readonly result: TextResults[keyof TextResults] }
  | { readonly id: number; readonly error: { readonly code: ErrorCode; readonly message: string } };
