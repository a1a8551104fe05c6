/** Where the workers come from: fetches the models that are missing, then starts the engine processes. */

import type { Config } from '../../config.js';
import type { Autoscaler } from '../../gateway/workers/autoscaler.js';
import type { WorkerPool } from '../../gateway/workers/pool.js';
import type { Logger } from '../../log.js';
import { isGpu, mayBeHere } from '../../protocol/device.js';
import { TtsError } from '../../protocol/errors.js';
import { BASE_MODELS, type BaseModel } from '../../protocol/job.js';
import type { Preparation } from '../../protocol/preparation.js';
import type { EngineOptions, KokoroOptions } from '../../worker/protocol.js';
import { readSineOptions } from './sine-options.js';

export interface EngineRoomOptions {
  readonly config: Config;
  readonly log: Logger;
  readonly pool: WorkerPool;
  /** `now` for a server, `demand` for a command that may never speak. */
  readonly start: 'now' | 'demand';
  /** Those that are there before the first job; empty loads each with the first job that needs it. */
  readonly models: readonly BaseModel[];
  /** A server that will stay: it tries again what failed, and has the time to measure the machine. */
  readonly stays?: boolean;
  /** Many may listen: more processes come while work waits, where the number was left to us. */
  readonly crowd?: boolean;
  readonly onProgress?: (progress: Preparation) => void;
}

export interface EngineRoom {
  /** Speech is wanted. */
  readonly demand: () => void;
  /** Resolves when the processes were started, or it turned out that something takes longer first, or fails. */
  readonly begun: Promise<void>;
  /** Resolves when a worker is ready, rejects with the reason none will be. */
  readonly ready: () => Promise<void>;
  /** Starts workers beyond the first while work waits. */
  readonly autoscaler: Pick<Autoscaler, 'need' | 'spare'>;
  /** Stops fetching and trying again. */
  readonly stop: () => void;
}

/**
 * Engine processes on one GPU. While one hands over what it made and what comes next, the other's run is made; with more of them the GPU is
 * no busier (measured on an H200).
 */
export const GPU_PROCESSES = 3;
const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 60_000;

/** Engine processes that are always there, and how many there may be. */
export async function processesOf(
  { workers, threads, device }: Pick<Config, 'workers' | 'threads' | 'device'>,
  crowd: boolean,
): Promise<{ least: number; most: number }> {
  if (workers !== 'auto') return { least: workers, most: workers };
  if (!crowd) return { least: 1, most: 1 };
  if (isGpu(device)) return { least: 1, most: GPU_PROCESSES };
  const { mostWorkers } = await import('../../engine/measure/machine.js');
  return { least: 1, most: mostWorkers(threads) };
}

export function createEngineRoom({
  config,
  log,
  pool,
  start,
  models,
  stays = false,
  crowd = false,
  onProgress,
}: EngineRoomOptions): EngineRoom {
  const stopped = new AbortController();
  const { signal } = stopped;
  let started = false;
  let retry: NodeJS.Timeout | undefined;
  let autoscaler: Autoscaler | undefined;
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });

  /** Engine processes of this machine alone have a device: a GPU elsewhere says nothing of what runs here. */
  const gpuInUse = (): boolean => pool.workers.some(({ device }) => device !== undefined && isGpu(device));

  async function startEngines(): Promise<void> {
    const [{ Autoscaler }, { createProcessWorker }, { least, most }] = await Promise.all([
      import('../../gateway/workers/autoscaler.js'),
      import('../../gateway/workers/process-worker.js'),
      processesOf(config, crowd),
    ]);
    if (signal.aborted) return;
    pool.setFailure(undefined);
    const { workers, threads, workerIdleSeconds } = config;
    // Several engines have a core each; the first can use all cores for a single listener.
    const multiThreads = workers === 'auto' && threads === 'auto' && most > 1;
    // Checking a GPU can take a minute. An engine process on the CPU serves requests until then.
    const startSubstitute = (number: number) => {
      const options = engineOptions(config, multiThreads ? 'either' : 'machine', models);
      return createProcessWorker({ id: `engine-${number}`, options, multiThreads, log });
    };
    autoscaler = new Autoscaler({
      pool,
      startWorker(number, preload) {
        const [share, asked] = number === 1 ? (['either', models] as const) : (['core', preload] as const);
        const preloaded = workers === 'auto' ? asked : models;
        // The first process compares a GPU with the CPU. The verdict is known once it is ready: the others follow it.
        const seeksGpu = crowd && (number === 1 || gpuInUse());
        const options = engineOptions(config, multiThreads ? share : 'machine', preloaded, seeksGpu);
        const first = number === 1;
        return createProcessWorker({ id: `engine-${number}`, options, multiThreads: multiThreads && first, log });
      },
      minWorkers: least,
      maxWorkers: most,
      firstAlone: crowd && config.device !== 'cpu',
      ...(config.device === 'auto' && { startSubstitute }),
      maxStarting: Math.ceil(most / 2),
      idleMs: workerIdleSeconds * 1000,
      maxNow: () => (workers === 'auto' && gpuInUse() ? Math.min(most, GPU_PROCESSES) : most),
      log,
    });
    autoscaler.start();
  }

  async function open(waitMs = FIRST_RETRY_MS): Promise<void> {
    // All of them are elsewhere.
    if (config.workers === 0) return;
    try {
      if (config.engine !== 'sine')
        await fetchModels({ config, log, models, stays, onProgress, onLong: begin }, signal);
      await startEngines();
    } catch (error) {
      if (signal.aborted) return;
      const known =
        error instanceof TtsError
          ? error
          : new TtsError('internal_error', `The engine cannot be started: ${String(error)}`, { cause: error });
      log.error({ err: known, code: known.code }, 'the engine cannot be started');
      pool.setFailure(known);
      // A server tries again; a command says at once why it cannot speak.
      if (stays && known.row.retryable) {
        retry = setTimeout(() => void open(Math.min(MAX_RETRY_MS, waitMs * 2)), waitMs);
      }
    }
  }

  const demand = () => {
    if (started) return;
    started = true;
    void open().finally(begin);
  };
  if (start === 'now') demand();

  return {
    demand,
    begun,
    ready() {
      demand();
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
    },
    autoscaler: {
      need: (steps, wanted) => autoscaler?.need(steps, wanted),
      get spare() {
        return autoscaler?.spare ?? 0;
      },
    },
    stop() {
      clearTimeout(retry);
      autoscaler?.stop();
      stopped.abort();
    },
  };
}

