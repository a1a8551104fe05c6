/** The body of a speech request in OpenAI's dialect: its schema, and the order made of it. */
import type { Static } from 'typebox';
import type { KeyRecord } from '../../../accounts/types.js';
import { createEncoder } from '../../../audio/encoder.js';
import { bytesPerSecond } from '../../../audio/format.js';
import { DEFAULT_VOICE } from '../../../protocol/contract.js';
import { oneOf } from '../../../protocol/one-of.js';
import { Type } from '../../../protocol/schema.js';
import { detectLanguage } from '../../../text/detect-language.js';
import type { ServerDeps } from '../../deps.js';
import { namedSpeaker } from '../../foreign-names.js';
import { answerSize } from '../../speech/answer-size.js';
import { encodedBody } from '../../speech/encoded-body.js';
import { pcmBody } from '../../speech/pcm-body.js';
import type { HttpOrder } from '../../speech/speech-reply.js';
import { spokenInput } from '../../speech/spoken-input.js';
import { eventBody } from './event-body.js';
import { modelAlias, VOICE_ALIASES } from './names.js';

const MAX_INPUT_CHARS = 4_096;
export const FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;
/** A WAV this short is made before its header leaves: some players need the true length. */
const WHOLE_WAV_CHARS = 300;

export const SpeechRequest = Type.Object(
  {
    model: Type.String({ description: '`tts-1`, `tts-1-hd`, `gpt-4o-mini-tts`, or one of ours' }),
    input: Type.String({
      description: `1 to ${MAX_INPUT_CHARS} characters once surrounding white space (Unicode's White_Space) is removed, with something to say among them`,
    }),
    voice: Type.Optional(
      Type.Union([Type.String(), Type.Object({ id: Type.String() })], {
        default: DEFAULT_VOICE,
        description:
          'A name of OpenAI\'s, which speaks the language of the text, an id of ours, or a mix such as `af_heart(2)+bm_george(1)`; plain or as `{"id": …}`',
      }),
    ),
    response_format: Type.Optional(oneOf(FORMATS, { default: 'mp3' })),
    speed: Type.Optional(Type.Number({ minimum: 0.25, maximum: 4, default: 1 })),
    stream_format: Type.Optional(
      oneOf(['audio', 'sse'], { default: 'audio', description: '`sse`: events that carry the audio in base64' }),
    ),
    instructions: Type.Optional(Type.String({ description: 'Accepted and ignored; `x-ignored-fields` says so' })),
  },
  { $id: 'OpenAISpeechRequest' },
);
export type SpeechRequest = Static<typeof SpeechRequest>;

export function speechOrder(body: SpeechRequest, key: KeyRecord, catalogue: ServerDeps['catalogue']): HttpOrder {
  const { voice = DEFAULT_VOICE, response_format: format = 'mp3', speed = 1, stream_format: streamFormat } = body;
  const input = spokenInput(body.input, 'input', MAX_INPUT_CHARS);
  const speaker = namedSpeaker(catalogue, key, {
    model: body.model,
    modelParam: 'model',
    modelAlias,
    voice: typeof voice === 'string' ? voice : voice.id,
    voiceParam: 'voice',
    voiceAliases: VOICE_ALIASES,
    language: detectLanguage(input.text),
  });
  const events = streamFormat === 'sse';
  const whole = format === 'wav' && !events && input.chars <= WHOLE_WAV_CHARS;
  return {
    ...speaker,
    input,
    speed,
    headers: { 'x-voice': speaker.voice },
    whole: whole ? answerSize(input, { speed, bytesPerSecond: bytesPerSecond(format) }) : undefined,
    async body() {
      if (whole) return pcmBody('wav');
      const encoder = await createEncoder(format);
      return events ? eventBody(encoder, input.chars) : encodedBody(encoder);
    },
  };
}
