/** Errors that are expected. */
import { TtsError } from '../../src/protocol/errors.js';

/** What a call is refused with; `what` names it where it is not refused. */
export function failureOf(call: () => unknown, what: string): TtsError {
  try {
    call();
  } catch (error) {
    if (error instanceof TtsError) return error;
    throw error;
  }
  throw new Error(`no error for ${what}`);
}
