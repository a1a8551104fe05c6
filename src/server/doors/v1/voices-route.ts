/** GET /v1/voices: the catalogue of one model, for any valid key, engine or no engine. */
import type { FastifyPluginAsync } from 'fastify';
import { parseModel, type SpeechModel, VOICES_PATH } from '../../../protocol/contract.js';
import { ErrorResponse, VoiceCatalog, VoicesQuery } from '../../../protocol/http.js';
import type { DoorOptions } from '../../deps.js';

export const voicesRoute: FastifyPluginAsync<DoorOptions> = async (app, { deps: { catalogue }, authenticate }) => {
  // One body for each model, written when the catalogue has changed. Strings, because headers and a
  // string leave in one write.
  const bodies = new Map<string, { readonly version: string; readonly body: string }>();
  const bodyOf = (model: SpeechModel): string => {
    const { version } = catalogue;
    const known = bodies.get(model);
    if (known?.version === version) return known.body;
    const data = [...catalogue.voices(parseModel(model).base)];
    const catalog: VoiceCatalog = { object: 'list', model, catalog_version: version, data };
    const body = JSON.stringify(catalog);
    bodies.set(model, { version, body });
    return body;
  };

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
      return reply.type('application/json; charset=utf-8').send(bodyOf(request.query.model));
    },
  );
};
