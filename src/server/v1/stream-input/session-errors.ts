/** Which codes a session may end with; everything else has one of them as its public face. */
import { type ErrorCode, publicError, TtsError } from '../../../protocol/errors.js';

const SESSION_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'not_initialized',
  'invalid_json',
  'invalid_message',
  'invalid_voice_settings',
  'invalid_ssml',
  'text_too_long',
  'inactivity_timeout',
  'revoked_api_key',
  'insufficient_credits',
  'message_too_large',
  'synthesis_failed',
  'internal_error',
  'shutting_down',
  'overloaded',
]);

export function asSessionError(error: unknown): TtsError {
  const told = publicError(error);
  if (SESSION_CODES.has(told.code)) return told;
  if (told.code === 'no_worker_ready') return new TtsError('overloaded', told.message, { cause: error });
  return publicError(new Error('no code of a session', { cause: error }));
}
