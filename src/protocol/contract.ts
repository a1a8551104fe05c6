/** Names, paths and limits of the HTTP interface. Without schemas, so that clients load none. */
import type { BaseModel } from './job.js';

export const SPEECH_MODELS = ['base-tts', 'base-tts-fast', 'base-tts:free', 'base-tts-fast:free'] as const;
export type SpeechModel = (typeof SPEECH_MODELS)[number];
/** Values of a request's language; a voice has a language and accent of its own (`Language`). */
export const REQUEST_LANGUAGES = ['auto', 'en', 'es', 'fr', 'it', 'pt', 'hi', 'ja', 'zh'] as const;
export const RESPONSE_FORMATS = ['wav', 'pcm'] as const;
export const DEFAULT_VOICE = 'english_female_professional';
export const MAX_INPUT_CHARS = 2_048;
export const MAX_BODY_BYTES = 65_536;

export const SPEECH_PATH = '/v1/audio/speech';
export const VOICES_PATH = '/v1/voices';
export const TICKETS_PATH = '/v1/stream-tickets';

/** `base-tts-fast:free` → the model that speaks and whether Free access is used. */
export function parseModel(slug: SpeechModel): { base: BaseModel; free: boolean } {
  const free = slug.endsWith(':free');
  return { base: (free ? slug.slice(0, -':free'.length) : slug) as BaseModel, free };
}
