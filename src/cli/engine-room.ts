/** Where the workers come from: fetches the models that are missing, then starts the engine processes. */

import type { Config } from '../config.js';
import type { WorkerPool } from '../gateway/pool.js';
import type { Logger } from '../log.js';
import { isGpu } from '../protocol/device.js';
import { TtsError } from '../protocol/errors.js';
import { BASE_MODELS, type BaseModel } from '../protocol/job.js';
import type { Preparation } from '../protocol/preparation.js';
import type { EngineOptions, KokoroOptions } from '../worker/protocol.js';

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
  readonly onProgress?: (progress: Preparation) => void;
}

export interface EngineRoom {
  /** Speech is wanted. */
  readonly demand: () => void;
  /** Resolves when the processes were started, or it turned out that something takes longer first, or fails. */
  readonly begun: Promise<void>;
  /** Resolves when a worker is ready, rejects with the reason none will be. */
  readonly ready: () => Promise<void>;
  /** Stops fetching and trying again. */
  readonly stop: () => void;
}

const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 60_000;

export function createEngineRoom({
  config,
  log,
  pool,
  start,
  models,
  stays = false,
  onProgress,
}: EngineRoomOptions): EngineRoom {
  const stopped = new AbortController();
  const { signal } = stopped;
  let started = false;
  let retry: NodeJS.Timeout | undefined;
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });

  async function fetchModels(): Promise<void> {
    const { ensureModel } = await import('../models/packs.js');
    const { modelDir, offline, device } = config;
    let pulled = false;
    // One that is not on disk when it is asked for would be fetched by the engine, with nobody to see the progress.
    const wanted = models.length > 0 ? models : BASE_MODELS;
    for (const model of wanted) {
      const report = (progress: Preparation) => {
        pulled = true;
        begin();
        onProgress?.(progress);
      };
      await ensureModel(model, { modelDir, offline, gpu: isGpu(device), signal, onProgress: report });
    }
    // Once a machine, a few seconds: on the first run, broken off or not, or when a server starts that will stay.
    if (!wanted.includes('base-tts')) return;
    const { carriesLive } = await import('../engine/carries-live.js');
    if ((await carriesLive(modelDir, config)) !== undefined) return;
    const { wasMeasured } = await import('../engine/remembered.js');
    if (!pulled && !stays && (await wasMeasured(modelDir))) return;
    begin();
    onProgress?.({ model: 'base-tts', stage: 'measure', done: 0, total: 0, detail: 'once' });
    const { measureMachine } = await import('../gateway/measure-machine.js');
    const measured = await measureMachine(kokoroOptions([]), log, signal);
    if (measured) log.info(measured, 'this machine was measured');
  }

  function kokoroOptions(preload: readonly BaseModel[]): KokoroOptions {
    const { modelDir, lexicon, device, threads, workers, offline } = config;
    return { modelDir, lexicon, device, threads, workers, offline, preload };
  }

  function engineOptions(): EngineOptions {
    if (config.engine === 'sine') {
      // A test of the whole program tells the sine engine by this how slow or frail to be.
      return { engine: 'sine', sine: JSON.parse(process.env.TTS_SINE_OPTIONS ?? '{}') };
    }
    return { engine: 'kokoro', kokoro: kokoroOptions(models) };
  }

  async function open(waitMs = FIRST_RETRY_MS): Promise<void> {
    try {
      if (config.engine !== 'sine') await fetchModels();
      const { createProcessWorker } = await import('../gateway/process-worker.js');
      if (signal.aborted) return;
      pool.setFailure(undefined);
      for (let i = 1; i <= config.workers; i++) {
        pool.add(createProcessWorker({ id: `engine-${i}`, options: engineOptions(), log }));
      }
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
    stop() {
      clearTimeout(retry);
      stopped.abort();
    },
  };
}
