/** What an operator's tools ask: is the process alive, can it speak, how is it doing. No key needed. */
import type { FastifyInstance } from 'fastify';
import { TtsError } from '../../protocol/errors.js';
import { ErrorResponse } from '../../protocol/http.js';
import { STREAM_PATH } from '../../protocol/stream.js';
import type { ServerDeps, ServerSettings } from '../deps.js';
import { notFound } from '../error-handler.js';
import { voiceInPath } from '../upgrades.js';

const STATUS = { type: 'object', properties: { status: { type: 'string' } } };

export function operationsRoutes(app: FastifyInstance, deps: ServerDeps, settings: ServerSettings): void {
  const { gateway, metrics, shutdown } = deps;
  // Probes come every few seconds for ever: their lines would bury the others.

  app.get(
    '/healthz',
    {
      logLevel: 'warn',
      schema: { summary: 'Is the process serving?', tags: ['operations'], response: { 200: STATUS } },
    },
    async () => ({ status: 'ok' }),
  );

  app.get(
    '/readyz',
    {
      logLevel: 'warn',
      schema: {
        summary: 'Can a worker take work?',
        tags: ['operations'],
        response: { 200: STATUS, 503: ErrorResponse },
      },
    },
    async () => {
      if (shutdown.aborted) throw new TtsError('shutting_down', 'The server is stopping.', { retryAfterS: 5 });
      if (!gateway.ready) throw new TtsError('no_worker_ready', 'No speech engine is ready yet.', { retryAfterS: 2 });
      return { status: 'ready' };
    },
  );

  if (settings.metrics) {
    app.get(
      '/metrics',
      { logLevel: 'warn', schema: { summary: 'Prometheus metrics', tags: ['operations'] } },
      async (_request, reply) => {
        reply.type(metrics.contentType);
        return metrics.text();
      },
    );
  }

  app.get(
    STREAM_PATH,
    {
      schema: {
        operationId: 'streamInput',
        summary: 'Stream text to speech (WebSocket)',
        description:
          'Upgrade to a WebSocket: text goes in as JSON messages while audio comes back. A plain GET is 426.',
        tags: ['speech'],
        response: { 426: ErrorResponse },
      },
    },
    async (request) => {
      // The router takes an empty voice for a voice.
      if (voiceInPath(request.url.split('?', 1)[0]!) === undefined) throw notFound(request);
      throw new TtsError('upgrade_required', 'This path speaks WebSocket: connect with ws:// or wss:// instead.');
    },
  );
}
