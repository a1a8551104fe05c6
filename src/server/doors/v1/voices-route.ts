/** GET /v1/voices: the catalogue of one model, for any valid key, engine or no engine. */
import type { FastifyInstance } from 'fastify';
import { SPEECH_MODELS, VOICES_PATH } from '../../../protocol/contract.js';
import { ErrorResponse, VoiceCatalog, VoicesQuery } from '../../../protocol/http.js';
import { behind, type ServerParts } from '../../door.js';
import { voiceCatalog } from '../../voice-catalog.js';

export function addVoices(app: FastifyInstance, { catalogue, authenticate }: ServerParts): void {
  // The catalogue does not change while the server runs. Strings, because Node sends headers and a
  // string in one write.
  const bodies = new Map<string, string>(
    SPEECH_MODELS.map((model) => [model, JSON.stringify(voiceCatalog(catalogue, model))]),
  );

  app.get<{ Querystring: VoicesQuery }>(
    behind('/v1', VOICES_PATH),
    {
      schema: {
        operationId: 'listVoices',
        summary: 'List the voices of a model',
        tags: ['speech'],
        security: [{ bearer: [] }],
        querystring: VoicesQuery,
        response: { 200: VoiceCatalog, '4xx': ErrorResponse },
      },
      onRequest: authenticate,
    },
    async (request, reply) => {
      const body = bodies.get(request.query.model)!;
      return reply.type('application/json; charset=utf-8').send(body);
    },
  );
}
