/** POST /v1/audio/speech: complete text in, audio out, whole or while it is made. */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimit } from '../../accounts/types.js';
import { MAX_BODY_BYTES, SPEECH_PATH } from '../../protocol/contract.js';
import { TtsError } from '../../protocol/errors.js';
import { ErrorResponse, SpeechRequest } from '../../protocol/http.js';
import type { DoorOptions } from '../deps.js';
import type { Grant } from '../grants.js';
import { checkBodyHeaders, takeJson } from '../json-body.js';
import { SpeechReply } from './speech-reply.js';
import { ignoredFields, parseSpeechRequest, type SpokenRequest } from './speech-request.js';

const DESCRIPTION =
  'The audio is 24 kHz, 16-bit, mono. Check the status before treating the body as audio: a failure before the first ' +
  'sample is a JSON error; a failure after it breaks the connection, and what came is not the whole.';

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
  const { deps, settings, authenticate, grants } = door;
  takeJson(app);

  async function open(request: FastifyRequest, reply: FastifyReply, spoken: SpokenRequest): Promise<Grant> {
    const { model, voice, chars, stream } = spoken;
    const order = { route: 'speech', key: request.key, requestId: request.id, model, voice, chars } as const;
    try {
      const grant = await grants.open({ ...order, whole: !stream });
      request.granted = true;
      if (grant.admission.rateLimit !== undefined) reply.headers(rateLimitHeaders(grant.admission.rateLimit));
      return grant;
    } catch (error) {
      if (error instanceof TtsError && error.code === 'daily_limit_exceeded') {
        const { retryAfterS: resetS = 0 } = error;
        const limit = request.key.limits.freeDaily ?? deps.accounts.limits.freeDaily;
        reply.headers(rateLimitHeaders({ limit, remaining: 0, resetS }));
      }
      throw error;
    }
  }

  app.post<{ Body: SpeechRequest }>(
    SPEECH_PATH,
    {
      bodyLimit: MAX_BODY_BYTES,
      schema: SCHEMA,
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
      request.log.debug({ model: spoken.model, chars: spoken.chars, stream: spoken.stream }, 'speech request');
      const ignored = ignoredFields(request.body);
      if (ignored !== undefined) reply.header('x-ignored-fields', ignored);
      const grant = await open(request, reply, spoken);
      return new SpeechReply({ request, reply, spoken, grant, settings, stop: deps.shutdown }).run();
    },
  );
};

const rateLimitHeaders = ({ limit, remaining, resetS }: RateLimit) => ({
  'x-ratelimit-limit-requests': limit,
  'x-ratelimit-remaining-requests': remaining,
  'x-ratelimit-reset-requests': resetS,
});
