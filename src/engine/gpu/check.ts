/**
 * The test of a GPU. Some drivers compute wrong samples without an error, so before a GPU speaks
 * for the first time its samples are compared with the CPU's. The verdict is remembered for this
 * machine, driver, runtime and graph.
 */
import { cpus } from 'node:os';
import { env, Tensor } from 'onnxruntime-node';
import { RECIPE } from '../../models/manifest.js';
import { SAMPLE_RATE } from '../../protocol/audio.js';
import type { Gpu } from '../../protocol/device.js';
import { TtsError } from '../../protocol/errors.js';
import { UNSCHEDULED } from '../engine.js';
import { type AcousticGraphs, graphName } from '../graphs/acoustic-model.js';
import type { GraphThread, GraphThreads } from '../graphs/graph-threads.js';
import { packed, unpacked } from '../graphs/packed.js';
import { melDistance } from '../measure/mel-cepstrum.js';
import { type GpuCheck, readCheck, writeCheck } from '../measure/remembered.js';
import { FRAME_SAMPLES } from '../plan.js';
import { createFastVocoder } from '../vocoder/fast-vocoder.js';
import { type AcousticFeatures, silence } from '../vocoder/features.js';
import type { Graph } from '../vocoder/vocoder.js';
import { oneWindow } from '../vocoder/windows.js';
import { CpuReference, featuresOf, type ReferenceOptions, SENTENCES, type Sentence } from './cpu-reference.js';
import { framesItem, silentFrames } from './frames-batch.js';
import { type GpuItem, LIGHT, type LightVocoder } from './gpu-item.js';
import { runOnGpu } from './gpu-runs.js';
import { driverFacts } from './vulkan.js';

/**
 * `leastDb`: the least level of the sound above its difference to the CPU's. A right GPU is far
 * above it: 33 dB with Kokoro's generator (the CPU's own 8-bit form of it: 18), 34 dB with the
 * light vocoder; wrong ones that were reported are near 0.
 *
 * `mostMcdDb`: the most of mel-cepstral distortion. It finds float16 summed in float16, which is
 * 28 dB above its difference but 0.9 dB of MCD away; the float16 that is meant is 0.1 away, the
 * light vocoder 0.06. All measured on an H200.
 */
const LIMITS = {
  'base-tts': { leastDb: 14, mostMcdDb: 0.5 },
  'base-tts-fast': { leastDb: 25, mostMcdDb: 0.3 },
} as const;

/** Forms of `base-tts-fast` with their products as tensor cores take them begin so. */
export const LIGHT_BLOCKS = 'light-blocks';

interface Form {
  readonly graph: string;
  readonly file: string;
  /** The part of the acoustic model that runs on the GPU as well. */
  readonly frames?: string;
}

/** The forms that a model has for a GPU. Of `base-tts` the first that passes is the fastest. */
function formsOf({ files, group }: CheckedModel): readonly Form[] {
  if (files.model === 'base-tts') {
    return [
      { graph: 'generator-gpu-half', file: files.gpu.generatorHalf },
      { graph: 'generator-gpu', file: files.gpu.generatorFloat },
    ];
  }
  const { vocoder, vocoderBlocks, frames } = files.gpu;
  const of = group === 'english' ? '' : '-others';
  return [
    { graph: `${LIGHT_BLOCKS}${of}`, file: vocoderBlocks[group], frames },
    { graph: `light-gpu${of}`, file: vocoder[group] },
  ];
}

/**
 * The largest real-time factor of a GPU that `auto` uses. A slower one is most likely a driver that
 * computes on the CPU.
 */
export const SLOWEST_GPU = 0.2;

export interface CheckedModel extends ReferenceOptions {
  readonly modelDir: string;
  readonly device: Gpu;
  /** Have the parts that run on the cores open, by `graphName`. */
  readonly cores: GraphThreads;
  /** The thread that owns the GPU. */
  readonly thread: GraphThread;
}

export interface CheckOptions {
  readonly onCheck?: ((check: GpuCheck) => void) | undefined;
  /** Runs the graph in all shapes it will meet, so that no listener waits for its shaders. */
  readonly warmUp?: boolean;
  /**
   * Windows of `base-tts-fast` that are timed in one run: forms differ in full runs, not in single
   * ones.
   */
  readonly timedWindows?: number;
  /** The form of the English voices, where others have their turn: they take the same. */
  readonly like?: string | undefined;
  /** What the GPU and the CPU both speak, to be compared. */
  readonly sentences?: readonly Sentence[];
}

/**
 * Opens the model on the GPU in the fastest form that passes, and makes it ready to run. Whether
 * `base-tts-fast` is faster in blocks depends on the driver, so both forms are timed.
 */
