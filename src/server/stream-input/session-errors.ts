/** Which codes a session may end with; everything else has one of them as its public face. */
import { type ErrorCode, TtsError } from '../../protocol/errors.js';

const SESSION_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'not_initialized',
  'invalid_json',
  'invalid_message',
  'invalid_voice_settings',
  'invalid_ssml',
  'text_too_long',
  'inactivity_timeout',
  'insufficient_credits',
  'message_too_large',
  'synthesis_failed',
  'internal_error',
  'shutting_down',
  'overloaded',
]);

export function asSessionError(error: unknown): TtsError {
  if (!(error instanceof TtsError)) {
    return new TtsError('internal_error', 'Something failed inside the server.', { cause: error });
  }
  if (SESSION_CODES.has(error.code)) return error;
  if (error.code === 'no_worker_ready') return new TtsError('overloaded', error.message, { cause: error });
  return new TtsError('internal_error', 'Something failed inside the server.', { cause: error });
}
