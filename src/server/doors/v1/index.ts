/** The contract's door: everything under /v1. The WebSocket behind its third route is opened by `upgrades.ts`. */
import type { FastifyPluginAsync } from 'fastify';
import { TtsError } from '../../../protocol/errors.js';
import { ErrorResponse } from '../../../protocol/http.js';
import { STREAM_PATH } from '../../../protocol/stream.js';
import type { DoorOptions } from '../../deps.js';
import { notFound } from '../../error-handler.js';
import { parameterIn } from '../../sockets/upgrades.js';
import { speechRoute } from './speech-route.js';
import { ticketsRoute } from './tickets-route.js';
import { voicesRoute } from './voices-route.js';

export const v1: FastifyPluginAsync<DoorOptions> = async (app, door) => {
  await app.register(speechRoute, door);
  await app.register(voicesRoute, door);
  await app.register(ticketsRoute, door);
  await app.register(streamInputRoute);
};

const streamInputRoute: FastifyPluginAsync = async (app) => {
  app.get(
    STREAM_PATH,
    {
      schema: {
        operationId: 'streamInput',
        summary: 'Stream text to speech (WebSocket)',
        description:
          'Upgrade to a WebSocket: text goes in as JSON messages while audio comes back ([every message](/docs/stream-input)). ' +
          'A plain GET is 426.',
        tags: ['speech'],
        response: { 426: ErrorResponse },
      },
    },
    async (request) => {
      // The router takes an empty voice for a voice.
      if (parameterIn(request.url.split('?', 1)[0]!, STREAM_PATH) === undefined) throw notFound(request);
      throw new TtsError('upgrade_required', 'This path speaks WebSocket: connect with ws:// or wss:// instead.');
    },
  );
};
