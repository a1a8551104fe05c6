/** How large a buffered response will be, from its text, before any of it is made. */
import { TtsError } from '../../protocol/errors.js';
import type { SpokenInput } from './spoken-input.js';

export interface AnswerSize {
  readonly chars: number;
  /** What the response takes at most, of any text that people send. */
  readonly bytes: number;
  /** What the API dialect calls the field of the text. */
  readonly param: string;
}

export interface AnswerShape {
  /** Bytes of the format for a second of speech. */
  readonly bytesPerSecond: number;
  /** Bytes beside the audio for every character: its times. */
  readonly bytesPerChar?: number;
  readonly speed?: number;
}

/**
 * Seconds of speech: for any character, and beyond that for each of three kinds. Measured with
 * english_female_professional (0.057 a character of prose, 0.45 of "WWWW", 0.38 of "7777", 0.24 of
 * "Hi.\n\n"), rounded up to hold for slower voices.
 */
const CHAR_S = 0.07;
/** Digits, symbols, and capitals that are said by their names. */
const SPELT = /[\p{N}\p{S}%&@#*/§]|\p{Lu}(?!\p{Ll})/gu;
const SPELT_S = 0.38;
const MARK = /\p{P}/gu;
const MARK_S = 0.1;
const LINE = /\n/g;
const LINE_S = 0.5;

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

export function answerSize({ text, chars, param }: SpokenInput, shape: AnswerShape): AnswerSize {
  const { bytesPerSecond, bytesPerChar = 0, speed = 1 } = shape;
  const seconds =
    (chars * CHAR_S + count(text, SPELT) * SPELT_S + count(text, MARK) * MARK_S + count(text, LINE) * LINE_S) / speed;
  return { chars, param, bytes: Math.ceil(seconds * bytesPerSecond + chars * bytesPerChar) };
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);

/** The error for a response that `limitBytes` could never hold. */
export function neverFits({ chars, bytes, param }: AnswerSize, limitBytes: number): TtsError {
  const allowed = Math.max(1, Math.floor((chars * limitBytes) / bytes));
  return new TtsError(
    'input_too_long',
    `The field "${param}" makes about ${megabytes(bytes)} MB at this speed and in this format; a response that is not ` +
      `streamed may have ${megabytes(limitBytes)} MB. Send at most ${allowed} such characters at a time, or ask for a stream.`,
    { param },
  );
}
