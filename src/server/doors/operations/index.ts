/** Health, readiness and metrics, for an operator's tools. They need no key. */
import type { FastifyInstance } from 'fastify';
import { TtsError } from '../../../protocol/errors.js';
import { ErrorResponse } from '../../../protocol/http.js';
import type { Door, ServerParts } from '../../door.js';

const STATUS = { type: 'object', properties: { status: { type: 'string' } } };
const READY = {
  type: 'object',
  properties: {
    status: { type: 'string' },
    unusable: { type: 'string', description: 'Which workers cannot be used and why; absent where all can' },
  },
};

export const OPERATIONS: Door = { prefix: '', routes };

/** Probes come every few seconds for ever: their log lines would bury the others. */
function routes(app: FastifyInstance, { gateway, metrics, shutdown, settings }: ServerParts): void {
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
        summary: 'Is there a worker that can be used?',
        tags: ['operations'],
        response: { 200: READY, 503: ErrorResponse },
      },
    },
    async () => {
      if (shutdown.aborted) throw new TtsError('shutting_down', 'The server is stopping.', { retryAfterS: 5 });
      const { ready, readiness } = gateway;
      if (!ready) throw new TtsError('no_worker_ready', readiness, { retryAfterS: 2 });
      return { status: 'ready', ...(readiness !== '' && { unusable: readiness }) };
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
}
