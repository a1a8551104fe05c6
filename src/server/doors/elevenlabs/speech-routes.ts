/** POST /elevenlabs/v1/text-to-speech/{voice}, plain or streamed, with and without alignment. */
import type { FastifyInstance } from 'fastify';
import { type AudioEncoder, createEncoder } from '../../../audio/encoder.js';
import { type AudioFormat, audioSpec, bytesPerSecond } from '../../../audio/format.js';
import type { ServerParts } from '../../door.js';
import type { AnswerShape } from '../../speech/answer-size.js';
import { answerSize } from '../../speech/answer-size.js';
import { encodedBody } from '../../speech/encoded-body.js';
import { addSpeechRoute } from '../../speech/speech-endpoint.js';
import type { SpeechBody } from '../../speech/speech-reply.js';
import { type SpokenInput, spokenInput } from '../../speech/spoken-input.js';
import type { Dictionaries } from './dictionaries.js';
import { outputFormat } from './names.js';
import { MAX_TEXT_CHARS, namedVoice, SpeechQuery, SpeechRequest, seedOf, speedOf } from './speech-request.js';
import { timedLines, timedObject, timedObjectSize } from './timed-body.js';

interface Route {
  readonly path: string;
  readonly body: (encoder: AudioEncoder) => SpeechBody;
  /** How large a buffered response is; undefined where this one is sent while it is made. */
  readonly whole?: (input: SpokenInput, format: AudioFormat) => AnswerShape | undefined;
  /** Sent while it is made, but to clients that play it when it is whole. */
  readonly unheard?: boolean;
}

/** A speech this short is made before its header leaves, which then tells its length. */
const WHOLE_CHARS = 300;
const hasLength = (format: AudioFormat): boolean => ['mp3', 'wav'].includes(audioSpec(format).codec);
const wholeFile: Route['whole'] = ({ chars }, format) =>
  chars <= WHOLE_CHARS && hasLength(format) ? { bytesPerSecond: bytesPerSecond(format) } : undefined;

interface Asked {
  Body: SpeechRequest;
  Querystring: SpeechQuery;
  Params: { voice_id: string };
}

const SPEECH_PATH = '/v1/text-to-speech/:voice_id';
const ROUTES: readonly Route[] = [
  { path: SPEECH_PATH, body: encodedBody, whole: wholeFile, unheard: true },
  { path: `${SPEECH_PATH}/stream`, body: encodedBody },
  {
    path: `${SPEECH_PATH}/with-timestamps`,
    body: timedObject,
    whole: (_input, format) => timedObjectSize(format),
    unheard: true,
  },
  { path: `${SPEECH_PATH}/stream/with-timestamps`, body: timedLines },
];

export function addSpeech(app: FastifyInstance, parts: ServerParts, dictionaries: Dictionaries): void {
  for (const { path, body, whole, unheard = false } of ROUTES) {
    addSpeechRoute<Asked>(app, parts, {
      path,
      route: 'elevenlabs_speech',
      schema: { hide: true, body: SpeechRequest, querystring: SpeechQuery },
      dropsNulls: true,
      async order({ id, key, body: fields, query, params }) {
        const input = spokenInput(fields.text, 'text', MAX_TEXT_CHARS);
        const format = outputFormat(query.output_format);
        const speed = speedOf(fields.voice_settings);
        const { model_id: model, language_code: language } = fields;
        const named = namedVoice(parts.catalogue, key, { voice: params.voice_id, model, language });
        const shape = whole?.(input, format);
        return {
          ...named,
          input,
          speed,
          seed: seedOf(fields.seed),
          ...(await dictionaries.read(key, fields.pronunciation_dictionary_locators)),
          whole: shape && answerSize(input, { speed, ...shape }),
          unheard,
          body: async () => body(await createEncoder(format, { wholePackets: shape === undefined })),
          headers: { 'request-id': id, 'character-cost': input.chars, 'x-voice': named.voice },
        };
      },
    });
  }
}
