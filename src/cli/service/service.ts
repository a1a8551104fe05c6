/**
 * Builds a speech service: accounts, voices, workers, gateway, server. `tts serve` and the server
 * inside a command share it.
 */
import type { AddressInfo } from 'node:net';
import type { RequestLog } from '../../accounts/requests/request-log.js';
import type { AccountStore } from '../../accounts/store.js';
import type { Config } from '../../config.js';
import type { Measurement } from '../../engine/measure/remembered.js';
import type { FirstPieces } from '../../gateway/first-piece.js';
import type { GatewayOptions } from '../../gateway/gateway.js';
import type { ObservableGateway } from '../../gateway/types.js';
import type { WorkerPool } from '../../gateway/workers/pool.js';
import type { Jobs } from '../../jobs/jobs.js';
import type { Logger } from '../../log.js';
import type { Preparation } from '../../protocol/preparation.js';
import type { Metrics } from '../../server/metrics/metrics.js';
import type { ServerSettings } from '../../server/settings.js';
import type { LanguageFiles } from '../../text/front-end.js';
import { catalogueOptions } from '../own-voices.js';
import type { ShownSettings } from '../shown-settings.js';
import { packageVersion } from '../version.js';
import { openJobs } from './jobs.js';
import { openKept } from './kept.js';
import { listenError } from './listening.js';
import { LocalEngines, type LocalEnginesOptions } from './local-engines.js';
import type { NatsLink, Reading } from './nats.js';
import { type Running, stopService } from './stop.js';

export interface ServiceOptions {
  readonly config: Config;
  readonly log: Logger;
  /** Closed by the service; a function opens it once the engine has been started. */
  readonly store: AccountStore | (() => Promise<AccountStore>);
  readonly localKey: string;
  readonly settings: Partial<ServerSettings>;
  /** As the dashboard shows them. */
  readonly shownSettings?: ShownSettings;
  readonly engine: Pick<LocalEnginesOptions, 'start' | 'models' | 'stays' | 'crowd' | 'unheard' | 'onProgress'>;
  /** Whether metrics are collected. */
  readonly metrics: boolean;
  /** Whether workers on the NATS server of the settings speak as well. */
  readonly nats?: boolean;
  /** Whether jobs are taken as the settings say. */
  readonly jobs?: boolean;
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
  /** Fetches models and starts workers. Resolves when one is ready, rejects if none can be. */
  ready(): Promise<void>;
  /** Finishes what runs within `graceMs`, breaks off the rest, closes everything. Idempotent. */
  stop(graceMs: number): Promise<void>;
}

/** A gateway without engines of its own knows every worker this long after its start. */
const EXPECT_MS = 5_000;

interface Parts {
  readonly pool: WorkerPool;
  readonly engines: LocalEngines;
  readonly natsWorkers: NatsLink | undefined;
  readonly reading: Reading | undefined;
  readonly store: AccountStore;
}

export async function createService(options: ServiceOptions): Promise<Service> {
  const { config, log } = options;
  const { WorkerPool } = await import('../../gateway/workers/pool.js');
  const pool = new WorkerPool();
  // An engine takes longest to start, so that it starts before the rest is loaded.
  const engines = new LocalEngines({ config, log, pool, ...options.engine });
  let natsWorkers: NatsLink | undefined;
  let store = typeof options.store === 'function' ? undefined : options.store;
  try {
    if (options.engine.start === 'now') await engines.begun;
    let reading: Reading | undefined;
    // Only gateways that share workers compare how they read.
    if (options.nats || options.metrics) {
      const { watchNats, readingOf } = await import('./nats.js');
      reading = await readingOf(config);
      if (options.nats) natsWorkers = await watchNats(config, reading, pool, log);
    }
    if (typeof options.store === 'function') store = await options.store();
    return await assemble(options, { pool, engines, natsWorkers, reading, store: store! });
  } catch (error) {
    engines.stop();
    await pool.close();
    await natsWorkers?.close();
    await store?.close();
    throw error;
  }
}

