/** The headers that browsers go by: what a page may load, and which origins may call. */
import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';
import { excerpt, TtsError } from '../protocol/errors.js';
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
  'mcp-session-id',
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
  refuseOtherOrigins(app, corsOrigins);
  if (corsOrigins.length === 0) return;
  const options = {
    origin: corsOrigins.includes('*') ? '*' : [...corsOrigins],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 86_400,
    strictPreflight: false,
  };
  await app.register(cors, {
    delegator: (request, done) => {
      const { corsHeaders = [], corsMethods = [] } = doorOf(doors, request.raw.url ?? '') ?? {};
      const methods = ['GET', 'HEAD', 'POST', ...corsMethods];
      done(null, { ...options, methods, allowedHeaders: [...ALLOWED_HEADERS, ...corsHeaders] });
    },
  });
}

/** Origins that the log has named; more than these are not told apart. */
const MAX_LOGGED_ORIGINS = 20;

/**
 * Answers a preflight of an origin that may not call: its browser tells the page nothing but that
 * it failed, so the answer and the log say what the operator can do.
 */
function refuseOtherOrigins(app: FastifyInstance, corsOrigins: readonly string[]): void {
  const logged = new Set<string>();
  app.addHook('onRequest', async ({ method, headers, log }) => {
    const { origin } = headers;
    const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
    if (!isPreflight || origin === undefined || corsOrigins.includes('*') || corsOrigins.includes(origin)) return;
    const named = excerpt(origin);
    const advice = `Its operator allows them with --cors-origin ${named}`;
    if (logged.size < MAX_LOGGED_ORIGINS && !logged.has(named)) {
      logged.add(named);
      log.warn({ origin: named, advice: `--cors-origin ${named}` }, 'pages of an origin may not call this server');
    }
    throw new TtsError('foreign_origin', `Pages of ${named} may not call this server. ${advice}.`);
  });
}
