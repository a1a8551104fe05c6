/** The pages for people: /docs and /openapi.json out of the same schemas that validate, and the WebSocket's protocol. */
import type { FastifyInstance } from 'fastify';
import type { ForeignDoor } from '../foreign-door.js';
import { streamInputPage } from './stream-input-page.js';

const DESCRIPTION =
  'Text to speech: complete text over HTTP, text as it is written over a WebSocket, whose messages are described ' +
  'on [a page of their own](/docs/stream-input). Clients made for [OpenAI](/docs/openai) or ' +
  '[ElevenLabs](/docs/elevenlabs) have doors that speak as they do.';

/** Called on the application itself, not registered: Swagger has to see the routes of the other doors. */
export async function addPages(app: FastifyInstance, doors: readonly ForeignDoor[]): Promise<void> {
  const [{ default: swagger }, { default: swaggerUi }] = await Promise.all([
    import('@fastify/swagger'),
    import('@fastify/swagger-ui'),
  ]);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'tts', version: 'v1', description: DESCRIPTION },
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
      tags: [{ name: 'speech' }, { name: 'admin' }, { name: 'playground' }, { name: 'operations' }],
    },
  });
  await app.register(swaggerUi, { routePrefix: '/docs', staticCSP: true, logLevel: 'silent' });
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  const pages = [{ path: '/docs/stream-input', html: streamInputPage }, ...doors.map(({ page }) => page)];
  for (const { path, html } of pages) {
    const page = html();
    app.get(path, { schema: { hide: true } }, async (_request, reply) =>
      reply
        .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
        .type('text/html; charset=utf-8')
        .send(page),
    );
  }
}