async function assemble(options: ServiceOptions, parts: Parts): Promise<Service> {
  const { config, log, engine } = options;
  const { pool, engines, natsWorkers, store } = parts;
  const [{ createAdminSecret }, { createKeyring }, { liveCatalogue }, { buildServer }, { loadDoors }, metrics] =
    await Promise.all([
      import('../../accounts/admin-secret.js'),
      import('../../accounts/keyring.js'),
      import('../../models/live-catalogue.js'),
      import('../../server/server.js'),
      import('../../server/doors/index.js'),
      metricsOf(options),
    ]);
  const catalogue = liveCatalogue(catalogueOptions(config), (error) =>
    log.error({ err: error }, 'a voice file has a mistake; the voices stay as they were'),
  );
  const texts = await openTexts(options);
  const remembered = new Remembered(options);
  const accounts = await openAccounts(options, store);
  const requestLog = options.requestLog ? await openRequestLog(config, store, log) : undefined;
  const costs = await remembered.costs();
  const gateway = await openGateway(options, parts, { catalogue, observer: metrics.observer, costs });
  metrics.watch(gateway, accounts, requestLog);
  const shutdown = new AbortController();
  const kept = engine.crowd ? await openKept({ store, catalogue, texts, log }, shutdown.signal) : undefined;
  const textVersion = parts.reading?.textVersion;
  const onEnded = metrics.jobs.ended.bind(metrics.jobs);
  const jobParts = { config, store, accounts, gateway, texts, catalogue, requestLog, onEnded, log, textVersion };
  const jobs = options.jobs ? await openJobs(jobParts) : undefined;
  if (jobs) metrics.jobs.watch(() => jobs.totals());
  const server = await buildServer(
    {
      accounts,
      gateway,
      catalogue,
      texts,
      firstPieces: remembered.firstPieces,
      metrics,
      jobs,
      requestLog,
      log,
      shutdown: shutdown.signal,
      admin: {
        version: packageVersion(),
        secret: createAdminSecret(store),
        keyring: createKeyring(store),
        store,
        kept,
        gateway,
        workers: () => pool.workers,
        settings: options.shownSettings,
      },
      settings: options.settings,
    },
    loadDoors,
  );
  const remember = () => remembered.keep(gateway);
  const running = { ...server, gateway, accounts, texts, natsWorkers, requestLog, log, remember };
  return serviceOf(running, { metrics, engines, jobs, shutdown });
}

interface Stopped {
  readonly metrics: Metrics;
  readonly engines: LocalEngines;
  readonly jobs: Jobs | undefined;
  readonly shutdown: AbortController;
}

function serviceOf(running: Omit<Running, 'jobsClosed'>, { metrics, engines, jobs, shutdown }: Stopped): Service {
  let stopping: Promise<void> | undefined;
  const stop = async (graceMs: number): Promise<void> => {
    shutdown.abort();
    engines.stop();
    // Jobs go on elsewhere, or at the next start.
    await stopService({ ...running, jobsClosed: jobs?.close() }, graceMs);
  };
  return {
    gateway: running.gateway,
    metrics,
    ready: engines.ready,
    listen: (host, port) => listenOn(running.app, host, port),
    stop(graceMs) {
      stopping ??= stop(graceMs);
      return stopping;
    },
  };
}

async function metricsOf({ metrics }: ServiceOptions): Promise<Metrics> {
  if (metrics) {
    const { PrometheusMetrics } = await import('../../server/metrics/metrics.js');
    return new PrometheusMetrics();
  }
  return (await import('../../server/metrics/no-metrics.js')).noMetrics();
}

async function openTexts(options: ServiceOptions) {
  const { config, engine } = options;
  const { createTexts } = await import('../../text/thread/texts.js');
  // A command that says a sentence needs no reader beside that of its engine.
  const texts = createTexts({ lexicon: config.lexicon, lazy: !engine.crowd, files: languageFiles(options) });
  await texts.ready();
  return texts;
}

async function openAccounts({ config, localKey, log }: ServiceOptions, store: AccountStore) {
  const { createAccounts } = await import('../../accounts/accounts.js');
  const { freeConcurrency, freeDaily, partnerConcurrency, billDelivered } = config;
  return createAccounts({
    store,
    limits: { freeConcurrency, freeDaily, partnerConcurrency },
    localKey,
    billDelivered,
    log,
  });
}

