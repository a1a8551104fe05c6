/** Models that are missing on disk, and the measurement of the machine that a first run makes. */
import type { Config } from '../../config.js';
import type { Logger } from '../../log.js';
import { mayBeHere } from '../../protocol/device.js';
import { BASE_MODELS, type BaseModel } from '../../protocol/job.js';
import type { Preparation } from '../../protocol/preparation.js';
import { kokoroOptions } from './engine-options.js';

export interface FetchOptions {
  readonly config: Config;
  readonly log: Logger;
  /** Empty: all of them. */
  readonly models: readonly BaseModel[];
  /** A server that stays up has the time to measure the machine. */
  readonly stays: boolean;
  readonly onProgress?: ((progress: Preparation) => void) | undefined;
  /** Called once a download or a measurement begins. */
  readonly onLong?: () => void;
}

/** Fetches what is missing, and measures the machine where that was not done. */
export async function fetchModels(options: FetchOptions, signal: AbortSignal): Promise<void> {
  const { config, models, stays, onProgress, onLong } = options;
  const { ensureModel } = await import('../../models/packs.js');
  const { modelDir, offline, device } = config;
  let pulled = false;
  const report = (progress: Preparation) => {
    pulled = true;
    onLong?.();
    onProgress?.(progress);
  };
  // A model fetched later, by the engine process, would show no progress.
  const wanted = models.length > 0 ? models : BASE_MODELS;
  for (const model of wanted) {
    await ensureModel(model, { modelDir, offline, gpu: mayBeHere(device), signal, onProgress: report });
  }
  if (!wanted.includes('base-tts')) return;
  const { wasMeasured } = await import('../../engine/measure/remembered.js');
  // A command measures on its first run alone, also where that was broken off.
  if (!pulled && !stays && (await wasMeasured(modelDir))) return;
  await measureOnce(options, signal);
}

/** Seconds of work, once on each machine: the speed of `base-tts` decides the default model. */
export async function measureOnce(
  { config, log, onProgress, onLong }: Pick<FetchOptions, 'config' | 'log' | 'onProgress' | 'onLong'>,
  signal: AbortSignal,
): Promise<{ readonly realTimeFactor: number } | undefined> {
  const { carriesLive } = await import('../../engine/measure/carries-live.js');
  if ((await carriesLive(config.modelDir, config)) !== undefined) return undefined;
  onLong?.();
  onProgress?.({ model: 'base-tts', stage: 'measure', done: 0, total: 0, detail: 'once' });
  const { measureMachine } = await import('../../gateway/workers/measure-machine.js');
  const measured = await measureMachine(kokoroOptions(config, []), log, signal);
  if (measured) log.info(measured, 'this machine was measured');
  return measured;
}
