/** ElevenLabs' names for models, voices and formats, and what they are here. */
import { AUDIO_FORMATS, type AudioFormat } from '../../../audio/format.js';
import { excerpt, TtsError } from '../../../protocol/errors.js';
import type { ModelAlias, VoiceAliases } from '../../foreign-names.js';

export const DEFAULT_MODEL = 'eleven_multilingual_v2';

/** Names of fast models are the fast model; every other name, known or not, the standard one. */
export const modelAlias: ModelAlias = (name) => (/flash|turbo/.test(name) ? 'base-tts-fast' : 'base-tts');

/**
 * ElevenLabs' premade voices, which are the defaults of its clients: namesakes, else by gender,
 * accent and character. For Charlie (Australian), Charlotte (Swedish) and Callum (transatlantic) a
 * British voice is the nearest.
 */
export const VOICE_ALIASES: VoiceAliases = new Map([
  ['21m00Tcm4TlvDq8ikWAM', { name: 'Rachel', style: 'af_heart' }],
  ['EXAVITQu4vr4xnSDxMaL', { name: 'Sarah', style: 'af_sarah' }],
  ['FGY2WhTYpPnrIDTdsKH5', { name: 'Laura', style: 'af_nova' }],
  ['hpp4J3VqNfWAUOO0d1Us', { name: 'Bella', style: 'af_bella' }],
  ['9BWtsMINqrJLrRacOk9x', { name: 'Aria', style: 'af_kore' }],
  ['XrExE9yKIg1WjnnlVkGX', { name: 'Matilda', style: 'af_aoede' }],
  ['cgSgspJ2msm6clMCkdW9', { name: 'Jessica', style: 'af_jessica' }],
  ['SAz9YHcvj6GT2YYXdXww', { name: 'River', style: 'af_river' }],
  ['Xb7hH8MSUJpSbSDYk0k2', { name: 'Alice', style: 'bf_alice' }],
  ['pFZP5JQG7iQjIQuC4Bku', { name: 'Lily', style: 'bf_lily' }],
  ['XB0fDUnXU5powFXDhCwa', { name: 'Charlotte', style: 'bf_emma' }],
  ['pNInz6obpgDQGcFmaJgB', { name: 'Adam', style: 'am_adam' }],
  ['TX3LPaxmHKxFdv7VOQHJ', { name: 'Liam', style: 'am_liam' }],
  ['cjVigY5qzO86Huf0OWal', { name: 'Eric', style: 'am_eric' }],
  ['bIHbv24MWmeRgasZH58o', { name: 'Will', style: 'am_puck' }],
  ['nPczCjzI2devNBz1zQrb', { name: 'Brian', style: 'am_onyx' }],
  ['CwhRBWXzGAHq8TQ4Fs17', { name: 'Roger', style: 'am_michael' }],
  ['iP95p4xoKVk53GoZ742B', { name: 'Chris', style: 'am_fenrir' }],
  ['SOYHLrjzK2X1ezoPC6cr', { name: 'Harry', style: 'am_echo' }],
  ['pqHfZKP75CvOlQylNhV4', { name: 'Bill', style: 'am_santa' }],
  ['JBFqnCBsd6RMkjVDRZzb', { name: 'George', style: 'bm_george' }],
  ['onwK4e9ZLuTAKqWW03F9', { name: 'Daniel', style: 'bm_daniel' }],
  ['IKne3meq5aSn9XLyUdCD', { name: 'Charlie', style: 'bm_lewis' }],
  ['N2lVS1w4EtoT3dr4eOWO', { name: 'Callum', style: 'bm_fable' }],
]);

const DEFAULT_FORMAT: AudioFormat = 'mp3_44100_128';

/** Theirs name codec, rate and bit rate; ours without a rate belong to the other doors. */
export const OUTPUT_FORMATS = AUDIO_FORMATS.filter((format) => format.includes('_'));

export function outputFormat(name: string | null | undefined): AudioFormat {
  const format = name ? OUTPUT_FORMATS.find((known) => known === name) : DEFAULT_FORMAT;
  if (format !== undefined) return format;
  const given = JSON.stringify(excerpt(name ?? ''));
  throw new TtsError(
    'invalid_value',
    `The parameter "output_format" must be one of ${OUTPUT_FORMATS.join(', ')}, not ${given}.`,
    { param: 'output_format' },
  );
}
