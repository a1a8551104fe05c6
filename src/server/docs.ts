/** /openapi.json and /docs, out of the same schemas that validate. */
import type { FastifyInstance } from 'fastify';

export async function registerDocs(app: FastifyInstance): Promise<void> {
  const [{ default: swagger }, { default: swaggerUi }] = await Promise.all([
    import('@fastify/swagger'),
    import('@fastify/swagger-ui'),
  ]);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'tts',
        version: 'v1',
        description: 'Text to speech: complete text over HTTP, text as it is written over a WebSocket.',
      },
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
      tags: [{ name: 'speech' }, { name: 'operations' }],
    },
  });
  await app.register(swaggerUi, { routePrefix: '/docs', staticCSP: true, logLevel: 'silent' });
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
}
