/** Puts the HTTP server together out of its dependencies. It never listens: whoever builds it decides where and when. */
import { setMaxListeners } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import fastify, { type FastifyInstance, type FastifyRequest, type FastifyServerOptions, LogController } from 'fastify';
import type { KeyRecord } from '../accounts/types.js';
import { SPEECH_MODELS } from '../protocol/contract.js';
import { TtsError } from '../protocol/errors.js';
import { STREAM_PATH } from '../protocol/stream.js';
import { beginSpan, NO_SPAN, type TraceSpan } from '../trace.js';
import { createAuthenticator } from './access/authenticate.js';
import { createProxyTrust } from './access/client-address.js';
import { Connections, type Exchange } from './access/connections.js';
import { createHostCheck, originForm } from './access/hosts.js';
import { createClientErrorHandler } from './client-errors.js';
import type { DoorOptions, ServerDeps, ServerSettings, UpgradeHandler } from './deps.js';
import { ELEVENLABS } from './doors/elevenlabs/index.js';
import { OPENAI } from './doors/openai/index.js';
import { v1 } from './doors/v1/index.js';
import { StreamTickets } from './doors/v1/stream-input/tickets.js';
import { handleError, notFound } from './error-handler.js';
import type { ForeignDoor } from './foreign-door.js';
import type { SpeechRoute } from './metrics/metrics.js';
import { operations } from './operations.js';
import { requestIdFor } from './request-id.js';
import { DEFAULT_SETTINGS } from './settings.js';
import { attachUpgrades, parameterIn } from './sockets/upgrades.js';
import { createAdmit } from './speech/admit.js';
import { Grants } from './speech/grants.js';
import { HeldAudio } from './speech/held-audio.js';
import { answerRaw } from './speech/raw-response.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of a route that speaks: what metrics and the request log call it. */
    speechRoute?: SpeechRoute;
  }
  interface FastifyRequest {
    /** Set by the first hook; absent where Fastify could not even read the path. */
    exchange: Exchange;
    /** Set where a route asked for it. */
    key: KeyRecord;
    /** It was accepted as work, whose end is told on its own. */
    granted: boolean;
    /** Of a request for speech: the span from its arrival to the end of its response. */
    trace: TraceSpan;
    /** Why it failed, where it did. */
    failure: TtsError | undefined;
  }
}

export interface SpeechServer {
  readonly app: FastifyInstance;
  /** The sessions of all sockets. */
  readonly upgrades: Pick<UpgradeHandler, 'drained' | 'terminate'>;
  /** Resolves when every request that has ended is settled in the accounts as well. */
  settled(): Promise<void>;
}

const FOREIGN_DOORS: readonly ForeignDoor[] = [OPENAI, ELEVENLABS];
const doorOf = (url: string): ForeignDoor | undefined =>
  FOREIGN_DOORS.find(({ prefix }) => url.startsWith(`${prefix}/`));

/** A base URL that was typed with a slash at its end makes clients ask for `/elevenlabs//v1/…`. Only the other doors forgive that. */
const BASE_URL_END = new RegExp(`^((?:${FOREIGN_DOORS.map(({ prefix }) => prefix).join('|')})(?:/v\\d)?)/{2,}`);
const joined = (target: string | undefined): string => originForm(target).replace(BASE_URL_END, '$1/');

const ALLOWED_HEADERS = ['authorization', 'content-type', 'xi-api-key', 'x-request-id'];
const EXPOSED_HEADERS = [
  'x-request-id',
  'x-usage-input-characters',
  'x-ignored-fields',
  'x-voice',
  'server-timing',
  'retry-after',
];
const RATE_LIMIT_HEADERS = ['limit', 'remaining', 'reset'].map((name) => `x-ratelimit-${name}-requests`);