function kokoroOptions(config: Config, preload: readonly BaseModel[]): KokoroOptions {
  const { modelDir, lexicon, device, threads, workers, offline } = config;
  return { modelDir, lexicon, device, threads, workers, offline, preload };
}

export function engineOptions(
  config: Config,
  share: Required<KokoroOptions>['share'],
  preload: readonly BaseModel[],
  seeksGpu = false,
): EngineOptions {
  if (config.engine === 'sine') {
    // A load test tells the tone engine by this how slow or frail to be. Its `card` stands for a GPU.
    const { card, ...sine } = readSineOptions(process.env.TTS_SINE_OPTIONS ?? '{}');
    const onCard = isGpu(config.device) || (config.device === 'auto' && seeksGpu);
    return { engine: 'sine', sine: { ...sine, ...(card && onCard && { card }) } };
  }
  return { engine: 'kokoro', kokoro: { ...kokoroOptions(config, preload), share, seeksGpu } };
}

export interface FetchOptions extends Pick<EngineRoomOptions, 'config' | 'log' | 'models'> {
  readonly stays: boolean;
  readonly onProgress?: ((progress: Preparation) => void) | undefined;
  /** It turned out that something takes longer. */
  readonly onLong?: () => void;
}

/** Has the models on disk that are missing there, and the machine measured where that was not done. */
export async function fetchModels(options: FetchOptions, signal: AbortSignal): Promise<void> {
  const { config, log, models, stays, onProgress, onLong } = options;
  const { ensureModel } = await import('../../models/packs.js');
  const { modelDir, offline, device } = config;
  let pulled = false;
  // One that is not on disk when it is asked for would be fetched by the engine, with nobody to see the progress.
  const wanted = models.length > 0 ? models : BASE_MODELS;
  for (const model of wanted) {
    const report = (progress: Preparation) => {
      pulled = true;
      onLong?.();
      onProgress?.(progress);
    };
    await ensureModel(model, { modelDir, offline, gpu: mayBeHere(device), signal, onProgress: report });
  }
  // Once a machine, a few seconds: on the first run, broken off or not, or when a server starts that will stay.
  if (!wanted.includes('base-tts')) return;
  const { carriesLive } = await import('../../engine/measure/carries-live.js');
  if ((await carriesLive(modelDir, config)) !== undefined) return;
  const { wasMeasured } = await import('../../engine/measure/remembered.js');
  if (!pulled && !stays && (await wasMeasured(modelDir))) return;
  onLong?.();
  onProgress?.({ model: 'base-tts', stage: 'measure', done: 0, total: 0, detail: 'once' });
  const { measureMachine } = await import('../../gateway/workers/measure-machine.js');
  const measured = await measureMachine(kokoroOptions(config, []), log, signal);
  if (measured) log.info(measured, 'this machine was measured');
}
