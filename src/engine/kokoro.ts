/** The Kokoro engine: reads a segment, runs the model's graphs on its tokens, and yields audio. */
import { env } from 'onnxruntime-node';
import { ownWeights, RECIPE } from '../models/manifest.js';
import { groupOf } from '../models/model-files.js';
import type { Gpu } from '../protocol/device.js';
import { isAbort, TtsError } from '../protocol/errors.js';
import { DEFAULT_LANGUAGE, type SegmentJob, type SpeechEvent } from '../protocol/job.js';
import { loadLexicon } from '../text/lexicon.js';
import { createReaders, warmUp } from '../text/reader.js';
import type { Engine, EngineFacts, StepRunner } from './engine.js';
import { driverFacts } from './gpu/vulkan.js';
import { cpuFor, cpuProvider, gpusToTry } from './graphs/provider.js';
import { createSessions, type Sessions } from './graphs/sessions.js';
import type { KokoroOptions } from './kokoro-options.js';
import { type GpuCheck, readMeasurement, recentLosses, rememberLoss } from './measure/remembered.js';
import { speakReading } from './speech.js';
import { OPENING } from './vocoder/opened-vocoder.js';

type EngineLog = (level: 'info' | 'warn' | 'debug', message: string, fields?: object) => void;

export interface KokoroSurroundings {
  readonly log: EngineLog;
  /** The GPU failed, and everything on it is lost. The owner of the engine has to end it. */
  readonly onLost?: (error: unknown) => void;
  /** `auto` found a GPU and begins to test it. */
  readonly onTry?: (device: Gpu) => void;
  /** GPUs to try, in this order. Absent: those that the runtime and the machine have. */
  readonly gpus?: readonly Gpu[];
}

/**
 * Delay of the reader's warm-up (ms). A server reads a warm-up text before its first request; the
 * text of a command arrives sooner than this and need not wait for it.
 */
const WARM_UP_AFTER_MS = 300;

export async function createKokoroEngine(options: KokoroOptions & KokoroSurroundings): Promise<Engine> {
  const { lexicon, modelDir, offline = false } = options;
  const { sessions, ...facts } = (await onGpu(options)) ?? (await onCpu(options));
  const readers = await createReaders({
    ...(lexicon !== '' && { lexicon: await loadLexicon(lexicon) }),
    files: async (language) => {
      const { ensureLanguage } = await import('../models/language-packs.js');
      return ensureLanguage(language, { modelDir, offline });
    },
  });
  const warming = setTimeout(() => void readers(DEFAULT_LANGUAGE).then(warmUp), WARM_UP_AFTER_MS).unref();

  async function* speak(job: SegmentJob, steps: StepRunner, signal: AbortSignal): AsyncGenerator<SpeechEvent> {
    clearTimeout(warming);
    try {
      const voices = groupOf(job.mix);
      if (!sessions.isLoaded(job.model, voices)) yield { type: 'progress', loading: true };
      const model = await sessions.model(job.model, voices);
      signal.throwIfAborted();
      const reader = await readers(job.language);
      await reader.prepare(job.segment);
      const reading = reader.read(job.segment);
      for await (const event of speakReading({ job, model, reading, steps })) {
        signal.throwIfAborted();
        yield event;
      }
    } catch (error) {
      if (isAbort(error) || error instanceof TtsError) throw error;
      throw new TtsError('synthesis_failed', `The speech engine failed: ${(error as Error).message}`, { cause: error });
    }
  }

  const close = () => {
    clearTimeout(warming);
    return sessions.close();
  };
  return { ...facts, speak, close };
}

interface Found extends EngineFacts {
  readonly sessions: Sessions;
}

// How a text is read shows in its timings, which are compared when a segment is resumed. The
// version stands for all else that decides its samples.
const versionOf = (...parts: readonly string[]): string =>
  ['kokoro', RECIPE, ownWeights(), env.versions.node, process.arch, ...parts].join(' ');

