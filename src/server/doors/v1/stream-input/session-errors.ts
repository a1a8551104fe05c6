/** A session ends with one of its own codes; everything else has one of them as its public face. */
import { publicError, TtsError } from '../../../../protocol/errors.js';
import { SESSION_CODES } from '../../../../protocol/stream.js';

export function asSessionError(error: unknown): TtsError {
  const told = publicError(error);
  if (SESSION_CODES.includes(told.code)) return told;
  if (told.code === 'no_worker_ready') return new TtsError('overloaded', told.message, { cause: error });
  return publicError(new Error('no code of a session', { cause: error }));
}