export async function testedGraph(
  checked: CheckedModel,
  { onCheck, warmUp = true, timedWindows = TIMED_WINDOWS, like = '', sentences = SENTENCES }: CheckOptions = {},
): Promise<GpuCheck> {
  const { device, files } = checked;
  const passed: { form: Form; check: GpuCheck }[] = [];
  let last: GpuCheck | undefined;
  let open: Form | undefined;
  const reference = new CpuReference(checked);
  try {
    for (const form of formsOf(checked).filter(({ graph }) => graph.startsWith(like))) {
      const known = await verdictOf(checked, form);
      if (known === undefined) open = form;
      last = known ?? (await freshVerdict(checked, form, { reference, timedWindows, sentences, onCheck }));
      if (last.passed) passed.push({ form, check: last });
      if (last.passed && files.model === 'base-tts') break;
    }
  } finally {
    await reference.close();
  }
  const factor = ({ check }: { check: GpuCheck }): number => check.realTimeFactor ?? 0;
  const best = passed.sort((one, other) => factor(one) - factor(other))[0];
  if (best === undefined) {
    throw new TtsError(
      'device_unavailable',
      `The device "${device}" does not speak ${files.model} as it should: ${last?.heard}. ` +
        'Update its driver and run `tts doctor` to try again, or use --device cpu.',
    );
  }
  if (open !== best.form) await openForm(checked, best.form);
  if (warmUp) await warm(checked, best.form);
  return best.check;
}

/** The remembered verdict. A check that began and never ended has failed. */
async function verdictOf({ modelDir, device, files: { model } }: CheckedModel, { graph }: Form) {
  const known = await readCheck(modelDir, checkKey(device, graph));
  if (known !== 'begun') return known;
  const check = { model, device, graph, passed: false, heard: 'the process died when it was tried' };
  await writeCheck(modelDir, checkKey(device, graph), check);
  return check;
}

interface Comparison {
  readonly reference: CpuReference;
  readonly timedWindows: number;
  readonly sentences: readonly Sentence[];
}

async function freshVerdict(
  checked: CheckedModel,
  form: Form,
  { onCheck, ...comparison }: Comparison & Pick<CheckOptions, 'onCheck'>,
): Promise<GpuCheck> {
  const { modelDir, device, files } = checked;
  const { graph } = form;
  await writeCheck(modelDir, checkKey(device, graph), 'begun');
  let check: GpuCheck;
  try {
    await openForm(checked, form);
    check = await compare(checked, form, comparison);
  } catch (error) {
    const heard = `it failed: ${(error as Error).message.slice(0, 200)}`;
    check = { model: files.model, device, graph, passed: false, heard };
  }
  await writeCheck(modelDir, checkKey(device, graph), check);
  onCheck?.(check);
  return check;
}

const nameOf = ({ files: { model }, group }: CheckedModel): 'whole' | LightVocoder =>
  model === 'base-tts' ? 'whole' : LIGHT[group];

async function openForm(checked: CheckedModel, { file, frames }: Form): Promise<void> {
  const { thread } = checked;
  const name = nameOf(checked);
  await thread.open(name, file, { queues: name === 'whole' });
  if (frames !== undefined) await thread.open('frames', frames);
}

const checkKey = (device: Gpu, graph: string): string =>
  [cpus()[0]?.model.trim() || process.arch, driverFacts(), device, `runtime ${env.versions.node}`, graph, RECIPE].join(
    ' | ',
  );

const TIMED_WINDOWS = 4;

async function compare(
  checked: CheckedModel,
  form: Form,
  { reference, timedWindows, sentences }: Comparison,
): Promise<GpuCheck> {
  const { files, device, thread } = checked;
  const { model } = files;
  const count = model === 'base-tts' ? 1 : timedWindows;
  const heard: Heard[] = [];
  let seconds = Number.POSITIVE_INFINITY;
  for (const sentence of sentences) {
    const expected = await reference.of(sentence);
    const given =
      form.frames === undefined
        ? expected.features
        : await featuresOf(checked.styles, sentence, featuresOnGpu(checked));
    const [item] = await itemsOf(checked, given);
    const items = new Array<GpuItem>(count).fill(item!);
    const { results } = await runOnGpu(thread, items);
    const made = results[0]!.waveform!.data as Float32Array;
    const { mcdDb } = melDistance(made, expected.samples);
    heard.push({ text: sentence.text, decibels: apartDb(made, expected.samples), mcdDb });
    // One wrong sentence is enough, and nobody asks how fast it is.
    if (!isRight(heard.at(-1)!, LIMITS[model])) break;
    const startMs = performance.now();
    await runOnGpu(thread, items);
    const spokenMs = (count * 1000 * expected.features.frames * FRAME_SAMPLES) / SAMPLE_RATE;
    seconds = Math.min(seconds, (performance.now() - startMs) / spokenMs);
  }
  const timed = Number.isFinite(seconds) ? { realTimeFactor: Number(seconds.toFixed(5)) } : {};
  return { model, device, graph: form.graph, ...judged(heard, LIMITS[model]), ...timed };
}

