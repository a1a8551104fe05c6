/** What an operator's tools ask: is the process alive, can it speak, how is it doing. No key needed. */
import type { FastifyPluginAsync } from 'fastify';
import { TtsError } from '../protocol/errors.js';
import { ErrorResponse } from '../protocol/http.js';
import type { DoorOptions } from './deps.js';

const STATUS = { type: 'object', properties: { status: { type: 'string' } } };

export const operations: FastifyPluginAsync<DoorOptions> = async (app, { deps, settings }) => {
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
};
