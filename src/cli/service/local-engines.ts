/** The engine processes of this machine: fetches missing models, then starts the processes. */
import type { Config } from '../../config.js';
import type { Autoscaler } from '../../gateway/workers/autoscaler.js';
import type { WorkerPool } from '../../gateway/workers/pool.js';
import type { Logger } from '../../log.js';
import { isGpu } from '../../protocol/device.js';
import { TtsError } from '../../protocol/errors.js';
import type { BaseModel } from '../../protocol/job.js';
import type { Preparation } from '../../protocol/preparation.js';
import { engineOptions, ON_GPU, processesOf } from './engine-options.js';
import { fetchModels } from './fetch-models.js';

export interface LocalEnginesOptions {
  readonly config: Config;
  readonly log: Logger;
  readonly pool: WorkerPool;
  /** `now` for a server, `demand` for a command that may never speak. */
  readonly start: 'now' | 'demand';
  /** Models loaded before the first job; empty loads each with the first job that needs it. */
  readonly models: readonly BaseModel[];
  /** A server that stays up retries after a failure, and measures the machine. */
  readonly stays?: boolean;
  /** Many may listen: more processes start while work waits, where `--workers` is auto. */
  readonly crowd?: boolean;
  /** Nobody hears the speech while it is made, so that it need not begin soon. */
  readonly unheard?: boolean;
  readonly onProgress?: (progress: Preparation) => void;
}

const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 60_000;

export class LocalEngines {
  /** Resolves when the processes were started, a download or measurement began, or it failed. */
  readonly begun: Promise<void>;
  /** Starts workers beyond the first while work waits. */
  readonly autoscaler: Pick<Autoscaler, 'need' | 'spare'>;
  readonly #options: LocalEnginesOptions;
  readonly #stopped = new AbortController();
  #begin: () => void = () => undefined;
  #started = false;
  #retry: NodeJS.Timeout | undefined;
  #autoscaler: Autoscaler | undefined;

  constructor(options: LocalEnginesOptions) {
    this.#options = options;
    this.begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
    const current = () => this.#autoscaler;
    this.autoscaler = {
      need: (steps, wanted) => current()?.need(steps, wanted),
      get spare() {
        return current()?.spare ?? 0;
      },
    };
    if (options.start === 'now') this.demand();
  }

  /** Speech is wanted: starts the processes, once. */
  readonly demand = (): void => {
    if (this.#started) return;
    this.#started = true;
    void this.#open(FIRST_RETRY_MS).finally(this.#begin);
  };

  /** Resolves when a worker is ready, rejects with the reason none will be. */
  readonly ready = (): Promise<void> => {
    this.demand();
    const { pool } = this.#options;
    const { signal } = this.#stopped;
    return new Promise((resolve, reject) => {
      const look = () => {
        const failed = pool.state === 'dead' ? pool.workers.find((worker) => worker.lastError)?.lastError : undefined;
        const reason = pool.failure ?? failed;
        if (pool.state !== 'ready' && reason === undefined && !signal.aborted) return;
        unsubscribe();
        if (pool.state === 'ready') resolve();
        else reject(reason ?? new TtsError('shutting_down', 'The server was stopped before the engine was ready.'));
      };
      const unsubscribe = pool.onChange(look);
      signal.addEventListener('abort', look, { once: true });
      look();
    });
  };

  /** Stops fetching and trying again; the pool closes the processes. */
  stop(): void {
    clearTimeout(this.#retry);
    this.#autoscaler?.stop();
    this.#stopped.abort();
  }

  async #open(retryMs: number): Promise<void> {
    const { config, log, pool, models, stays = false, onProgress } = this.#options;
    // With `--workers 0` all workers are on other machines.
    if (config.workers === 0) return;
    const { signal } = this.#stopped;
    try {
      if (config.engine !== 'sine')
        await fetchModels({ config, log, models, stays, onProgress, onLong: this.#begin }, signal);
      await this.#startProcesses();
    } catch (error) {
      if (signal.aborted) return;
      const known =
        error instanceof TtsError
          ? error
          : new TtsError('internal_error', `The engine cannot be started: ${String(error)}`, { cause: error });
      log.error({ err: known, code: known.code }, 'the engine cannot be started');
      pool.setFailure(known);
      // A server tries again; a command says at once why it cannot speak.
      if (!stays || !known.row.retryable) return;
      this.#retry = setTimeout(() => void this.#open(Math.min(MAX_RETRY_MS, retryMs * 2)), retryMs);
    }
  }

  async #startProcesses(): Promise<void> {
    const { config, log, pool, models, crowd = false, unheard = false } = this.#options;
    const [{ Autoscaler }, { createProcessWorker }, limits] = await Promise.all([
      import('../../gateway/workers/autoscaler.js'),
      import('../../gateway/workers/process-worker.js'),
      processesOf(config, crowd),
    ]);
    if (this.#stopped.signal.aborted) return;
    pool.setFailure(undefined);
    const { workers, threads, device, workerIdleSeconds } = config;
    // Each of several processes has one core. The first may use all of them for a single listener.
    const multiThreads = workers === 'auto' && threads === 'auto' && limits.most > 1;
    // Checking a GPU can take a minute. An engine process on the CPU serves requests until then.
    const startSubstitute = (number: number) => {
      const options = engineOptions(config, multiThreads ? 'either' : 'machine', models, { unheard });
      return createProcessWorker({ id: `engine-${number}`, options, multiThreads, log });
    };
    this.#autoscaler = new Autoscaler({
      pool,
      startWorker: (number, startedFor = models) => {
        const first = number === 1;
        const share = !multiThreads ? 'machine' : first ? 'either' : 'core';
        // The first process compares a GPU with the CPU; the others follow its verdict.
        const seeksGpu = crowd && (first || this.#gpuInUse);
        const options = engineOptions(config, share, startedFor, { seeksGpu, unheard });
        return createProcessWorker({ id: `engine-${number}`, options, multiThreads: multiThreads && first, log });
      },
      limits: () => (workers === 'auto' && this.#gpuInUse ? ON_GPU : limits),
      firstAlone: crowd && device !== 'cpu',
      ...(device === 'auto' && { startSubstitute }),
      maxStarting: Math.ceil(limits.most / 2),
      idleMs: workerIdleSeconds * 1000,
      log,
    });
    this.#autoscaler.start();
  }

  /** Only processes of this machine have a device, so that a GPU elsewhere is not counted. */
  get #gpuInUse(): boolean {
    return this.#options.pool.workers.some(({ device }) => device !== undefined && isGpu(device));
  }
}
