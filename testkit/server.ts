/**
 * A whole server on a port of its own, with the sine engine and accounts in memory, and plain ways
 * to talk to it.
 */
import { createConnection, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { createAccounts, DEFAULT_LIMITS } from '../src/accounts/accounts.js';
import { createAdminSecret } from '../src/accounts/admin-secret.js';
import { tell } from '../src/accounts/database.js';
import { createStore } from '../src/accounts/database-store.js';
import { createKeyring, type KeyOptions } from '../src/accounts/keyring.js';
import { RequestLog, type RequestLogBounds } from '../src/accounts/requests/request-log.js';
import { openSqliteDatabase } from '../src/accounts/sqlite/database.js';
import type { AccountStore, LedgerRow } from '../src/accounts/store.js';
import type { Limits } from '../src/accounts/types.js';
import type { Clock } from '../src/clock.js';
import { createSineEngine, type SineOptions } from '../src/engine/sine.js';
import { createGateway, type GatewayOptions } from '../src/gateway/gateway.js';
import { WorkerPool } from '../src/gateway/workers/pool.js';
import { type Logger, silentLogger } from '../src/log.js';
import { loadCatalogue } from '../src/models/catalogue.js';
import type { ServerDeps } from '../src/server/deps.js';
import type { DoorLoader } from '../src/server/door.js';
import { loadDoors } from '../src/server/doors/index.js';
import { PrometheusMetrics } from '../src/server/metrics/metrics.js';
import { buildServer } from '../src/server/server.js';
import type { ServerSettings } from '../src/server/settings.js';
import { createTexts, type Texts } from '../src/text/thread/texts.js';
import { createEngineWorker, type EngineWorkerOptions } from './engine-worker.js';

export interface TestServerOptions {
  sine?: SineOptions;
  worker?: EngineWorkerOptions;
  limits?: Partial<Limits>;
  settings?: Partial<ServerSettings>;
  gateway?: Partial<GatewayOptions>;
  doors?: DoorLoader;
  firstPieces?: ServerDeps['firstPieces'];
  log?: Logger;
  /** Of the server; accounts and gateway have the system's. */
  clock?: Clock;
  localKey?: string;
  billDelivered?: boolean;
  /** Closed with the server. */
  store?: AccountStore;
  leaseMs?: number;
  /** Keeps a request log within these bounds. */
  requestLog?: RequestLogBounds;
}

/** One thread for all servers of a test file. */
let texts: Texts | undefined;

async function speakers(
  options: TestServerOptions,
  parts: Pick<Parameters<typeof createGateway>[0], 'catalogue' | 'log' | 'observer'>,
) {
  const sine = await createSineEngine({ msPerChar: 20, ...options.sine });
  const worker = createEngineWorker(sine, { capacity: 2, ...options.worker });
  const pool = options.gateway?.pool ?? new WorkerPool([worker]);
  return { worker, pool, gateway: createGateway({ pool, queueLimit: 64, ...parts, ...options.gateway }) };
}

/** The server and its parts, listening. */
async function assemble(options: TestServerOptions) {
  texts ??= createTexts();
  const database = await openSqliteDatabase(':memory:');
  const store = options.store ?? createStore(database);
  const keyring = createKeyring(store);
  const { localKey, billDelivered = false, leaseMs } = options;
  const accounts = await createAccounts({
    store,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    billDelivered,
    ...(localKey === undefined ? {} : { localKey }),
    ...(leaseMs === undefined ? {} : { leaseMs }),
  });
  const log = options.log ?? silentLogger();
  const catalogue = loadCatalogue();
  const metrics = new PrometheusMetrics();
  const { worker, pool, gateway } = await speakers(options, { catalogue, log, observer: metrics.observer });
  metrics.watch(gateway, accounts);
  const requestLog = options.requestLog && new RequestLog({ store, writeEveryMs: 5, ...options.requestLog });
  const secret = createAdminSecret(store);
  const shutdown = new AbortController();
  const { app, upgrades } = await buildServer(
    {
      accounts,
      gateway,
      catalogue,
      texts,
      firstPieces: options.firstPieces,
      metrics,
      requestLog,
      log,
      clock: options.clock,
      shutdown: shutdown.signal,
      admin: { version: '0.0.0-test', secret, keyring, store, gateway, workers: () => pool.workers },
      settings: { docs: false, ...options.settings },
    },
    options.doors ?? loadDoors,
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as { port: number };
  const baseUrl = `${options.settings?.tls ? 'https' : 'http'}://127.0.0.1:${port}`;
  return {
    app,
    upgrades,
    accounts,
    store,
    database,
    keyring,
    secret,
    gateway,
    worker,
    pool,
    metrics,
    shutdown,
    requestLog,
    port,
    baseUrl,
  };
}

export async function startTestServer(options: TestServerOptions = {}) {
  const { requestLog, database, ...parts } = await assemble(options);
  const { app, accounts, store, keyring, gateway, shutdown, baseUrl } = parts;
  const key = async (more: Partial<KeyOptions> = {}) =>
    keyring.create({ tier: 'partner', credits: 1_000_000, ...more });
  const partner = await key();
  const free = await key({ tier: 'free', credits: 0 });

  return {
    ...parts,
    partner,
    free,
    key,
    speak(body: unknown, { key: bearer = partner.key, signal, headers = {} }: SpeakOptions = {}): Promise<Response> {
      return fetch(`${baseUrl}/v1/audio/speech`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...(signal === undefined ? {} : { signal }),
      });
    },
    get(path: string, bearer: string | undefined = partner.key): Promise<Response> {
      return fetch(`${baseUrl}${path}`, bearer === '' ? {} : { headers: { authorization: `Bearer ${bearer}` } });
    },
    async ledger(keyId?: string): Promise<LedgerRow[]> {
      const rows = [];
      for await (const row of store.usage(keyId === undefined ? {} : { keyId })) rows.push(row);
      return rows;
    },
    async balance(id: string) {
      const { credits, reserved } = (await store.findKey(id))!;
      return { credits, reserved };
    },
    /** As an operator does by SQL: the key expires at this moment. */
    expire: (id: string) =>
      database.write({ durable: false }, () => tell("UPDATE keys SET expires_at = datetime('now') WHERE id = ?", id)),
    async close(): Promise<void> {
      shutdown.abort();
      app.server.closeAllConnections();
      await app.close();
      await gateway.close();
      await requestLog?.close();
      await accounts.close();
    },
  };
}

export type TestServer = Awaited<ReturnType<typeof startTestServer>>;

export interface SpeakOptions {
  key?: string;
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

/** The error of a response, after checking that it has the one shape and the ids agree. */
export async function errorOf(response: Response) {
  const body = (await response.json()) as { error: Record<string, unknown> };
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(Object.keys(body)).toEqual(['error']);
  expect(Object.keys(body.error).sort()).toEqual(['code', 'message', 'param', 'request_id', 'type']);
  expect(body.error.request_id).toBe(response.headers.get('x-request-id'));
  expect(body.error.message).toMatch(/^[A-Z].*\.$/s);
  const { code, type, param, message } = body.error;
  return { status: response.status, code, type, param, message: String(message) };
}

export async function until(condition: () => boolean | Promise<boolean>, what = 'the condition'): Promise<void> {
  const UNTIL_MS = 90_000;
  const startMs = performance.now();
  for (let tries = 0; performance.now() - startMs < UNTIL_MS || tries < 600; tries++) {
    if (await condition()) return;
    // What takes longer than a second is asked for less often: the asking takes from the work.
    await sleep(tries < 100 ? 10 : 50);
  }
  throw new Error(`${what} did not come about within 90 s`);
}

export interface RawResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
  socket: Socket;
}

/**
 * Writes bytes to a new connection and reads until it closes: for requests no decent client would
 * send.
 */
export async function rawExchange(port: number, ...pieces: (string | Buffer | number)[]): Promise<RawResponse> {
  const socket = createConnection({ port, host: '127.0.0.1' });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  // The server may answer and close before everything was sent; what it answered is what counts.
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  for (const piece of pieces) {
    if (typeof piece === 'number') await sleep(piece);
    else socket.write(piece);
  }
  await closed;
  const text = Buffer.concat(chunks).toString('latin1');
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status: Number(statusLine.split(' ')[1]), headers, body: rest.join('\r\n\r\n'), socket };
}
