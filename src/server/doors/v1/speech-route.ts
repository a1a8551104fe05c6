/** POST /v1/audio/speech: complete text in, audio out, whole or while it is made. */
import type { FastifyPluginAsync } from 'fastify';
import { bytesPerSecond } from '../../../audio/format.js';
import { MAX_BODY_BYTES, SPEECH_PATH } from '../../../protocol/contract.js';
import { ErrorResponse, SpeechRequest } from '../../../protocol/http.js';
import { prefersWholeSentences } from '../../../protocol/preference.js';
import type { DoorOptions } from '../../deps.js';
import { ignoredFields } from '../../ignored-fields.js';
import { checkBodyHeaders, takeJson } from '../../json-body.js';
import { answerSize } from '../../speech/answer-size.js';
import { pcmBody } from '../../speech/pcm-body.js';
import { SpeechReply } from '../../speech/speech-reply.js';
import { KNOWN_FIELDS, parseSpeechRequest } from './speech-request.js';

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

/** Headers are checked one by one in the decided order: key, media type, size. The body is read after all of them. */
export const speechRoute: FastifyPluginAsync<DoorOptions> = async (app, door) => {
  const { deps, settings, authenticate, admit } = door;

  takeJson(app);

  app.post<{ Body: SpeechRequest }>(
    SPEECH_PATH,
    {
      bodyLimit: MAX_BODY_BYTES,
      schema: SCHEMA,
      config: { speechRoute: 'speech' },
      onRequest: [
        async (_request, reply) => {
          reply.header('server-timing', 'queue;dur=0, text;dur=0, synth;dur=0');
        },
        authenticate,
        checkBodyHeaders,
      ],
    },
    async (request, reply) => {
      const spoken = parseSpeechRequest(request.body, deps.catalogue);
      request.log.debug({ model: spoken.model, chars: spoken.input.chars, stream: spoken.stream }, 'speech request');
      const ignored = ignoredFields(request.body, KNOWN_FIELDS);
      if (ignored !== undefined) reply.header('x-ignored-fields', ignored);
      const { model, voice, input, stream, format } = spoken;
      const grant = await admit(request, reply, {
        route: 'speech',
        model,
        voice,
        input,
        whole: stream ? undefined : answerSize(input, { bytesPerSecond: bytesPerSecond('pcm') }),
        unheard: !stream || prefersWholeSentences(request.headers.prefer),
      });
      const { text, chars } = input;
      const body = () => pcmBody(format);
      return new SpeechReply({ request, reply, text, chars, stream, body, grant, settings, stop: deps.shutdown }).run();
    },
  );
};