export async function buildServer(deps: ServerDeps): Promise<SpeechServer> {
  const settings: ServerSettings = { ...DEFAULT_SETTINGS, ...deps.settings };
  const { metrics, log } = deps;
  metrics.freeLimits(deps.accounts.limits);
  // Every reader that is waited for listens for the stop.
  setMaxListeners(0, deps.shutdown);
  const connections = new Connections();
  const options: FastifyServerOptions = {
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    rewriteUrl: (raw) => joined(raw.url),
    genReqId: (raw) => requestIdFor(raw.headers),
    requestIdHeader: false,
    requestTimeout: settings.requestTimeoutMs,
    keepAliveTimeout: settings.keepAliveTimeoutMs,
    return503OnClosing: false,
    // No shorter than the longest path that Node reads.
    routerOptions: { maxParamLength: 16_384 },
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        allErrors: false,
        // A limit is a number, an object by model, or null.
        allowUnionTypes: true,
      },
    },
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id);
      handleError(error, request, reply);
    },
    clientErrorHandler: createClientErrorHandler(connections, (status) =>
      metrics.request({ route: 'unparsed', method: '', status, seconds: 0 }),
    ),
  };
  const http = {
    headersTimeout: settings.headersTimeoutMs,
    requestTimeout: settings.requestTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, settings.headersTimeoutMs / 4),
    requireHostHeader: false,
  };
  const { headersTimeoutMs: handshakeTimeout } = settings;
  const transport = settings.tls ? { https: { ...http, ...settings.tls, handshakeTimeout } } : { http };
  const app = fastify({ ...options, ...transport } as FastifyServerOptions);
  const server = app.server as Server;
  const secure = settings.tls !== undefined;
  server.maxConnections = settings.maxConnections;
  const proxies = createProxyTrust(settings.trustProxy, (address) => {
    const advice = 'where this is a proxy of yours, name it with --trust-proxy; else all its clients are braked as one';
    log.warn({ address, advice }, 'X-Forwarded-For came from an address that is not trusted, and is not believed');
  });
  connections.bound(server, {
    perAddress: settings.maxConnectionsPerAddress,
    secure,
    exempt: proxies.trusts,
    onRefused: (address) => log.debug({ address }, 'an address has too many connections'),
  });
  connections.skipGone(server);
  const checkHost = createHostCheck(server, settings.allowedHosts);

  const auth = createAuthenticator({
    accounts: deps.accounts,
    failedKeysPerMinute: settings.failedKeysPerMinute,
    shared: deps.accounts.shared ? deps.accounts.passes : undefined,
    addressOf: proxies.addressOf,
    onFailedKey: metrics.failedKey,
  });

  app.decorateRequest('exchange', null as unknown as Exchange);
  app.decorateRequest('key', null as unknown as KeyRecord);
  app.decorateRequest('granted', false);
  app.decorateRequest('failure', undefined);
  app.decorateRequest('trace', null as unknown as TraceSpan);
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = reply;
    reply.header('x-request-id', request.id);
    if (deps.shutdown.aborted) reply.header('connection', 'close');
    request.exchange = connections.begin(request.raw, raw, request.id);
    beginTrace(request);
    void request.exchange.ended.then((whole) => {
      const seconds = (performance.now() - request.exchange.arrivedMs) / 1000;
      const status = whole ? raw.statusCode : 499;
      const route = request.routeOptions.url ?? 'unknown';
      const { method } = request;
      metrics.request({ route, method, status, seconds, ...modelOf(request) });
      const told = { method, route, status, ms: Math.round(seconds * 1000) };
      const { failure, key, id: requestId } = request;
      // What was accepted as work tells its failure when it is settled.
      if (failure !== undefined && !request.granted) grants.failures.add(failure, { requestId, route, keyId: key?.id });
      if (failure !== undefined && !request.granted) logRefusal(request, failure, grants);
      request.log[request.granted ? 'debug' : 'info'](told, 'request');
      request.trace.set({ 'http.response.status_code': status });
      request.trace.end(failure?.code);
      // A connection that was promised to be kept would hold the stop up for as long as its client keeps it.
      if (deps.shutdown.aborted) setImmediate(() => server.closeIdleConnections());
    });
    done(checkHost(request.raw));
  });

  app.removeAllContentTypeParsers();
  // Unread here; the one route that takes a body has a parser of its own.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  app.setErrorHandler(handleError);

  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
    },
    strictTransportSecurity: secure,
    crossOriginResourcePolicy: { policy: settings.corsOrigins.length > 0 ? 'cross-origin' : 'same-origin' },
  });
  if (settings.corsOrigins.length > 0) {
    const options = {
      origin: settings.corsOrigins.includes('*') ? '*' : [...settings.corsOrigins],
      methods: ['GET', 'HEAD', 'POST'],
      exposedHeaders: [...EXPOSED_HEADERS, ...RATE_LIMIT_HEADERS],
      maxAge: 86_400,
      strictPreflight: false,
    };
    await app.register(cors, {
      delegator: (request, done) => {
        const more = doorOf(request.raw.url ?? '')?.corsHeaders ?? [];
        done(null, { ...options, allowedHeaders: [...ALLOWED_HEADERS, ...more] });
      },
    });
  }
  answerUnknownRoutes(app);
  const hasWeb = deps.admin !== undefined && settings.web !== 'off';
  if (settings.docs)
    await (await import('./doors/pages/index.js')).addPages(app, { doors: FOREIGN_DOORS, web: hasWeb });
  if (settings.docs || hasWeb) await (await import('./web-assets.js')).serveAssets(app);

  const heldAudio = new HeldAudio({
    memoryBytes: settings.maxHeldBytes,
    diskBytes: settings.maxHeldDiskBytes,
    dir: settings.heldDir ?? tmpdir(),
    stallMs: settings.heldStallMs,
    log,
  });
  await heldAudio.begin();
  app.addHook('onClose', () => heldAudio.close());
  const grants = new Grants({ ...deps, heldAudio });
  const tickets = new StreamTickets(deps);
  const door: DoorOptions = {
    deps,
    settings,
    grants,
    tickets,
    proxies,
    admit: createAdmit(grants, deps),
    authenticator: auth,
    authenticate: async (request) => {
      request.key = await auth.authenticate(request.raw);
    },
  };
  await app.register(v1, door);
  for (const { prefix, routes } of FOREIGN_DOORS) await app.register((scope) => routes(scope, door), { prefix });
  await app.register(operations, door);
  if (deps.admin !== undefined && hasWeb) {
    const [{ adminDoor }, { webDoor }] = await Promise.all([
      import('./doors/admin/index.js'),
      import('./doors/web/index.js'),
    ]);
    await app.register(adminDoor, { ...door, admin: deps.admin });
    await app.register(webDoor, { ...door, version: deps.admin.version });
  }

  const own = deps.upgrades?.(deps, grants);
  const routes = [
    ...(own === undefined ? [] : [{ path: STREAM_PATH, handler: own }]),
    ...FOREIGN_DOORS.flatMap(({ sockets }) => sockets?.(deps, grants) ?? []),
  ];
  attachUpgrades(server, { routes, joined, authenticator: auth, tickets, connections, checkHost, secure });
  server.on('connect', (request, socket) => {
    connections.whenQuiet(socket as Socket, () => {
      const requestId = requestIdFor(request.headers);
      const noProxy = new TtsError('method_not_allowed', 'This server is no proxy.');
      const foreign = checkHost(request);
      answerRaw(socket, foreign ?? noProxy, { requestId, ...(!foreign && { headers: { allow: 'GET, HEAD, POST' } }) });
    });
  });
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  await app.ready();
  return { app, upgrades: together(routes.map(({ handler }) => handler)), settled: () => grants.settled() };
}