interface Heard {
  readonly text: string;
  readonly decibels: number;
  readonly mcdDb: number;
}

interface Limits {
  readonly leastDb: number;
  readonly mostMcdDb: number;
}

const isRight = ({ decibels, mcdDb }: Heard, { leastDb, mostMcdDb }: Limits): boolean =>
  decibels >= leastDb && mcdDb <= mostMcdDb;

/** Whether all of it was right, and the worst of it in words. */
function judged(all: readonly Heard[], limits: Limits): Pick<GpuCheck, 'passed' | 'heard'> {
  const { leastDb, mostMcdDb } = limits;
  const wrong = all.filter((one) => !isRight(one, limits));
  const furthest = (wrong.length > 0 ? wrong : all).reduce((one, other) => (other.mcdDb > one.mcdDb ? other : one));
  const { text, decibels, mcdDb } = all.find((one) => Number.isNaN(one.decibels)) ?? furthest;
  const heard = Number.isNaN(decibels)
    ? `"${text}" is not even sound`
    : `"${text}" stands ${decibels.toFixed(1)} dB above its difference to the CPU's (at least ${leastDb} dB are right) ` +
      `and is ${mcdDb.toFixed(2)} dB of mel-cepstral distortion away (at most ${mostMcdDb})`;
  return { passed: wrong.length === 0, heard };
}

/** The light acoustic model with its melody from the cores and its features from the GPU. */
const featuresOnGpu = ({ files, cores, thread }: CheckedModel): AcousticGraphs => ({
  async run(feeds, grant, tell) {
    const { outputs } = await cores.run(graphName(files.acousticModel, 'melody'), packed(feeds), grant);
    const { results } = await runOnGpu(thread, [framesItem(packed(tell(unpacked(outputs))))]);
    return unpacked(results[0]!);
  },
});

/** The whole utterance as the GPU is given it. */
async function itemsOf({ files, group, cores }: CheckedModel, features: AcousticFeatures): Promise<GpuItem[]> {
  const { x, f0, s, frames } = features;
  if (files.model === 'base-tts') {
    const { outputs } = await cores.run(files.gpu.source, packed({ f0 }), UNSCHEDULED);
    return [{ graph: 'whole', feeds: { ...packed({ x, s }), source: outputs.source! } }];
  }
  const items: GpuItem[] = [];
  const collect: Graph = {
    run: async (feeds) => {
      items.push({ graph: LIGHT[group], feeds: packed(feeds) });
      return { waveform: new Tensor('float32', new Float32Array(frames * FRAME_SAMPLES), [1, frames * FRAME_SAMPLES]) };
    },
    release: async () => undefined,
  };
  await createFastVocoder(collect, oneWindow).begin(features, 0, frames).next(UNSCHEDULED);
  return items;
}

/**
 * Level of `made` above its difference to `expected` in dB; NaN where lengths or samples are wrong.
 */
export function apartDb(made: Float32Array, expected: Float32Array): number {
  if (made.length !== expected.length) return Number.NaN;
  let [power, error] = [0, 0];
  for (let i = 0; i < made.length; i += 1) {
    power += expected[i]! ** 2;
    error += (made[i]! - expected[i]!) ** 2;
  }
  return 10 * Math.log10(power / error);
}

/**
 * Frames and counts for which a run has shaders of its own: these depend on what divides its
 * lengths, and a shader is compiled by the first run that needs it.
 */
const SHAPES = {
  whole: { lengths: [40, 41, 42, 43, 120, 121], counts: [1] },
  light: { lengths: [32, 112, 208, 464], counts: [1, 2, 3, 4, 8] },
  frames: { lengths: [40, 80, 160, 400], counts: [1, 2, 3, 4, 8] },
} as const;

/** Compiles all shaders now, so that no listener waits for them. */
async function warm(checked: CheckedModel, form: Form): Promise<void> {
  const { thread } = checked;
  const shapes = SHAPES[checked.files.model === 'base-tts' ? 'whole' : 'light'];
  for (const frames of shapes.lengths) {
    const [item] = await itemsOf(checked, silence(frames, form.frames !== undefined));
    for (const count of shapes.counts) await runOnGpu(thread, new Array<GpuItem>(count).fill(item!));
  }
  if (form.frames === undefined) return;
  for (const frames of SHAPES.frames.lengths) {
    for (const count of SHAPES.frames.counts) {
      await runOnGpu(thread, new Array<GpuItem>(count).fill(silentFrames(frames)));
    }
  }
}
