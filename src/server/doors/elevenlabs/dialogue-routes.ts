/** POST /elevenlabs/v1/text-to-dialogue: voices that take turns, as one answer and one request. */
import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import type { KeyRecord } from '../../../accounts/types.js';
import { type AudioEncoder, createEncoder } from '../../../audio/encoder.js';
import { type AudioFormat, bytesPerSecond } from '../../../audio/format.js';
import { parseModel } from '../../../protocol/contract.js';
import { TtsError } from '../../../protocol/errors.js';
import { Type } from '../../../protocol/schema.js';
import type { ServerParts } from '../../door.js';
import { type AnswerShape, answerSize } from '../../speech/answer-size.js';
import type { Turn } from '../../speech/dialogue.js';
import { encodedBody } from '../../speech/encoded-body.js';
import { addSpeechRoute } from '../../speech/speech-endpoint.js';
import type { SpeechBody } from '../../speech/speech-reply.js';
import { type SpokenInput, spokenInput } from '../../speech/spoken-input.js';
import type { Dictionaries } from './dictionaries.js';
import { outputFormat } from './names.js';
import { MAX_TEXT_CHARS, namedVoice, SpeechQuery, seedOf, speedOf } from './speech-request.js';
import { timedLines, timedObject, timedObjectSize } from './timed-body.js';
import { type NamedTurn, TurnTimes } from './turn-times.js';

/** Turns of a dialogue, and voices of it, as at ElevenLabs. */
const MAX_TURNS = 200;
const MAX_VOICES = 10;
const DEFAULT_MODEL = 'eleven_v3';
/** A dialogue this short is made before its header leaves, which then tells its length. */
const WHOLE_CHARS = 300;

export const DialogueRequest = Type.Object(
  {
    inputs: Type.Array(Type.Object({ text: Type.String(), voice_id: Type.String() }), {
      minItems: 1,
      maxItems: MAX_TURNS,
      description: `1 to ${MAX_TURNS} turns of up to ${MAX_VOICES} voices, with up to ${MAX_TEXT_CHARS} characters in all`,
    }),
    model_id: Type.Optional(Type.String({ default: DEFAULT_MODEL })),
    language_code: Type.Optional(Type.Unknown()),
    settings: Type.Optional(Type.Unknown({ description: '`speed`, as in `voice_settings`' })),
    seed: Type.Optional(Type.Unknown()),
    pronunciation_dictionary_locators: Type.Optional(Type.Unknown()),
    apply_text_normalization: Type.Optional(Type.Unknown()),
  },
  { $id: 'ElevenLabsDialogueRequest' },
);
type DialogueRequest = Static<typeof DialogueRequest>;

interface Asked {
  Body: DialogueRequest;
  Querystring: SpeechQuery;
}

interface Route {
  readonly path: string;
  readonly body: (encoder: AudioEncoder, turns: readonly NamedTurn[]) => SpeechBody;
  readonly whole?: (input: SpokenInput, format: AudioFormat) => AnswerShape | undefined;
  readonly unheard?: boolean;
}

const PATH = '/v1/text-to-dialogue';
const ROUTES: readonly Route[] = [
  {
    path: PATH,
    body: (encoder) => encodedBody(encoder),
    whole: ({ chars }, format) => (chars <= WHOLE_CHARS ? { bytesPerSecond: bytesPerSecond(format) } : undefined),
    unheard: true,
  },
  { path: `${PATH}/stream`, body: (encoder) => encodedBody(encoder) },
  {
    path: `${PATH}/with-timestamps`,
    body: (encoder, turns) => timedObject(encoder, new TurnTimes(turns)),
    whole: (_input, format) => timedObjectSize(format),
    unheard: true,
  },
  { path: `${PATH}/stream/with-timestamps`, body: (encoder, turns) => timedLines(encoder, new TurnTimes(turns)) },
];

/** All text, for its length, its characters and what is paid for. */
function inputOf({ inputs }: DialogueRequest): { readonly input: SpokenInput; readonly texts: readonly string[] } {
  const spoken = inputs.map(({ text }) => spokenInput(text, 'inputs', MAX_TEXT_CHARS));
  const all = spokenInput(spoken.map(({ text }) => text).join('\n'), 'inputs', MAX_TEXT_CHARS + MAX_TURNS);
  const chars = spoken.reduce((sum, one) => sum + one.chars, 0);
  if (chars > MAX_TEXT_CHARS) {
    const message = `The field "inputs" holds more than ${MAX_TEXT_CHARS} characters. Split it into several requests.`;
    throw new TtsError('input_too_long', message, { param: 'inputs' });
  }
  return { input: { ...all, chars }, texts: spoken.map(({ text }) => text) };
}

function speakersOf(body: DialogueRequest, key: KeyRecord, { catalogue }: ServerParts) {
  const { inputs, model_id: model = DEFAULT_MODEL, language_code: language } = body;
  if (new Set(inputs.map(({ voice_id: id }) => id)).size > MAX_VOICES) {
    throw new TtsError('invalid_value', `A dialogue has at most ${MAX_VOICES} voices.`, { param: 'inputs' });
  }
  const named = inputs.map(({ voice_id: voice }) => namedVoice(catalogue, key, { voice, model, language }));
  // One model speaks all turns: the standard one where any voice is of that alone.
  const whole = named.find((one) => parseModel(one.model).base === 'base-tts') ?? named[0]!;
  return { model: whole.model, language: whole.language, voices: named.map(({ voice }) => voice) };
}

export function addDialogue(app: FastifyInstance, parts: ServerParts, dictionaries: Dictionaries): void {
  for (const { path, body, whole, unheard = false } of ROUTES) {
    addSpeechRoute<Asked>(app, parts, {
      path,
      route: 'elevenlabs_dialogue',
      schema: { hide: true, body: DialogueRequest, querystring: SpeechQuery },
      dropsNulls: true,
      async order({ id, key, body: fields, query }) {
        const { input, texts } = inputOf(fields);
        const { model, language, voices } = speakersOf(fields, key, parts);
        const format = outputFormat(query.output_format);
        const speed = speedOf(fields.settings);
        const turns: Turn[] = texts.map((text, at) => ({ text, voice: voices[at]! }));
        const named = fields.inputs.map(({ voice_id: voiceId }, at) => ({ voiceId, chars: [...texts[at]!].length }));
        const shape = whole?.(input, format);
        return {
          model,
          voice: voices[0]!,
          language,
          input,
          turns,
          speed,
          seed: seedOf(fields.seed),
          ...(await dictionaries.read(key, fields.pronunciation_dictionary_locators)),
          whole: shape && answerSize(input, { speed, ...shape }),
          unheard,
          body: async () => body(await createEncoder(format, { wholePackets: shape === undefined }), named),
          headers: { 'request-id': id, 'character-cost': input.chars, 'x-voice': voices[0]! },
        };
      },
    });
  }
}
