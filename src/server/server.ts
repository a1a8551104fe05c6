/** Builds the Fastify app from its dependencies and doors. The caller decides where it listens. */
import { setMaxListeners } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import type { FastifyInstance } from 'fastify';
import { systemClock } from '../clock.js';
import { TtsError } from '../protocol/errors.js';
import { createAuthenticator } from './access/authenticate.js';
import { ProxyTrust } from './access/client-address.js';
import { Connections } from './access/connections.js';
import { createHostCheck, type HostCheck } from './access/hosts.js';
import { createApp, createPathReader } from './app.js';
import { addBrowserHeaders } from './browser-headers.js';
import type { ServerDeps } from './deps.js';
import type { Door, DoorLoader, ServerParts } from './door.js';
import { createErrorHandler, notFound } from './error-handler.js';
import { describeRoutes } from './openapi.js';
import { requestIdFor } from './request-id.js';
import { recordRequests } from './request-record.js';
import { DEFAULT_SETTINGS, type ServerSettings } from './settings.js';
import { SocketEndpoint } from './sockets/socket-endpoint.js';
import { StreamTickets } from './sockets/stream-tickets.js';
import { attachUpgrades, parameterIn } from './sockets/upgrades.js';
import { HeldAudio } from './speech/held-audio.js';
import { Permits } from './speech/permits.js';
import { answerRaw } from './speech/raw-response.js';
import { answerUnknownRoutes } from './unknown-routes.js';

export interface SpeechServer {
  readonly app: FastifyInstance;
  /** The sessions of all sockets. */
  readonly upgrades: {
    /** Resolves when every session has ended. */
    drained(): Promise<void>;
    /** Breaks what is left. */
    terminate(): void;
  };
  /** Resolves when every request that has ended is settled in the accounts as well. */
  settled(): Promise<void>;
}

export async function buildServer(deps: ServerDeps, loadDoors: DoorLoader): Promise<SpeechServer> {
  const settings: ServerSettings = { ...DEFAULT_SETTINGS, ...deps.settings };
  const doors = await loadDoors(settings);
  deps.metrics.freeLimits(deps.accounts.limits);
  // Every reader that is waited for listens for the stop.
  setMaxListeners(0, deps.shutdown);
  const connections = new Connections();
  const readPath = createPathReader(doors);
  const app = createApp(deps, { settings, readPath, connections });
  const server = app.server as Server;
  const secure = settings.tls !== undefined;
  const proxies = trustedProxies(settings, deps);
  connections.bound(server, {
    perAddress: settings.maxConnectionsPerAddress,
    secure,
    exempt: (address) => proxies.trusts(address),
    onRefused: (address) => deps.log.debug({ address }, 'an address has too many connections'),
  });
  connections.skipGone(server);
  const checkHost = createHostCheck(server, settings.allowedHosts);
  const parts = await makeParts(app, { deps, settings, doors, proxies });
  recordRequests(app, parts, { connections, checkHost });
  await addBrowserHeaders(app, settings, doors);
  answerUnknownRoutes(app, doors);
  if (settings.docs) await describeRoutes(app);
  if (settings.docs || settings.web !== 'off') await (await import('./web-assets.js')).serveAssets(app);
  const endpoints: SocketEndpoint[] = [];
  for (const door of doors) endpoints.push(...(await openDoor(app, door, parts)));
  attachUpgrades(server, { endpoints, readPath, connections, checkHost, secure });
  refuseProxying(server, connections, checkHost);
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  await app.ready();
  return {
    app,
    upgrades: {
      drained: async () => void (await Promise.all(endpoints.map((endpoint) => endpoint.drained()))),
      terminate() {
        for (const endpoint of endpoints) endpoint.terminate();
      },
    },
    settled: () => parts.permits.settled(),
  };
}

function trustedProxies({ trustProxy }: ServerSettings, { log }: ServerDeps): ProxyTrust {
  return new ProxyTrust(trustProxy, (address) => {
    const advice = 'where this is a proxy of yours, name it with --trust-proxy; else all its clients are braked as one';
    log.warn({ address, advice }, 'X-Forwarded-For came from an address that is not trusted, and is not believed');
  });
}

interface PartsOptions extends Pick<ServerParts, 'settings' | 'doors' | 'proxies'> {
  readonly deps: ServerDeps;
}

async function makeParts(app: FastifyInstance, { deps, ...options }: PartsOptions): Promise<ServerParts> {
  const { settings, proxies } = options;
  const { log, clock = systemClock } = deps;
  const heldAudio = new HeldAudio({
    memoryBytes: settings.maxHeldBytes,
    diskBytes: settings.maxHeldDiskBytes,
    dir: settings.heldDir ?? tmpdir(),
    stallMs: settings.heldStallMs,
    log,
    clock,
  });
  await heldAudio.begin();
  app.addHook('onClose', () => heldAudio.close());
  const authenticator = createAuthenticator({
    accounts: deps.accounts,
    failedKeysPerMinute: settings.failedKeysPerMinute,
    shared: deps.accounts.shared ? deps.accounts.passes : undefined,
    addressOf: (request) => proxies.addressOf(request),
    onFailedKey: (code) => deps.metrics.failedKey(code),
    clock,
  });
  return {
    ...deps,
    ...options,
    clock,
    permits: new Permits({ ...deps, heldAudio, style: settings.style, clock }),
    tickets: new StreamTickets(deps),
    authenticator,
    authenticate: async (request) => {
      request.key = await authenticator.authenticate(request.raw);
    },
  };
}

/** Adds a door's routes within its prefix; the result are its sockets. */
async function openDoor(app: FastifyInstance, door: Door, parts: ServerParts): Promise<SocketEndpoint[]> {
  const sockets = door.sockets?.(parts) ?? [];
  await app.register(
    async (scope) => {
      if (door.errors !== undefined) scope.setErrorHandler(createErrorHandler(door.errors));
      await door.routes(scope, parts);
      for (const { path, schema = { hide: true } } of sockets) {
        scope.get(path, { schema }, async (request) => {
          // The router takes an empty voice for a voice.
          const pathname = request.url.split('?', 1)[0]!;
          if (parameterIn(pathname, `${door.prefix}${path}`) === undefined) throw notFound(request);
          throw new TtsError('upgrade_required', 'This path speaks WebSocket: connect with ws:// or wss:// instead.');
        });
      }
    },
    { prefix: door.prefix },
  );
  return sockets.map((socket) => new SocketEndpoint(door, socket, parts));
}

/** CONNECT, which asks a proxy for a tunnel. */
function refuseProxying(server: Server, connections: Connections, checkHost: HostCheck): void {
  server.on('connect', (request, socket) => {
    connections.whenQuiet(socket as Socket, () => {
      const requestId = requestIdFor(request.headers);
      const noProxy = new TtsError('method_not_allowed', 'This server is no proxy.');
      const foreign = checkHost(request);
      answerRaw(socket, foreign ?? noProxy, { requestId, ...(!foreign && { headers: { allow: 'GET, HEAD, POST' } }) });
    });
  });
}
