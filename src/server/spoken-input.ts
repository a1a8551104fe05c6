/** The text of a speech request as every door takes it: without surrounding white space, and within that door's bound. */
import { TtsError } from '../protocol/errors.js';

export interface SpokenInput {
  readonly text: string;
  /** Code points. */
  readonly chars: number;
}

/** `param` is what the door calls the field. */
export function spokenInput(value: string, param: string, maxChars: number): SpokenInput {
  const text = value.trim();
  // Cheaper than counting where the answer is clear: a code point is at most two units.
  const chars = text.length > maxChars * 2 ? text.length : [...text].length;
  if (chars === 0) {
    throw new TtsError('empty_input', `The field "${param}" holds nothing but white space.`, { param });
  }
  if (chars > maxChars) {
    throw new TtsError(
      'input_too_long',
      `The field "${param}" is longer than ${maxChars} characters. Split it at sentences into several requests.`,
      { param },
    );
  }
  return { text, chars };
}
