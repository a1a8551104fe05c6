/** Times both of Kokoro's vocoders on a short word, once a machine, and remembers which is faster and how fast it is. */
import { env, Tensor } from 'onnxruntime-node';
import { ensureModel } from '../../models/packs.js';
import { SAMPLE_RATE } from '../../protocol/audio.js';
import type { Gpu } from '../../protocol/device.js';
import type { BaseModel } from '../../protocol/job.js';
import type { ReadingToken } from '../../text/types.js';
import { UNSCHEDULED } from '../engine.js';
import { createGpuSessions } from '../gpu/sessions.js';
import { openExact, productsSaturate } from '../graphs/exact-products.js';
import { cpuFor, cpuProvider, gpusToTry } from '../graphs/provider.js';
import { runFront } from '../graphs/sessions.js';
import type { KokoroOptions } from '../kokoro-options.js';
import { FRAME_SAMPLES } from '../plan.js';
import { createStyles } from '../styles.js';
import { type FrontOutput, graphOf } from '../vocoder/vocoder.js';
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

/** As many as an ordinary sentence has: what a front costs is not in proportion to a word's length. */
const SENTENCE_TOKENS: readonly ReadingToken[] = Array.from({ length: 16 }, () => TOKENS).flat();

/** Enough for a vocoder to show its pace. */
const FRAMES = 60;

/**
 * By the clock or, where others had the cores meanwhile, by the processor time that was used: threads rarely share the work more evenly
 * than this.
 */
export const ownSeconds = (clock: number, processor: number, sharedBy: number): number =>
  Math.min(clock, (1.3 * processor) / sharedBy);

/** A front is hardly sooner done by more threads than these, whatever processor time they use up between them. */
const FRONT_SHARED_BY = 2;

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

/** The first frames of an utterance. */
function head(front: FrontOutput): FrontOutput {
  const frames = Math.min(FRAMES, front.frames);
  const cut = (tensor: Tensor, channels: number): Tensor => {
    const data = new Float32Array(channels * frames);
    const whole = tensor.data as Float32Array;
    for (let channel = 0; channel < channels; channel += 1) {
      data.set(whole.subarray(channel * front.frames, channel * front.frames + frames), channel * frames);
    }
    return new Tensor('float32', data, [1, channels, frames]);
  };
  return { ...front, frames, x: cut(front.x, 512), f0: cut(front.f0, 1) };
}

const spoken = (frames: number): number => (frames * FRAME_SAMPLES) / SAMPLE_RATE;
const rounded = (factor: number): number => Number(factor.toPrecision(3));

/** Seconds of a model's front for a second of an ordinary sentence. The light voice is heard one window after it. */
async function measureFront(model: BaseModel, options: KokoroOptions): Promise<number> {
  const { modelDir, offline = false } = options;
  // As a listener who is alone has it.
  const { threads } = cpuFor(options);
  const { sessionOptions } = cpuProvider(threads, maySpin(threads));
  const { front, stylesDir } = await ensureModel(model, { modelDir, offline });
  const style = await createStyles(stylesDir).take([{ style: 'af_heart', weight: 1 }], SENTENCE_TOKENS.length, 0);
  const session = graphOf(await openExact(front, sessionOptions));
  try {
    const { frames } = await runFront(session, SENTENCE_TOKENS, style, UNSCHEDULED);
    const sharedBy = Math.min(threads, FRONT_SHARED_BY);
    return (await secondsOf(() => runFront(session, SENTENCE_TOKENS, style, UNSCHEDULED), sharedBy)) / spoken(frames);
  } finally {
    await session.release();
  }
}

/** The runtime's version, and whether graphs are rewritten for this processor: rewritten ones take longer. */
async function runtimeHere(): Promise<string> {
  const version = env.versions.node!;
  return (await productsSaturate()) ? `${version}, exact products` : version;
}

/** What is remembered already is answered at once. */
export async function measureVocoders(options: KokoroOptions): Promise<Measurement> {
  const { modelDir, offline = false } = options;
  const [gpu] = gpusToTry(options);
  if (gpu !== undefined) return measureGpu(gpu, options);
  const [runtime, known] = [await runtimeHere(), await readMeasurement(modelDir, options)];
  if (known?.runtime === runtime) return known;
  const provider = cpuFor(options);
  const files = await ensureModel('base-tts', { modelDir, offline });
  const style = await createStyles(files.stylesDir).take([{ style: 'af_heart', weight: 1 }], TOKENS.length, 0);
  const frontSession = graphOf(await openExact(files.front, provider.sessionOptions));
  const front = await runFront(frontSession, TOKENS, style, UNSCHEDULED);
  const frontSeconds = await secondsOf(() => runFront(frontSession, TOKENS, style, UNSCHEDULED), provider.threads);
  await frontSession.release();

  const short = head(front);
  let best: { vocoder: Measurement['vocoder']; seconds: number } | undefined;
  for (const vocoder of ['float', 'quantised'] as const) {
    const file = vocoder === 'float' ? files.generatorFloat! : files.generatorQuantised!;
    const whole = createWholeVocoder(graphOf(await openExact(file, provider.sessionOptions)));
    const seconds = await secondsOf(() => whole.begin(short, 0, short.frames).next(UNSCHEDULED), provider.threads);
    await whole.release();
    if (!best || seconds < best.seconds) best = { vocoder, seconds };
  }
  const factor = frontSeconds / spoken(front.frames) + best!.seconds / spoken(short.frames);
  const realTimeFactor = rounded(factor);
  // Kokoro's own vocoder is heard when all of a piece is there.
  const untilHeard = {
    'base-tts': realTimeFactor,
    'base-tts-fast': rounded(await measureFront('base-tts-fast', options)),
  };
  const measured = { vocoder: best!.vocoder, realTimeFactor, untilHeard, runtime };
  await writeMeasurement(modelDir, options, measured);
  return measured;
}

/** What the test of the GPU found: it is made here where it was not made before. */
async function measureGpu(device: Gpu, options: KokoroOptions): Promise<Measurement> {
  const { modelDir, offline = false, threads } = options;
  const sessions = createGpuSessions({ modelDir, offline, device, threads, onLost: () => undefined });
  try {
    await sessions.model('base-tts');
    const { realTimeFactor } = sessions;
    const whole = realTimeFactor + (await measureFront('base-tts', options));
    const light = await measureFront('base-tts-fast', options);
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
