/** GET /v1/voices: the catalogue of one model, for any valid key, engine or no engine. */
import type { FastifyPluginAsync } from 'fastify';
import { parseModel, SPEECH_MODELS, VOICES_PATH } from '../../../protocol/contract.js';
import { ErrorResponse, VoiceCatalog, VoicesQuery } from '../../../protocol/http.js';
import type { DoorOptions } from '../../deps.js';

export const voicesRoute: FastifyPluginAsync<DoorOptions> = async (app, { deps: { catalogue }, authenticate }) => {
  // The catalogue does not change while the server runs: four bodies, written once. Strings, because headers and a
  // string leave in one write.
  const bodies = new Map<string, string>(
    SPEECH_MODELS.map((model) => {
      const data = catalogue.voices(parseModel(model).base);
      const catalog: VoiceCatalog = { object: 'list', model, catalog_version: catalogue.version, data: [...data] };
      return [model, JSON.stringify(catalog)];
    }),
  );

  app.get<{ Querystring: VoicesQuery }>(
    VOICES_PATH,
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
};
