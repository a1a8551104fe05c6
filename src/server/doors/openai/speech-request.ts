/** The body of a speech request in OpenAI's dialect: its schema, and the order made of it. */
import type { Static } from 'typebox';
import type { KeyRecord } from '../../../accounts/types.js';
import { createEncoder } from '../../../audio/encoder.js';
import { bytesPerSecond } from '../../../audio/format.js';
import { DEFAULT_VOICE } from '../../../protocol/contract.js';
import { DELIVERY_STYLES } from '../../../protocol/delivery/delivery.js';
import { preferredDelivery, preferredPart, prefersWholeSentences } from '../../../protocol/delivery/preference.js';
import { TtsError } from '../../../protocol/errors.js';
import { oneOf } from '../../../protocol/one-of.js';
import { Type } from '../../../protocol/schema.js';
import { detectLanguage } from '../../../text/detect-language.js';
import type { ServerDeps } from '../../deps.js';
import { namedSpeaker } from '../../foreign-names.js';
import { answerSize } from '../../speech/answer-size.js';
import { encodedBody } from '../../speech/encoded-body.js';
import type { SpeechOrder } from '../../speech/speech-order.js';
import type { HttpOrder } from '../../speech/speech-reply.js';
import { type SpokenInput, spokenInput } from '../../speech/spoken-input.js';
import { eventBody } from './event-body.js';
import { instructed } from './instructions.js';
import { modelAlias, VOICE_ALIASES } from './names.js';

const MAX_INPUT_CHARS = 4_096;
const MIN_SPEED = 0.25;
const MAX_SPEED = 4;
export const FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;
/** A WAV this short is made before its header leaves: some players need the true length. */
const WHOLE_WAV_CHARS = 300;

/** Fields that both ways to speech have. */
export const SPOKEN_FIELDS = {
  model: Type.String({ description: '`tts-1`, `tts-1-hd`, `gpt-4o-mini-tts`, `kokoro`, or one of ours' }),
  input: Type.String({
    description: `1 to ${MAX_INPUT_CHARS} characters once surrounding white space (Unicode's White_Space) is removed, with something to say among them`,
  }),
  voice: Type.Optional(
    Type.Union([Type.String(), Type.Object({ id: Type.String() })], {
      default: DEFAULT_VOICE,
      description:
        'A name of OpenAI\'s in any case, which speaks the language of the text, an id of ours or of Kokoro, or a mix such as `af_heart(2)+bm_george(1)`; plain or as `{"id": …}`',
    }),
  ),
  response_format: Type.Optional(oneOf(FORMATS, { default: 'mp3' })),
  speed: Type.Optional(
    Type.Union([Type.Number(), Type.String()], {
      default: 1,
      description: `From ${MIN_SPEED} to ${MAX_SPEED}, as a number or as text`,
    }),
  ),
  stream: Type.Optional(
    Type.Boolean({
      default: true,
      description: '`false`: sent when all of it is made, as a file that tells its length',
    }),
  ),
};

export const SpeechRequest = Type.Object(
  {
    ...SPOKEN_FIELDS,
    stream_format: Type.Optional(
      oneOf(['audio', 'sse'], { default: 'audio', description: '`sse`: events that carry the audio in base64' }),
    ),
    timestamp_granularities: Type.Optional(
      Type.Array(oneOf(['word']), {
        description: '`["word"]`, with `stream_format: "sse"`: the events tell when each word is heard',
      }),
    ),
    instructions: Type.Optional(
      Type.String({
        description: `May name a style: ${DELIVERY_STYLES.join(', ')}; other words change nothing, and \`x-ignored-fields\` says so`,
      }),
    ),
  },
  { $id: 'OpenAISpeechRequest' },
);
export type SpeechRequest = Static<typeof SpeechRequest>;

type SpokenFields = Pick<SpeechRequest, keyof typeof SPOKEN_FIELDS>;
type Spoken = Pick<SpeechOrder, 'model' | 'voice'> & {
  readonly input: SpokenInput;
  readonly speed: number;
  readonly headers: Readonly<Record<string, string>>;
};

/** What is spoken, by whom and how fast. */
export function spokenBy(body: SpokenFields, key: KeyRecord, catalogue: ServerDeps['catalogue']): Spoken {
  const { model, voice = DEFAULT_VOICE } = body;
  if (model === '') {
    throw new TtsError('missing_field', 'You must provide a model: the field "model" is empty.', { param: 'model' });
  }
  const input = spokenInput(body.input, 'input', MAX_INPUT_CHARS);
  const speaker = namedSpeaker(catalogue, key, {
    model,
    modelParam: 'model',
    modelAlias,
    voice: typeof voice === 'string' ? voice : voice.id,
    voiceParam: 'voice',
    voiceAliases: VOICE_ALIASES,
    language: detectLanguage(input.text),
  });
  return { ...speaker, input, speed: speedOf(body.speed), headers: { 'x-voice': speaker.voice } };
}

/** Some clients send "1.0". Throws `invalid_value` beyond the bounds. */
function speedOf(given: number | string = 1): number {
  const speed = typeof given === 'string' && given.trim() === '' ? Number.NaN : Number(given);
  if (speed >= MIN_SPEED && speed <= MAX_SPEED) return speed;
  throw new TtsError('invalid_value', `The field "speed" must be a number from ${MIN_SPEED} to ${MAX_SPEED}.`, {
    param: 'speed',
  });
}

interface Surroundings {
  readonly catalogue: ServerDeps['catalogue'];
  /** The header of that name. */
  readonly prefer?: string | string[] | undefined;
}

export function speechOrder(body: SpeechRequest, key: KeyRecord, { catalogue, prefer }: Surroundings): HttpOrder {
  const { response_format: format = 'mp3', stream = true, timestamp_granularities: times = [] } = body;
  const spoken = spokenBy(body, key, catalogue);
  const { input, speed } = spoken;
  const events = body.stream_format === 'sse';
  const words = times.length > 0;
  if (words && !events) {
    const message =
      'The field "timestamp_granularities" needs "stream_format": "sse": audio alone has no place for times.';
    throw new TtsError('invalid_value', message, { param: 'timestamp_granularities' });
  }
  const { style, isAll } = instructed(body.instructions);
  const whole = !events && (!stream || (format === 'wav' && input.chars <= WHOLE_WAV_CHARS));
  return {
    ...spoken,
    ...preferredDelivery(prefer),
    ...(style && { style }),
    ...(prefersWholeSentences(prefer) && { unheard: true }),
    part: preferredPart(prefer),
    ...(!isAll && { unused: ['instructions'] }),
    whole: whole ? answerSize(input, { speed, bytesPerSecond: bytesPerSecond(format) }) : undefined,
    async body() {
      const encoder = await createEncoder(format, { wholePackets: !whole });
      return events ? eventBody(encoder, { chars: input.chars, words }) : encodedBody(encoder);
    },
  };
}
