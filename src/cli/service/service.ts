/** Puts a speech service together: accounts, voices, workers, gateway, server. `tts serve` and embedded servers share it. */
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { RequestLog } from '../../accounts/requests/request-log.js';
import type { AccountStore } from '../../accounts/store.js';
import type { Config } from '../../config.js';
import type { FirstPieces } from '../../gateway/first-piece.js';
import type { ObservableGateway } from '../../gateway/types.js';
import type { WorkerPool } from '../../gateway/workers/pool.js';
import type { Logger } from '../../log.js';
import { TtsError } from '../../protocol/errors.js';
import type { AdminDeps } from '../../server/deps.js';
import type { Metrics } from '../../server/metrics/metrics.js';
import type { ServerSettings } from '../../server/settings.js';
import { createEngineRoom, type EngineRoom, type EngineRoomOptions } from './engine-room.js';
import type { NatsRoom, Reading } from './nats.js';

export interface ServiceOptions {
  readonly config: Config;
  readonly log: Logger;
  /** Owned from here on; a function is asked for it when the engine has been started. */
  readonly store: AccountStore | (() => Promise<AccountStore>);
  readonly localKey: string;
  readonly settings: Partial<ServerSettings>;
  readonly engine: Pick<EngineRoomOptions, 'start' | 'models' | 'stays' | 'crowd' | 'onProgress'>;
  /** Whether anybody will read the metrics. */
  readonly metrics: boolean;
  /** Whether workers on the NATS server of the settings speak as well. */
  readonly nats?: boolean;
  /** Whether a request log is kept as the settings say. */
  readonly requestLog?: boolean;
  /** How long speech waits for a first worker. */
  readonly startPatienceMs?: number;
}

export interface Service {
  readonly gateway: ObservableGateway;
  readonly metrics: Metrics;
  /** Listens; the port is the one taken where 0 was asked for. */
  listen(host: string, port: number): Promise<{ port: number }>;
  /** Fetches what is missing and starts the workers; resolves when one is ready, rejects when none can come. */
  ready(): Promise<void>;
  /** Finishes what runs within `graceMs`, breaks off the rest, and closes everything. Idempotent. */
  stop(graceMs: number): Promise<void>;
}

/** What clients have to take their last answer once the grace is over, and every other step of a stop. */
const LAST_WORDS_MS = 1_000;
const CLOSE_MS = 10_000;
/** So long after its start, a gateway without engines of its own has heard of every worker there is. */
const EXPECT_MS = 5_000;

export async function createService(options: ServiceOptions): Promise<Service> {
  const { config, log } = options;
  const { WorkerPool } = await import('../../gateway/workers/pool.js');
  const pool = new WorkerPool();
  // First of all, and before this process is busy loading the rest: an engine takes longer to come up than all of it.
  const engines = createEngineRoom({ config, log, pool, ...options.engine });
  let elsewhere: NatsRoom | undefined;
  let store = typeof options.store === 'function' ? undefined : options.store;
  try {
    if (options.engine.start === 'now') await engines.begun;
    let reading: Reading | undefined;
    // A command has nobody to agree with, and no time.
    if (options.nats || options.metrics) {
      const { createNatsRoom, readingOf } = await import('./nats.js');
      reading = await readingOf(config);
      if (options.nats) elsewhere = await createNatsRoom(config, reading, pool, log);
    }
    if (typeof options.store === 'function') store = await options.store();
    return await assemble(options, { pool, engines, elsewhere, reading, store: store! });
  } catch (error) {
    engines.stop();
    await pool.close();
    await elsewhere?.close();
    await store?.close();
    throw error;
  }
}

interface Parts {
  readonly pool: WorkerPool;
  readonly engines: EngineRoom;
  readonly elsewhere: NatsRoom | undefined;
  readonly reading: Reading | undefined;
  readonly store: AccountStore;
}

