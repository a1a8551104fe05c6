/** GET /v1/voices: the catalogue of one model, for any valid key, engine or no engine. */
import type { FastifyInstance } from 'fastify';
import { type SpeechModel, VOICES_PATH } from '../../../protocol/contract.js';
import { ErrorResponse, VoiceCatalog, VoicesQuery } from '../../../protocol/http.js';
import { behind, type ServerParts } from '../../door.js';
import { refuseForeignNames } from '../../families.js';
import { voiceCatalog } from '../../voice-catalog.js';

export function addVoices(app: FastifyInstance, parts: ServerParts): void {
  const { catalogue, authenticate } = parts;
  // One body for each model, written when the catalogue has changed. Strings, because Node sends
  // headers and a string in one write.
  const bodies = new Map<string, { readonly version: string; readonly body: string }>();
  const bodyOf = (model: SpeechModel): string => {
    const { version } = catalogue;
    const known = bodies.get(model);
    if (known?.version === version) return known.body;
    const body = JSON.stringify(voiceCatalog(catalogue, model));
    bodies.set(model, { version, body });
    return body;
  };

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
      preValidation: async ({ query }) => refuseForeignNames(query, parts),
    },
    async (request, reply) => {
      return reply.type('application/json; charset=utf-8').send(bodyOf(request.query.model));
    },
  );
}
