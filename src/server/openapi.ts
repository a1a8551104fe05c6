/** The OpenAPI document, collected from the schemas of all routes. */
import type { FastifyInstance } from 'fastify';

/** Who speaks without a key, in the words that every page of /docs uses. */
export const LOCAL_USER =
  "**The machine's own user.** Requests to `/v1` need a key, always. On a loopback address the playground, with its " +
  'tickets, and the commands beside a running server (`tts speak`) need none: they speak as the key `local`, which ' +
  'pays nothing, shows in the usage ledger (`tts usage --key local`) and in the dashboard as "this machine". ' +
  'Any other address, `--allowed-hosts` and `--web key` end that for the playground.';

const DESCRIPTION =
  'Text to speech: complete text over HTTP, text as it is written over a WebSocket, whose messages are described ' +
  'on [a page of their own](/docs/stream-input). Clients made for [OpenAI](/docs/openai) or ' +
  '[ElevenLabs](/docs/elevenlabs) have doors that speak as they do.\n\n' +
  LOCAL_USER;

/** To be called before the routes are added; `app.swagger()` gives the document. */
export async function describeRoutes(app: FastifyInstance): Promise<void> {
  const { default: swagger } = await import('@fastify/swagger');
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'tts', version: 'v1', description: DESCRIPTION },
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
      tags: [
        { name: 'speech' },
        { name: 'jobs' },
        { name: 'admin' },
        { name: 'playground', description: LOCAL_USER },
        { name: 'operations' },
      ],
    },
  });
}
