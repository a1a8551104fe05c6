/** Names and limits of the stream-input WebSocket. Without schemas, so that clients load none. */
import type { ErrorCode } from './errors.js';

export const STREAM_PATH = '/v1/text-to-speech/:voice_id/stream-input';
export const streamPath = (voice: string): string => `/v1/text-to-speech/${encodeURIComponent(voice)}/stream-input`;

/** A browser offers two subprotocols: the one that is spoken, and its ticket. */
export const STREAM_PROTOCOL = 'tts.v1';
export const TICKET_PROTOCOL_PREFIX = 'tts.ticket.';
export const TICKET_TTL_MS = 30_000;

export const MAX_MESSAGE_BYTES = 65_536;
/** The WebSocket library closes a connection whose frame is larger. */
export const MAX_FRAME_BYTES = 1_048_576;
/** Most characters that were sent and not yet spoken. */
export const MAX_PENDING_CHARS = 100_000;

export const STREAM_DEFAULTS = {
  model_id: 'base-tts',
  output_format: 'pcm_24000',
  language_code: 'auto',
  seed: 0,
  inactivity_timeout: 20,
  auto_mode: true,
  sync_alignment: false,
  enable_ssml_parsing: false,
  apply_text_normalization: 'off',
} as const;

export const MAX_SEED = 4_294_967_295;
export const MAX_INACTIVITY_S = 180;

/** Each setting has one allowed value. */
export const VOICE_SETTINGS = {
  stability: 0.5,
  similarity_boost: 0.75,
  style: 0,
  use_speaker_boost: true,
  speed: 1,
} as const;

/** The codes a session may end with. */
export const SESSION_CODES: readonly ErrorCode[] = [
  'not_initialized',
  'invalid_json',
  'invalid_message',
  'invalid_voice_settings',
  'invalid_ssml',
  'text_too_long',
  'inactivity_timeout',
  'invalid_api_key',
  'revoked_api_key',
  'expired_api_key',
  'insufficient_credits',
  'message_too_large',
  'synthesis_failed',
  'internal_error',
  'shutting_down',
  'session_ended',
  'overloaded',
  'store_unavailable',
];
