/** Times both forms of Kokoro's generator, once on a machine, and remembers the faster one. */
import { env, type InferenceSession } from 'onnxruntime-node';
import { ensureModel } from '../../models/packs.js';
import { SAMPLE_RATE } from '../../protocol/audio.js';
import type { Gpu } from '../../protocol/device.js';
import type { BaseModel } from '../../protocol/job.js';
import type { ReadingToken } from '../../text/types.js';
import { UNSCHEDULED } from '../engine.js';
import { GpuSessions } from '../gpu/sessions.js';
import { acousticGraphs, runAcousticModel } from '../graphs/acoustic-model.js';
import { productsSaturate } from '../graphs/exact-products.js';
import { openUnkept } from '../graphs/graph-loader.js';
import { cpuFor, cpuProvider, gpusToTry } from '../graphs/provider.js';
import type { KokoroOptions } from '../kokoro-options.js';
import { FRAME_SAMPLES } from '../plan.js';
import { createStyles } from '../styles.js';
import { headOf } from '../vocoder/features.js';
import { graphOf } from '../vocoder/vocoder.js';
import { createWholeVocoder } from '../vocoder/whole-vocoder.js';
import { maySpin } from './machine.js';
import { type Measurement, readMeasurement, writeMeasurement } from './remembered.js';

/** "Hi." in the model's alphabet. */
const TOKENS: readonly ReadingToken[] = [
  [50, 'h'],
  [156, 'ˈ'],
  [43, 'a'],
  [102, 'ɪ'],
  [4, '.'],
].map(([id, symbol]) => ({ id: id as number, symbol: symbol as string, start: 0, end: 0 }));

/** As many tokens as an ordinary sentence has: the acoustic model's cost is not proportional. */
const SENTENCE_TOKENS: readonly ReadingToken[] = Array.from({ length: 16 }, () => TOKENS).flat();

/** Frames of the measured run of a vocoder (0.75 s): the shortest that shows its speed. */
const FRAMES = 60;

/** How much longer a run takes than its processor time divided by its threads (measured). */
const UNEVENNESS = 1.3;

/** The time of a run by the clock or, where other work had the cores, by its processor time. */
export const ownSeconds = (clock: number, processor: number, sharedBy: number): number =>
  Math.min(clock, (UNEVENNESS * processor) / sharedBy);

/** Threads beyond this number hardly make an acoustic model faster (measured). */
const ACOUSTIC_SHARED_BY = 2;

/** Seconds that `work` takes with the machine to itself: the best of two runs. */
async function secondsOf(work: () => Promise<unknown>, sharedBy: number): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 2; run += 1) {
    const [start, before] = [performance.now(), process.cpuUsage()];
    await work();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, ownSeconds((performance.now() - start) / 1000, (user + system) / 1e6, sharedBy));
  }
  return best;
}

const spoken = (frames: number): number => (frames * FRAME_SAMPLES) / SAMPLE_RATE;
const rounded = (factor: number): number => Number(factor.toPrecision(3));

/**
 * Seconds of a model's acoustic model for a second of an ordinary sentence. base-tts-fast is heard
 * one window after it.
 */
async function measureAcousticModel(model: BaseModel, options: KokoroOptions): Promise<number> {
  const { modelDir, offline = false } = options;
  // As a stream has it on an idle server.
  const { threads } = cpuFor(options);
  const { sessionOptions } = cpuProvider(threads, maySpin(threads));
  const { acousticModel, stylesDir } = await ensureModel(model, { modelDir, offline });
  const style = await createStyles(stylesDir).take([{ style: 'af_heart', weight: 1 }], SENTENCE_TOKENS.length, 0);
  const graphs = await openAcousticModel(acousticModel, sessionOptions);
  const say = () => runAcousticModel(graphs, SENTENCE_TOKENS, style, UNSCHEDULED);
  try {
    const { frames } = await say();
    return (await secondsOf(say, Math.min(threads, ACOUSTIC_SHARED_BY))) / spoken(frames);
  } finally {
    await graphs.release();
  }
}

async function openAcousticModel(file: string, options: InferenceSession.SessionOptions) {
  const melody = await openUnkept(file, 'melody', options);
  const features = await openUnkept(file, 'features', options);
  return {
    ...acousticGraphs(graphOf(melody), graphOf(features)),
    release: () => Promise.all([melody.release(), features.release()]),
  };
}

/**
 * The runtime's version, and whether graphs are rewritten for this processor: rewritten ones take
 * longer.
 */
async function runtimeHere(): Promise<string> {
  const version = env.versions.node!;
  return (await productsSaturate()) ? `${version}, exact products` : version;
}

/** Answers at once where a measurement is remembered. */
export async function measureVocoders(options: KokoroOptions): Promise<Measurement> {
  const { modelDir, offline = false } = options;
  const [gpu] = gpusToTry(options);
  if (gpu !== undefined) return measureGpu(gpu, options);
  const [runtime, known] = [await runtimeHere(), await readMeasurement(modelDir, options)];
  if (known?.runtime === runtime) return known;
  const provider = cpuFor(options);
  const files = await ensureModel('base-tts', { modelDir, offline });
  const style = await createStyles(files.stylesDir).take([{ style: 'af_heart', weight: 1 }], TOKENS.length, 0);
  const acousticModel = await openAcousticModel(files.acousticModel, provider.sessionOptions);
  const features = await runAcousticModel(acousticModel, TOKENS, style, UNSCHEDULED);
  const acousticSeconds = await secondsOf(
    () => runAcousticModel(acousticModel, TOKENS, style, UNSCHEDULED),
    provider.threads,
  );
  await acousticModel.release();

  const short = headOf(features, Math.min(FRAMES, features.frames));
  let best: { vocoder: Measurement['vocoder']; seconds: number } | undefined;
  for (const vocoder of ['float', 'quantised'] as const) {
    const file = vocoder === 'float' ? files.generatorFloat : files.generatorQuantised;
    const whole = createWholeVocoder(graphOf(await openUnkept(file, undefined, provider.sessionOptions)));
    const seconds = await secondsOf(() => whole.begin(short, 0, short.frames).next(UNSCHEDULED), provider.threads);
    await whole.release();
    if (!best || seconds < best.seconds) best = { vocoder, seconds };
  }
  const factor = acousticSeconds / spoken(features.frames) + best!.seconds / spoken(short.frames);
  const realTimeFactor = rounded(factor);
  // Kokoro's generator is heard when all of a segment is made.
  const untilHeard = {
    'base-tts': realTimeFactor,
    'base-tts-fast': rounded(await measureAcousticModel('base-tts-fast', options)),
  };
  const measured = { vocoder: best!.vocoder, realTimeFactor, untilHeard, runtime };
  await writeMeasurement(modelDir, options, measured);
  return measured;
}

/** Takes the result of the GPU's test, which is made here if it was not made before. */
async function measureGpu(device: Gpu, options: KokoroOptions): Promise<Measurement> {
  const { modelDir, offline = false, threads } = options;
  const sessions = new GpuSessions({ modelDir, offline, device, threads, onLost: () => undefined });
  try {
    await sessions.model('base-tts');
    const { realTimeFactor } = sessions;
    const whole = realTimeFactor + (await measureAcousticModel('base-tts', options));
    const light = await measureAcousticModel('base-tts-fast', options);
    const measured = {
      vocoder: 'float',
      realTimeFactor,
      untilHeard: { 'base-tts': rounded(whole), 'base-tts-fast': rounded(light) },
      runtime: await runtimeHere(),
    } as const;
    await writeMeasurement(modelDir, options, measured);
    return measured;
  } finally {
    await sessions.close();
  }
}
