/**
 * What the text front-end hands to the engine, and to callers that need a segment's length
 * beforehand.
 */
import type { Segment } from '../protocol/job.js';

/**
 * Text as it is to be read, with a way back. For every UTF-16 unit `i` of `text`, `[starts[i],
 * ends[i])` is the stretch of the input it stands for, in code points of the input. `starts` and
 * `ends` never decrease.
 */
export interface Normalized {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** What could not be read, by kind ("emoji", "script:Han", …), with how many characters of it. */
  readonly skipped: Readonly<Record<string, number>>;
}

export interface ReadingToken {
  readonly id: number;
  /** One character of the model's alphabet. */
  readonly symbol: string;
  /** The characters of the segment's text it speaks, in code points: `[start, end)`. */
  readonly start: number;
  readonly end: number;
}

export type ReadingPart =
  | { readonly kind: 'speech'; readonly tokens: readonly ReadingToken[] }
  | { readonly kind: 'silence'; readonly ms: number; readonly start: number; readonly end: number };

/** A word as it is said, and the characters of the segment's text it stands for. */
interface ReadingWord {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/**
 * How a question's melody ends: up; up before the word `or` (its place among the words) and down
 * at the end; or as the voice has it.
 */
export type Asked = { readonly melody: 'rise' | 'own' } | { readonly melody: 'choice'; readonly or: number };

/** A question whose melody the voice may have to be told; places are those of tokens. */
export interface Question {
  /** Where its mark stands. */
  readonly at: number;
  /**
   * Where the "or" of a choice begins: the melody rises before it and falls at the end. -1 where
   * it is in an earlier segment.
   */
  readonly or?: number;
}

export interface Reading {
  readonly normalized: string;
  readonly words: readonly ReadingWord[];
  readonly phonemes: string;
  readonly parts: readonly ReadingPart[];
  readonly questions: readonly Question[];
  /** Characters of the segment's text that plain text asks to stress. */
  readonly stressed: readonly { readonly start: number; readonly end: number }[];
  /** Tokens of words that other segments say right before and behind it; they have no places. */
  readonly before: readonly ReadingToken[];
  readonly ahead: readonly ReadingToken[];
  /**
   * Everything not spoken, by kind, in characters: skipped text and symbols outside the model's
   * alphabet.
   */
  readonly skipped: Readonly<Record<string, number>>;
}

export interface Reader {
  /** Loads the languages that spans of a segment name; before the segment is read. */
  prepare(segment: Segment): Promise<void>;
  /** normalise → phonemes → tokens for one segment. */
  read(segment: Segment): Reading;
  /** How many tokens the text makes, without pads. */
  countTokens(text: string): number;
  /** Whether it makes any; found at its first word. */
  sounds(text: string): boolean;
}

/** The most tokens the model takes at once, without the two pads. */
export const MAX_TOKENS = 510;
