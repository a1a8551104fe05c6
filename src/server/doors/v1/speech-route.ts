/** POST /v1/audio/speech: complete text in, audio out, buffered or while it is made. */
import type { FastifyInstance } from 'fastify';
import { bytesPerSecond } from '../../../audio/format.js';
import { DEFAULT_VOICE, MAX_INPUT_CHARS, parseModel, SPEECH_PATH } from '../../../protocol/contract.js';
import { preferredPart, prefersWholeSentences } from '../../../protocol/delivery/preference.js';
import { TtsError } from '../../../protocol/errors.js';
import { ErrorResponse, SpeechRequest, type Voice } from '../../../protocol/http.js';
import { behind, type ServerParts } from '../../door.js';
import { refuseForeignNames } from '../../families.js';
import { answerSize } from '../../speech/answer-size.js';
import { pcmBody } from '../../speech/pcm-body.js';
import { addSpeechRoute } from '../../speech/speech-endpoint.js';
import { spokenInput } from '../../speech/spoken-input.js';

const DESCRIPTION =
  'The audio is 24 kHz, 16-bit, mono. Check the status before treating the body as audio: a failure before the first ' +
  'sample is a JSON error; a failure after it breaks the connection, and what came is not the whole. Text in which ' +
  'nothing can be spoken (emoji, zero-width signs, other scripts alone) is 400 `empty_input`, and costs nothing. ' +
  'Each `:free` model has limits of its own for each key, sessions at once and requests a day (00:00 to 24:00 UTC); ' +
  'beyond them the answer is 429 with `Retry-After`.';

const rateLimit = (description: string) => ({ type: 'integer', description: `Free access: ${description}` });

const SCHEMA = {
  operationId: 'createSpeech',
  summary: 'Generate speech',
  description: DESCRIPTION,
  tags: ['speech'],
  security: [{ bearer: [] }],
  body: SpeechRequest,
  response: {
    200: {
      description: 'The audio',
      headers: {
        'x-usage-input-characters': { type: 'integer', description: 'Characters of the trimmed text' },
        'x-request-id': { type: 'string' },
        'x-ratelimit-limit-requests': rateLimit('requests a day that the key has on this model'),
        'x-ratelimit-remaining-requests': rateLimit('those of them that are left today'),
        'x-ratelimit-reset-requests': rateLimit('seconds until the count begins again'),
      },
      content: {
        'audio/wav': { schema: { type: 'string', format: 'binary' } },
        'audio/pcm': { schema: { type: 'string', format: 'binary' } },
      },
    },
    '4xx': ErrorResponse,
    '5xx': ErrorResponse,
  },
};

export function addSpeech(app: FastifyInstance, parts: ServerParts): void {
  addSpeechRoute<{ Body: SpeechRequest }>(app, parts, {
    path: behind('/v1', SPEECH_PATH),
    route: 'speech',
    schema: SCHEMA,
    first: async (_request, reply) => {
      reply.header('server-timing', 'queue;dur=0, text;dur=0, synth;dur=0');
    },
    look: (body) => refuseForeignNames(body, parts),
    order({ body, headers }) {
      const { model, voice = DEFAULT_VOICE, stream = false, response_format: format = 'wav', language = 'auto' } = body;
      const input = spokenInput(body.input, 'input', MAX_INPUT_CHARS);
      checkLanguage(language, parts.catalogue.get(parseModel(model).base, voice).voice);
      return {
        model,
        voice,
        input,
        whole: stream ? undefined : answerSize(input, { bytesPerSecond: bytesPerSecond('pcm') }),
        unheard: !stream || prefersWholeSentences(headers.prefer),
        part: preferredPart(headers.prefer),
        body: () => pcmBody(format),
      };
    },
  });
}

/** A voice speaks one language, which a request may name. */
function checkLanguage(language: string, { id, language: spoken }: Voice): void {
  if (language === 'auto' || language === spoken) return;
  throw new TtsError(
    'invalid_value',
    `The field "language" must be one of auto, ${spoken}: the voice ${id} speaks no other.`,
    { param: 'language' },
  );
}