async function onCpu({
  modelDir,
  offline = false,
  share = 'machine',
  unheard = false,
  preload,
  log,
  ...use
}: KokoroOptions & KokoroSurroundings): Promise<Found> {
  const whole = cpuFor(use);
  const provider = share === 'machine' ? whole : cpuProvider(1);
  const threadsWhenIdle = share === 'either' ? whole.threads : 0;
  const isMultiThreaded = threadsWhenIdle > provider.threads;
  const description = isMultiThreaded ? `${provider.description}, ${threadsWhenIdle} when idle` : provider.description;
  const measured = await readMeasurement(modelDir, use);
  const vocoder = measured?.vocoder ?? 'quantised';
  if (use.device === 'auto') log('info', 'device chosen', { device: description, vocoder });
  const { realTimeFactor } = measured ?? {};
  const sessions = createSessions({ modelDir, offline, provider, threadsWhenIdle, vocoder, realTimeFactor, unheard });
  for (const model of preload) await sessions.model(model);
  // After the engine has said that it is ready, and before there is load.
  if (isMultiThreaded) setImmediate(() => sessions.openSingleThreaded().catch(() => undefined));
  const version = versionOf('cpu', vocoder, OPENING);
  return { sessions, device: 'cpu', description, version, realTimeFactor };
}

/** A segment is tried three times; after two losses of the GPU the third try is the CPU's. */
const MOST_LOSSES = 2;

/** Undefined where there is no GPU, or where `auto` found one that is wrong, slow or unstable. */
async function onGpu(options: KokoroOptions & KokoroSurroundings): Promise<Found | undefined> {
  const { modelDir, offline = false, threads, preload, log } = options;
  const onCheck = (check: GpuCheck) => log(check.passed ? 'info' : 'warn', 'a GPU was compared with the CPU', check);
  for (const device of options.gpus ?? gpusToTry(options)) {
    let inUse = false;
    const onLost = (error: unknown) => {
      if (inUse) void rememberLoss(modelDir).finally(() => options.onLost?.(error));
    };
    const losses = options.device === 'auto' ? await recentLosses(modelDir) : 0;
    if (losses >= MOST_LOSSES) {
      const reason = `it was lost ${losses} times within ten minutes; \`tts doctor\` tries it again`;
      log('warn', 'the GPU is not used, the CPU is', { device, reason });
      continue;
    }
    if (options.device === 'auto') options.onTry?.(device);
    // Imported where there is a GPU: they bring the check and its measures along.
    const [{ GpuSessions }, { SLOWEST_GPU }] = await Promise.all([
      import('./gpu/sessions.js'),
      import('./gpu/check.js'),
    ]);
    const sessions = new GpuSessions({ modelDir, offline, device, threads, onLost, onCheck });
    try {
      // At least one model: `auto` has to know now whether the GPU can be used.
      for (const model of preload.length > 0 ? preload : (['base-tts-fast'] as const)) await sessions.model(model);
      const { realTimeFactor, acousticThreads, threadsWhenIdle, capacity } = sessions;
      if (options.device === 'auto' && realTimeFactor > SLOWEST_GPU) {
        throw new Error(`it takes ${realTimeFactor} s for a second of speech`);
      }
      inUse = true;
      const cores = `${acousticThreads} acoustic thread${acousticThreads === 1 ? '' : 's'}`;
      const description = `${device}, ${cores}, ${threadsWhenIdle} threads when idle`;
      if (options.device === 'auto') log('info', 'device chosen', { device: description });
      const version = versionOf(device, driverFacts(), sessions.forms);
      return { sessions, device, description, version, realTimeFactor, capacity };
    } catch (error) {
      await sessions.close();
      if (options.device !== 'auto') throw error;
      log('warn', 'the GPU is not used, the CPU is', { device, reason: (error as Error).message });
    }
  }
  return undefined;
}
