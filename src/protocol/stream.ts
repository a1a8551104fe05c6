/** The stream-input WebSocket: its parameters, messages and bounds. */
import type { BaseModel } from './job.js';

export const STREAM_PATH = '/v1/text-to-speech/:voice_id/stream-input';
export const streamPath = (voice: string): string => `/v1/text-to-speech/${encodeURIComponent(voice)}/stream-input`;

export const MAX_MESSAGE_BYTES = 65_536;
/** Beyond this the WebSocket library closes by itself. */
export const MAX_FRAME_BYTES = 1_048_576;
/** Characters that were sent and not yet spoken. */
export const MAX_PENDING_CHARS = 100_000;

export interface StreamParams {
  model_id: BaseModel;
  output_format: 'pcm_24000';
  language_code: string;
  seed: number;
  inactivity_timeout: number;
  auto_mode: boolean;
  sync_alignment: boolean;
  enable_ssml_parsing: boolean;
  apply_text_normalization: 'off';
}

export const STREAM_DEFAULTS: Readonly<StreamParams> = {
  model_id: 'base-tts',
  output_format: 'pcm_24000',
  language_code: 'auto',
  seed: 0,
  inactivity_timeout: 20,
  auto_mode: true,
  sync_alignment: false,
  enable_ssml_parsing: false,
  apply_text_normalization: 'off',
};

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

export interface ClientMessage {
  text: string;
  flush?: boolean;
  voice_settings?: Record<string, unknown> | null;
}

/** Times relative to the first sample of the message's audio. */
export interface Alignment {
  chars: string[];
  charStartTimesMs: number[];
  charDurationsMs: number[];
}

export interface AudioMessage {
  audio: string;
  isFinal: false;
  alignment?: Alignment;
}
export interface FinalMessage {
  isFinal: true;
}
export interface ErrorMessage {
  error: string;
  message: string;
  requestId?: string;
}
export type ServerMessage = AudioMessage | FinalMessage | ErrorMessage;
