/** The Fastify app without its doors: its bounds, its paths, and what a request carries. */
import type { Server } from 'node:http';
import fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify';
import type { KeyRecord } from '../accounts/types.js';
import { SILENT } from '../log.js';
import type { TtsError } from '../protocol/errors.js';
import type { TraceSpan } from '../trace.js';
import type { Connections, Exchange } from './access/connections.js';
import { originForm } from './access/hosts.js';
import { createClientErrorHandler } from './client-errors.js';
import type { ServerDeps } from './deps.js';
import type { Door } from './door.js';
import { handleError } from './error-handler.js';
import { requestIdFor } from './request-id.js';
import type { ServerSettings } from './settings.js';
import { validatorOf } from './validation.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of a route that speaks: what metrics and the request log call it. */
    speechRoute?: string;
  }
  // What belongs to one request; what belongs to the server is handed to doors as `ServerParts`.
  interface FastifyRequest {
    /** Set by the first hook; absent where Fastify could not even read the path. */
    exchange: Exchange;
    /** Set by the hook `authenticate`, on routes that have it. */
    key: KeyRecord;
    /** It got a permit, whose end is logged on its own. */
    permitted: boolean;
    /** The span of a request for speech, from its arrival to the end of its response. */
    trace: TraceSpan;
    /** Why it failed, where it did. */
    failure: TtsError | undefined;
  }
}

/** The path of a request as the routes have it. */
export type PathReader = (target: string | undefined) => string;

/** Takes doubled slashes behind the prefix of a door that forgives them for one. */
export function createPathReader(doors: readonly Door[]): PathReader {
  const prefixes = doors.filter(({ forgivesSlashes }) => forgivesSlashes).map(({ prefix }) => prefix);
  const doubled = new RegExp(`^((?:${prefixes.join('|')})(?:/v\\d)?)/{2,}`);
  return (target) => (prefixes.length === 0 ? originForm(target) : originForm(target).replace(doubled, '$1/'));
}

export interface AppOptions {
  readonly settings: ServerSettings;
  readonly readPath: PathReader;
  readonly connections: Connections;
}

/** In place of Fastify's, which load Ajv. Its types know that one's compilers alone. */
const COMPILERS = {
  buildValidator:
    () =>
    ({ schema }: { schema: object }) =>
      validatorOf(schema),
  buildSerializer: () => () => (data: unknown) => JSON.stringify(data),
} as object;

export function createApp({ log, metrics }: ServerDeps, options: AppOptions): FastifyInstance {
  const { settings, readPath, connections } = options;
  const app = fastify({
    // Given a logger, Fastify loads Pino.
    ...(log.level !== SILENT && { loggerInstance: log }),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    rewriteUrl: (raw) => readPath(raw.url),
    genReqId: (raw) => requestIdFor(raw.headers),
    requestIdHeader: false,
    requestTimeout: settings.requestTimeoutMs,
    keepAliveTimeout: settings.keepAliveTimeoutMs,
    return503OnClosing: false,
    // No shorter than the longest path that Node reads.
    routerOptions: { maxParamLength: 16_384 },
    schemaController: { compilersFactory: COMPILERS },
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id);
      handleError(error, request, reply);
    },
    clientErrorHandler: createClientErrorHandler(connections, (status) =>
      metrics.request({ route: 'unparsed', method: '', status, seconds: 0 }),
    ),
    ...transportOptions(settings),
  } as FastifyServerOptions);
  (app.server as Server).maxConnections = settings.maxConnections;
  app.decorateRequest('exchange', null as unknown as Exchange);
  app.decorateRequest('key', null as unknown as KeyRecord);
  app.decorateRequest('permitted', false);
  app.decorateRequest('failure', undefined);
  app.decorateRequest('trace', null as unknown as TraceSpan);
  app.removeAllContentTypeParsers();
  // A body is left unread; doors whose routes take one have a parser of their own (`takeJson`).
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.setErrorHandler(handleError);
  return app;
}

/**
 * What a socket may hold before its writer waits. A second of audio (48 kB) that the system takes
 * at once is then written without a wait; Node 20's own mark is 16 kB.
 */
const SOCKET_BYTES = 65_536;

function transportOptions({ headersTimeoutMs, requestTimeoutMs, tls }: ServerSettings) {
  const http = {
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, headersTimeoutMs / 4),
    requireHostHeader: false,
    highWaterMark: SOCKET_BYTES,
  };
  return tls ? { https: { ...http, ...tls, handshakeTimeout: headersTimeoutMs } } : { http };
}