async function assemble(
  options: ServiceOptions,
  { pool, engines, elsewhere, reading, store }: Parts,
): Promise<Service> {
  const { config, log, localKey } = options;
  const [
    { createAccounts },
    { createAdminSecret },
    { createKeyring },
    { firstPieceChars },
    { createGateway },
    { loadCatalogue },
    metrics,
    { buildServer },
    { loadDoors },
    { createTexts },
    { silentLogger },
  ] = await Promise.all([
    import('../../accounts/accounts.js'),
    import('../../accounts/admin-secret.js'),
    import('../../accounts/keyring.js'),
    import('../../gateway/first-piece.js'),
    import('../../gateway/gateway.js'),
    import('../../models/catalogue.js'),
    options.metrics
      ? import('../../server/metrics/metrics.js').then(({ PrometheusMetrics }) => new PrometheusMetrics())
      : silence(),
    import('../../server/server.js'),
    import('../../server/doors/index.js'),
    import('../../text/thread/texts.js'),
    import('../../log.js'),
  ]);
  const { freeConcurrency, freeDaily, partnerConcurrency, queueLimit } = config;
  const catalogue = loadCatalogue({ voicesDir: config.voicesDir });
  const { crowd = false } = options.engine;
  // A command that says a sentence needs no reader of its own beside its engine's.
  const texts = createTexts({ lexicon: config.lexicon, lazy: !crowd });
  await texts.ready();
  const remembered = config.engine === 'kokoro' ? await import('../../engine/measure/remembered.js') : undefined;
  const recall = async () => remembered?.readMeasurement(config.modelDir, config);
  const { costs = {} } = (crowd && (await recall())) || {};
  // Asked when somebody speaks: a machine that is new was measured by then.
  let measured: ReturnType<typeof recall> | undefined;
  const firstPieces: FirstPieces = async (model) => {
    measured ??= recall();
    return firstPieceChars((await measured)?.untilHeard[model]);
  };
  const limits = { freeConcurrency, freeDaily, partnerConcurrency };
  const accounts = await createAccounts({ store, limits, localKey, billDelivered: config.billDelivered, log });
  const requestLog = options.requestLog ? await openRequestLog(config, store, log) : undefined;
  const { workers } = config;
  const startedMs = performance.now();
  const alone = !options.nats && (workers === 1 || (workers === 'auto' && !crowd));
  const gateway = createGateway({
    pool,
    catalogue,
    log,
    queueLimit,
    // More workers can make more of one text at once; two are what one worker needs to never wait.
    lookahead: alone ? 2 : 3,
    observer: metrics.observer,
    onDemand: engines.demand,
    autoscaler: engines.autoscaler,
    policy: config.policy,
    ...(reading && { textVersion: reading.textVersion }),
    // Workers answer a call for announcements within milliseconds; a worker not heard by then is absent.
    expects: () => workers !== 0 || performance.now() - startedMs < EXPECT_MS,
    // In a command there is one listener, and nobody who could come back later.
    admission: crowd,
    costs,
    ...(options.startPatienceMs === undefined ? {} : { startPatienceMs: options.startPatienceMs }),
  });
  metrics.watch(gateway, accounts, requestLog);
  const admin: AdminDeps = {
    version: (createRequire(import.meta.url)('../../../package.json') as { version: string }).version,
    secret: createAdminSecret(store),
    keyring: createKeyring(store),
    store,
    gateway,
    workers: () => pool.workers,
  };
  const shutdown = new AbortController();
  const { app, upgrades, settled } = await buildServer(
    {
      accounts,
      gateway,
      catalogue,
      texts,
      firstPieces,
      metrics,
      requestLog,
      log,
      shutdown: shutdown.signal,
      admin,
      settings: options.settings,
    },
    loadDoors,
  );

  let stopping: Promise<void> | undefined;
  async function stop(graceMs: number): Promise<void> {
    shutdown.abort();
    engines.stop();
    const finished = Promise.all([app.close(), gateway.drain(), upgrades.drained()]);
    let closing: Promise<void> | undefined;
    if (!(await within(finished, graceMs))) {
      const { open } = gateway.stats;
      if (open > 0) log.warn({ open }, 'not everything ended in time; the rest is broken off');
      // Whoever still waits for speech is told why none comes, and has a moment to hear it.
      closing = gateway.close();
      upgrades.terminate();
      await within(finished, LAST_WORDS_MS);
      app.server.closeAllConnections();
      if (!(await within(finished, CLOSE_MS))) log.error('connections could not be closed');
    }
    if (!(await within(settled(), CLOSE_MS))) log.error('not every request could be settled');
    if (!(await within(closing ?? gateway.close(), CLOSE_MS))) log.error('the engines could not be closed');
    if (elsewhere && !(await within(elsewhere.close(), CLOSE_MS))) log.error('NATS could not be closed');
    // Beside the packs, which may be where nobody may write: then the next server measures anew.
    const remembering =
      crowd && remembered?.rememberCosts(config.modelDir, config, gateway.costs).catch(() => undefined);
    await within(Promise.resolve(remembering), CLOSE_MS);
    await texts.close();
    if (requestLog && !(await within(requestLog.close(), CLOSE_MS))) log.error('the request log could not be written');
    if (!(await within(accounts.close(), CLOSE_MS))) log.error('the accounts could not be closed');
  }

  return {
    gateway,
    metrics,
    ready: engines.ready,
    async listen(host, port) {
      try {
        // Fastify would announce every address in its own words; whoever called knows better what to say.
        const quiet: typeof app = Object.create(app, { log: { value: silentLogger() } });
        await quiet.listen({ host, port });
      } catch (cause) {
        throw listenError(cause as NodeJS.ErrnoException, host, port);
      }
      return { port: (app.server.address() as AddressInfo).port };
    },
    stop(graceMs) {
      stopping ??= stop(graceMs);
      return stopping;
    },
  };
}

/** Undefined where the settings keep none; what an earlier server kept is removed then. */
async function openRequestLog(config: Config, store: AccountStore, log: Logger): Promise<RequestLog | undefined> {
  const { RequestLog, emptyRequestLog } = await import('../../accounts/requests/request-log.js');
  const { requestLogDays: days, requestLogRows: rows } = config;
  if (days > 0 && rows > 0) return new RequestLog({ store, days, rows, log });
  emptyRequestLog(store).catch((error: unknown) => log.warn({ err: error }, 'the request log could not be emptied'));
  return undefined;
}

/** Whether it ended in time: a stop waits for nothing without a bound. */
async function within(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function silence(): Promise<Metrics> {
  const { noMetrics } = await import('../../server/metrics/no-metrics.js');
  return noMetrics();
}

export function listenError(cause: NodeJS.ErrnoException, host: string, port: number, flag = '--port'): TtsError {
  const why: Record<string, string> = {
    EADDRINUSE: `port ${port} is taken by another process. Choose another with ${flag}`,
    EACCES: `port ${port} needs more rights than this user has. Choose one above 1023 with ${flag}`,
    EADDRNOTAVAIL: `this machine has no address ${host}. Choose another with --host`,
    ENOTFOUND: `this machine has no address ${host}. Choose another with --host`,
  };
  const reason = why[cause.code ?? ''] ?? cause.message;
  return new TtsError('listen_failed', `The server cannot listen on ${host}: ${reason}.`, { cause });
}
