/** The headers that browsers go by: what a page may load, and which origins may call. */
import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';
import { type Door, doorOf } from './door.js';
import type { ServerSettings } from './settings.js';

const ALLOWED_HEADERS = ['authorization', 'content-type', 'xi-api-key', 'x-request-id'];
const EXPOSED_HEADERS = [
  'x-request-id',
  'x-usage-input-characters',
  'x-ignored-fields',
  'x-voice',
  'server-timing',
  'retry-after',
  'location',
  'etag',
  'content-range',
  ...['limit', 'remaining', 'reset'].map((name) => `x-ratelimit-${name}-requests`),
];

export async function addBrowserHeaders(
  app: FastifyInstance,
  { corsOrigins, tls }: ServerSettings,
  doors: readonly Door[],
): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
    },
    strictTransportSecurity: tls !== undefined,
    crossOriginResourcePolicy: { policy: corsOrigins.length > 0 ? 'cross-origin' : 'same-origin' },
  });
  if (corsOrigins.length === 0) return;
  const options = {
    origin: corsOrigins.includes('*') ? '*' : [...corsOrigins],
    methods: ['GET', 'HEAD', 'POST', 'DELETE'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 86_400,
    strictPreflight: false,
  };
  await app.register(cors, {
    delegator: (request, done) => {
      const more = doorOf(doors, request.raw.url ?? '')?.corsHeaders ?? [];
      done(null, { ...options, allowedHeaders: [...ALLOWED_HEADERS, ...more] });
    },
  });
}
