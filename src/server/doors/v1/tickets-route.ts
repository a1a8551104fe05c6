/** POST /v1/stream-tickets: what a browser opens a WebSocket with, in place of the key. */
import type { FastifyInstance } from 'fastify';
import { isMix } from '../../../models/voice-mix.js';
import { TICKETS_PATH } from '../../../protocol/contract.js';
import { ErrorResponse, StreamTicket, StreamTicketRequest } from '../../../protocol/http.js';
import { behind, type ServerParts } from '../../door.js';
import { checkBodyHeaders } from '../../json-body.js';

const DESCRIPTION =
  'A browser cannot send headers with a WebSocket handshake. Ask for a ticket where the key is (with the voice and the query ' +
  'of the session to come), then open the stream-input address with two subprotocols: `tts.v1` and `tts.ticket.<ticket>`. ' +
  'A ticket is good once, for 30 seconds, for that session.';

export function addTickets(app: FastifyInstance, { tickets, catalogue, authenticate }: ServerParts): void {
  app.post<{ Body: StreamTicketRequest }>(
    behind('/v1', TICKETS_PATH),
    {
      schema: {
        operationId: 'createStreamTicket',
        summary: 'Make a ticket for a WebSocket session in a browser',
        description: DESCRIPTION,
        tags: ['speech'],
        security: [{ bearer: [] }],
        body: StreamTicketRequest,
        response: { 200: StreamTicket, '4xx': ErrorResponse, '5xx': ErrorResponse },
      },
      onRequest: [authenticate, checkBodyHeaders],
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      const { voice = '' } = request.body;
      // The contract's sessions speak voices of the catalogue alone.
      if (isMix(voice)) catalogue.get('base-tts', voice, 'voice');
      return tickets.answer(request.key, request.body);
    },
  );
}
