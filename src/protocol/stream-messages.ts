/** The stream-input WebSocket: schemas of its parameters and messages. */
import type { Static, TSchema } from 'typebox';
import { BASE_MODELS } from './job.js';
import { oneOf } from './one-of.js';
import { Type } from './schema.js';
import { MAX_INACTIVITY_S, MAX_PENDING_CHARS, MAX_SEED, STREAM_DEFAULTS, VOICE_SETTINGS } from './stream.js';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const D = STREAM_DEFAULTS;

export const StreamParams = Type.Object({
  model_id: oneOf(BASE_MODELS, { default: D.model_id }),
  output_format: oneOf([D.output_format], { default: D.output_format }),
  language_code: Type.String({ default: D.language_code, description: 'One the voice does not speak means its own' }),
  seed: Type.Integer({ minimum: 0, maximum: MAX_SEED, default: D.seed, description: '0 is the canonical reading' }),
  inactivity_timeout: Type.Integer({
    minimum: 1,
    maximum: MAX_INACTIVITY_S,
    default: D.inactivity_timeout,
    description: 'Seconds without a message while no audio is owed',
  }),
  auto_mode: Type.Boolean({
    default: D.auto_mode,
    description: 'Accepted; generation is always automatic, so false changes nothing',
  }),
  sync_alignment: Type.Boolean({ default: D.sync_alignment, description: 'Audio messages carry `alignment`' }),
  enable_ssml_parsing: Type.Boolean({
    default: D.enable_ssml_parsing,
    description:
      'The text is SSML: speak, p, s, break, phoneme, sub, say-as, lang, voice, prosody, emphasis and mark. Other elements have no effect but for the text inside, which is spoken; the log of the server names them',
  }),
  apply_text_normalization: oneOf([D.apply_text_normalization], { default: D.apply_text_normalization }),
});
export type StreamParams = Static<typeof StreamParams>;

const allowed = (value: number | boolean) => ({ description: `Only ${value} is allowed` });
const VoiceSettings = Type.Partial(
  Type.Object({
    stability: Type.Number(allowed(VOICE_SETTINGS.stability)),
    similarity_boost: Type.Number(allowed(VOICE_SETTINGS.similarity_boost)),
    style: Type.Number(allowed(VOICE_SETTINGS.style)),
    use_speaker_boost: Type.Boolean(allowed(VOICE_SETTINGS.use_speaker_boost)),
    speed: Type.Number(allowed(VOICE_SETTINGS.speed)),
  }),
);
const settings = Type.Optional(orNull(VoiceSettings));
const ignoredKey = Type.Optional(orNull(Type.String({ description: 'Ignored: the key comes with the handshake' })));

export const InitializeMessage = Type.Object({
  text: Type.Literal(' ', { description: 'Exactly one space; not billed' }),
  voice_settings: settings,
  x_api_key: ignoredKey,
  'x-api-key': ignoredKey,
  authorization: ignoredKey,
});
export const TextMessage = Type.Object({
  text: Type.String({
    minLength: 1,
    description: `Appended as it is; a single space is a keepalive. At most ${MAX_PENDING_CHARS} characters may wait`,
  }),
  flush: Type.Optional(Type.Boolean({ default: false, description: 'Speak what is pending now' })),
  voice_settings: settings,
});
export const EndMessage = Type.Object({
  text: Type.Literal('', { description: 'No more text; what is left is spoken' }),
  flush: Type.Optional(Type.Unknown({ description: 'Ignored' })),
  voice_settings: settings,
});
export type ClientMessage = Static<typeof InitializeMessage> | Static<typeof TextMessage> | Static<typeof EndMessage>;

export const Alignment = Type.Object({
  chars: Type.Array(Type.String()),
  charStartTimesMs: Type.Array(Type.Number(), { description: "From the first sample of the message's audio" }),
  charDurationsMs: Type.Array(Type.Number()),
});
export type Alignment = Static<typeof Alignment>;

export const AudioMessage = Type.Object({
  audio: Type.String({ description: 'Base64 of 24 kHz, signed 16-bit little-endian, mono PCM, without a header' }),
  isFinal: Type.Literal(false),
  alignment: Type.Optional(Alignment),
});
export type AudioMessage = Static<typeof AudioMessage>;

export const FinalMessage = Type.Object({
  isFinal: Type.Literal(true, { description: 'All audio of the connection was sent; it closes with 1000' }),
});
export const ErrorMessage = Type.Object({
  error: Type.String({ description: 'A code' }),
  message: Type.String(),
  requestId: Type.Optional(Type.String()),
});
export type ServerMessage = AudioMessage | Static<typeof FinalMessage> | Static<typeof ErrorMessage>;