async function openGateway(
  options: ServiceOptions,
  { pool, engines, reading }: Parts,
  more: Pick<GatewayOptions, 'catalogue' | 'observer' | 'costs'>,
): Promise<ObservableGateway> {
  const { createGateway } = await import('../../gateway/gateway.js');
  const { config, log, startPatienceMs } = options;
  const { workers, queueLimit, policy } = config;
  const { crowd = false } = options.engine;
  const startedMs = performance.now();
  const isAlone = !options.nats && (workers === 1 || (workers === 'auto' && !crowd));
  return createGateway({
    ...more,
    pool,
    log,
    queueLimit,
    // Two segments keep one worker busy; several workers can make more of one text at once.
    lookahead: isAlone ? 2 : 3,
    onDemand: engines.demand,
    autoscaler: engines.autoscaler,
    policy,
    ...(reading && { textVersion: reading.textVersion }),
    // Workers announce themselves within milliseconds; one not heard by then is absent.
    expects: () => workers !== 0 || performance.now() - startedMs < EXPECT_MS,
    // In a command there is one listener, and no client that could come back later.
    admission: crowd,
    ...(startPatienceMs !== undefined && { startPatienceMs }),
  });
}

/** What was measured on this machine before, and what this service measures for the next one. */
class Remembered {
  readonly #config: Config;
  readonly #crowd: boolean;
  #measured: Promise<Measurement | undefined> | undefined;

  constructor({ config, engine }: ServiceOptions) {
    this.#config = config;
    this.#crowd = engine.crowd ?? false;
  }

  async costs() {
    return (this.#crowd && (await this.#read())?.costs) || {};
  }

  /** Read at the first request: a new machine was measured by then. */
  readonly firstPieces: FirstPieces = async (model) => {
    this.#measured ??= this.#read();
    const { firstPieceChars } = await import('../../gateway/first-piece.js');
    return firstPieceChars((await this.#measured)?.untilHeard[model]);
  };

  /** The folder of the models may be read-only: then the next server measures anew. */
  async keep(gateway: ObservableGateway): Promise<void> {
    if (!this.#crowd) return;
    const module = await this.#module();
    await module?.rememberCosts(this.#config.modelDir, this.#config, gateway.costs).catch(() => undefined);
  }

  async #read(): Promise<Measurement | undefined> {
    return (await this.#module())?.readMeasurement(this.#config.modelDir, this.#config);
  }

  async #module() {
    return this.#config.engine === 'kokoro' ? import('../../engine/measure/remembered.js') : undefined;
  }
}

type App = Awaited<ReturnType<typeof import('../../server/server.js').buildServer>>['app'];

async function listenOn(app: App, host: string, port: number): Promise<{ port: number }> {
  const { silentLogger } = await import('../../log.js');
  try {
    // Fastify would log every address; the caller says it in other words.
    const quiet: App = Object.create(app, { log: { value: silentLogger() } });
    await quiet.listen({ host, port });
  } catch (cause) {
    throw listenError(cause as NodeJS.ErrnoException, host, port);
  }
  return { port: (app.server.address() as AddressInfo).port };
}

/** Undefined where the settings keep none; the log of an earlier server is removed then. */
async function openRequestLog(config: Config, store: AccountStore, log: Logger): Promise<RequestLog | undefined> {
  const { RequestLog, emptyRequestLog } = await import('../../accounts/requests/request-log.js');
  const { requestLogDays: days, requestLogRows: rows } = config;
  if (days > 0 && rows > 0) return new RequestLog({ store, days, rows, log });
  emptyRequestLog(store).catch((error: unknown) => log.warn({ err: error }, 'the request log could not be emptied'));
  return undefined;
}

/** The dictionary of a language, fetched at its first use. */
const languageFiles =
  ({ config, log, engine }: ServiceOptions): LanguageFiles =>
  async (language) => {
    const { ensureLanguage } = await import('../../models/language-packs.js');
    const { modelDir, offline } = config;
    let told = false;
    const onProgress = (progress: Preparation) => {
      if (!told) log.info({ language }, 'fetching the dictionary of a language');
      told = true;
      engine.onProgress?.(progress);
    };
    return ensureLanguage(language, { modelDir, offline, onProgress });
  };
