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
export const PREMADE_VOICES: VoiceAliases = new Map([
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

/**
 * Premade voices of earlier years, which programs still name. Each id is the same in two public
 * tables: GooeyAI's gooey-server (text_to_speech_settings_widgets.py) and the examples of
 * VoiceProcessingToolkit; Drew's and Paul's, which came later, are in neither but agree in a dozen
 * other repositories.
 */
export const OLDER_VOICES: VoiceAliases = new Map([
  ['2EiwWnXFnvU5JabPnv8n', { name: 'Clyde', style: 'am_onyx' }],
  ['29vD33N1CtxCmqQRPOHJ', { name: 'Drew', style: 'am_michael' }],
  ['5Q0t7uMcjvnagumLfvZi', { name: 'Paul', style: 'am_adam' }],
  ['AZnzlk1XvdvUeBnXmlld', { name: 'Domi', style: 'af_kore' }],
  ['CYw3kZ02Hs0563khs1Fj', { name: 'Dave', style: 'bm_lewis' }],
  ['D38z5RcWu1voky8WS1ja', { name: 'Fin', style: 'bm_fable' }],
  ['ErXwobaYiN019PkySvjV', { name: 'Antoni', style: 'am_michael' }],
  ['GBv7mTt0atIp3Br8iCZE', { name: 'Thomas', style: 'am_echo' }],
  ['LcfcDJNUP1GQjkzn1xUU', { name: 'Emily', style: 'af_sky' }],
  ['MF3mGyEYCl7XYWbV9V6O', { name: 'Elli', style: 'af_jessica' }],
  ['ODq5zmih8GrVes37Dizd', { name: 'Patrick', style: 'am_fenrir' }],
  ['ThT5KcBeYPX3keUQqHPh', { name: 'Dorothy', style: 'bf_isabella' }],
  ['TxGEqnHWrfWFTfGW9XjX', { name: 'Josh', style: 'am_liam' }],
  ['VR6AewLTigWG4xSOukaG', { name: 'Arnold', style: 'am_adam' }],
  ['Yko7PKHZNXotIFUBG7I9', { name: 'Matthew', style: 'bm_daniel' }],
  ['ZQe5CZNOzWyzPSCn5a3c', { name: 'James', style: 'bm_george' }],
  ['Zlb1dXrM653N07WRdFW3', { name: 'Joseph', style: 'bm_daniel' }],
  ['bVMeCyTHy58xNoL34h3p', { name: 'Jeremy', style: 'am_puck' }],
  ['flq6f7yk4E4fJM5XTYuZ', { name: 'Michael', style: 'am_michael' }],
  ['g5CIjZEefAph4nQFvHAz', { name: 'Ethan', style: 'am_echo' }],
  ['jBpfuIE2acCO8z3wKNLl', { name: 'Gigi', style: 'af_jessica' }],
  ['jsCqWAovK2LkecY7zXl4', { name: 'Freya', style: 'af_nova' }],
  ['oWAxZDx7w5VEj9dCyTzz', { name: 'Grace', style: 'af_aoede' }],
  ['pMsXgVXv3BLzUgSXRplE', { name: 'Serena', style: 'af_alloy' }],
  ['piTKgcLEGmPE4e6mEKli', { name: 'Nicole', style: 'af_nicole' }],
  ['t0jbNlBVZ17f02VDIeMI', { name: 'Jessie', style: 'am_santa' }],
  ['wViXBPUzp2ZZixB1xQuM', { name: 'Ryan', style: 'am_eric' }],
  ['yoZ06aMxZJJ28mfd3POQ', { name: 'Sam', style: 'am_liam' }],
  ['z9fAnlkpzviPz146aGWa', { name: 'Glinda', style: 'bf_alice' }],
  ['zcAOhNBS3c14rBihAFp1', { name: 'Giovanni', style: 'am_puck' }],
  ['zrHiDhphv9ZnVXBqCLjz', { name: 'Mimi', style: 'bf_lily' }],
]);

export const VOICE_ALIASES: VoiceAliases = new Map([...PREMADE_VOICES, ...OLDER_VOICES]);

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
