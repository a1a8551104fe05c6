/** Settings as options of an engine process, and how many of those there are. */
import type { Config } from '../../config.js';
import type { WorkerLimits } from '../../gateway/workers/autoscaler.js';
import { isGpu } from '../../protocol/device.js';
import type { BaseModel } from '../../protocol/job.js';
import type { EngineOptions, KokoroOptions } from '../../worker/protocol.js';
import { readSineOptions } from './sine-options.js';

/**
 * Engine processes on one GPU: while one hands over its audio and takes the next work, another's
 * run is made. On an H200 three make 1,569 seconds of speech a second and two 1,366, but with three
 * the first audio of 800 listeners comes a third later. Both are there from the start: one that
 * starts while listeners arrive takes cores from them for 4 s.
 */
export const ON_GPU: WorkerLimits = { least: 2, most: 2 };

/** Engine processes that are always there, and how many there may be. */
export async function processesOf(
  { workers, threads, device }: Pick<Config, 'workers' | 'threads' | 'device'>,
  crowd: boolean,
): Promise<WorkerLimits> {
  if (workers !== 'auto') return { least: workers, most: workers };
  if (!crowd) return { least: 1, most: 1 };
  if (isGpu(device)) return ON_GPU;
  const { mostWorkers } = await import('../../engine/measure/machine.js');
  return { least: 1, most: mostWorkers(threads) };
}

export function kokoroOptions(config: Config, preload: readonly BaseModel[]): KokoroOptions {
  const { modelDir, lexicon, device, threads, workers, offline } = config;
  return { modelDir, lexicon, device, threads, workers, offline, preload };
}

export function engineOptions(
  config: Config,
  share: Required<KokoroOptions>['share'],
  preload: readonly BaseModel[],
  { seeksGpu = false, unheard = false }: Pick<KokoroOptions, 'seeksGpu' | 'unheard'> = {},
): EngineOptions {
  if (config.engine === 'sine') {
    // TTS_SINE_OPTIONS of a load test. The tone engine's card is a GPU like any other.
    const { card, ...sine } = readSineOptions(process.env.TTS_SINE_OPTIONS ?? '{}');
    const onCard = isGpu(config.device) || (config.device === 'auto' && seeksGpu);
    return { engine: 'sine', sine: { ...sine, ...(card && onCard && { card }) } };
  }
  return { engine: 'kokoro', kokoro: { ...kokoroOptions(config, preload), share, seeksGpu, unheard } };
}