function together(handlers: readonly UpgradeHandler[]): SpeechServer['upgrades'] {
  return {
    drained: async () => void (await Promise.all(handlers.map((handler) => handler.drained()))),
    terminate() {
      for (const handler of handlers) handler.terminate();
    },
  };
}

/** The model's name as a label, where the request named one there is: a label must not take any value a caller likes. */
function modelOf({ body, query }: FastifyRequest): { model?: string } {
  const named = [body, query].map((from) => (from as { model?: unknown } | null | undefined)?.model);
  const model = SPEECH_MODELS.find((known) => named.includes(known));
  return model === undefined ? {} : { model };
}

/** The span of a request for speech; what is logged of the request names its trace. */
function beginTrace(request: FastifyRequest): void {
  const { method, exchange, routeOptions, headers } = request;
  request.trace = NO_SPAN;
  if (routeOptions.config?.speechRoute === undefined) return;
  const route = routeOptions.url ?? '';
  const attributes = { 'http.request.method': method, 'http.route': route, 'tts.request_id': request.id };
  const span = { name: `${method} ${route}`, attributes, startMs: exchange.arrivedMs };
  request.trace = beginSpan(headers.traceparent, span);
  const { traceId } = request.trace;
  if (traceId !== undefined) request.log = request.log.child({ traceId });
}

/** A request for speech that was refused after its key was accepted: what comes without a key fills no log. */
function logRefusal(request: FastifyRequest, failure: TtsError, { logged }: Grants): void {
  const { speechRoute } = request.routeOptions.config;
  if (speechRoute === undefined || request.key === null) return;
  logged.refused(failure, {
    requestId: request.id,
    keyId: request.key.id,
    route: speechRoute,
    ...modelOf(request),
    traceId: request.trace.traceId,
    arrivedMs: request.exchange.arrivedMs,
  });
}

/** As the router reads it. */
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** A known path with another method is 405 and says which it takes; anything else is 404. */
function answerUnknownRoutes(app: FastifyInstance): void {
  const methods = new Map<string, string[]>();
  const methodsAt = (path: string) =>
    methods.get(decoded(path)) ??
    [...methods].find(([template]) => template.includes(':') && parameterIn(path, template) !== undefined)?.[1];
  app.addHook('onRoute', ({ url, method }) => {
    methods.set(url, [...(methods.get(url) ?? []), ...[method].flat()]);
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.raw.url?.split('?', 1)[0] ?? '';
    const allowed = methodsAt(path);
    const tell = doorOf(path)?.handleError ?? handleError;
    if (allowed === undefined) return tell(notFound(request), request, reply);
    const allow = [...new Set(allowed)].sort().join(', ');
    reply.header('allow', allow);
    const message = `${request.method} is not possible here. This path takes ${allow}.`;
    tell(new TtsError('method_not_allowed', message), request, reply);
  });
}
