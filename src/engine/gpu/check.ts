/**
 * The test of a GPU. Some drivers compute wrong samples without an error, so before a GPU speaks
 * for the first time its samples are compared with the CPU's. The verdict is remembered for this
 * machine, driver, runtime and graph.
 */
import { cpus } from 'node:os';
import { env, Tensor } from 'onnxruntime-node';
import { RECIPE } from '../../models/manifest.js';
import type { GpuModelFiles } from '../../models/model-files.js';
import { SAMPLE_RATE } from '../../protocol/audio.js';
import type { Gpu } from '../../protocol/device.js';
import { TtsError } from '../../protocol/errors.js';
import { UNSCHEDULED } from '../engine.js';
import { GraphThread, type GraphThreads } from '../graphs/graph-threads.js';
import { runAcousticModel } from '../graphs/sessions.js';
import { melDistance } from '../measure/mel-cepstrum.js';
import { type GpuCheck, readCheck, writeCheck } from '../measure/remembered.js';
import { FRAME_SAMPLES } from '../plan.js';
import type { Styles } from '../styles.js';
import { createFastVocoder } from '../vocoder/fast-vocoder.js';
import { type AcousticFeatures, headOf } from '../vocoder/features.js';
import type { Graph } from '../vocoder/vocoder.js';
import { oneWindow } from '../vocoder/windows.js';
import { type GpuItem, packed, runOnGpu, unpacked } from './gpu-runs.js';
import { driverFacts } from './vulkan.js';

interface Sentence {
  readonly text: string;
  readonly style: string;
  readonly ids: readonly number[];
}

const SENTENCES: readonly Sentence[] = [
  {
    text: 'The train to Oslo leaves at nine.',
    style: 'af_heart',
    ids: [
      81, 83, 16, 62, 123, 156, 24, 56, 16, 62, 135, 16, 156, 69, 61, 54, 31, 16, 54, 156, 51, 64, 68, 16, 72, 62, 16,
      56, 156, 25, 56, 4,
    ],
  },
  {
    text: 'Her voice was low, and warm as summer rain.',
    style: 'bm_george',
    ids: [
      50, 87, 123, 16, 64, 156, 41, 61, 16, 65, 138, 68, 16, 54, 156, 31, 3, 72, 56, 46, 16, 65, 156, 76, 123, 55, 16,
      72, 68, 16, 61, 156, 138, 55, 83, 123, 16, 123, 156, 24, 56, 4,
    ],
  },
];

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

interface Form {
  readonly graph: string;
  readonly file: string;
}

/** The forms that a model's vocoder has for a GPU, the fastest first. */
const formsOf = (files: GpuModelFiles): readonly Form[] =>
  files.model === 'base-tts'
    ? [
        { graph: 'generator-gpu-half', file: files.gpu.generatorHalf },
        { graph: 'generator-gpu', file: files.gpu.generatorFloat },
      ]
    : [{ graph: 'light-gpu', file: files.gpu.vocoder }];

/**
 * The largest real-time factor of a GPU that `auto` uses. A slower one is most likely a driver that
 * computes on the CPU.
 */
export const SLOWEST_GPU = 0.2;

export interface CheckedModel {
  readonly modelDir: string;
  readonly keptDir: string;
  readonly device: Gpu;
  readonly files: GpuModelFiles;
  readonly styles: Styles;
  /** Have the acoustic model open under its file's name, and Kokoro's harmonic source likewise. */
  readonly cores: GraphThreads;
  /** The thread that owns the GPU. */
  readonly thread: GraphThread;
}

export interface CheckOptions {
  readonly onCheck?: ((check: GpuCheck) => void) | undefined;
  /** Runs the graph in all shapes it will meet, so that no listener waits for its shaders. */
  readonly warmUp?: boolean;
}

/**
 * Opens the model's vocoder on the GPU, in the first form that passes, and makes it ready to run.
 */
export async function testedGraph(
  checked: CheckedModel,
  { onCheck, warmUp = true }: CheckOptions = {},
): Promise<GpuCheck> {
  const { modelDir, device, files, thread } = checked;
  const { model } = files;
  const name = model === 'base-tts-fast' ? 'light' : 'whole';
  let last: GpuCheck | undefined;
  for (const { graph, file } of formsOf(files)) {
    const key = checkKey(device, graph);
    const known = await readCheck(modelDir, key);
    if (known === 'begun') {
      last = { model, device, graph, passed: false, heard: 'the process died when it was tried' };
      await writeCheck(modelDir, key, last);
    } else if (known?.passed === false) last = known;
    if (known === 'begun' || known?.passed === false) continue;
    if (known === undefined) await writeCheck(modelDir, key, 'begun');
    try {
      await thread.open(name, file, { queues: name === 'whole' });
      last = known ?? (await compare(checked, graph));
      if (last.passed && warmUp) await warm(checked, name);
    } catch (error) {
      last = { model, device, graph, passed: false, heard: `it failed: ${(error as Error).message.slice(0, 200)}` };
    }
    if (known === undefined) {
      await writeCheck(modelDir, key, last);
      onCheck?.(last);
    }
    if (last.passed) return last;
  }
  throw new TtsError(
    'device_unavailable',
    `The device "${device}" does not speak ${model} as it should: ${last?.heard}. ` +
      'Update its driver and run `tts doctor` to try again, or use --device cpu.',
  );
}

const checkKey = (device: Gpu, graph: string): string =>
  [cpus()[0]?.model.trim() || process.arch, driverFacts(), device, `runtime ${env.versions.node}`, graph, RECIPE].join(
    ' | ',
  );

async function compare(checked: CheckedModel, graph: string): Promise<GpuCheck> {
  const { files, device, keptDir, thread } = checked;
  const { model } = files;
  const cpu = new GraphThread('cpu', 4, keptDir);
  const heard: Heard[] = [];
  let seconds = Number.POSITIVE_INFINITY;
  try {
    await cpu.open('reference', files.model === 'base-tts' ? files.generatorFloat : files.vocoder);
    for (const { text, style, ids } of SENTENCES) {
      const features = await featuresOf(checked, style, ids);
      const items = await itemsOf(checked, features);
      await runAll(thread, items);
      const startMs = performance.now();
      const made = await runAll(thread, items);
      seconds = Math.min(
        seconds,
        (performance.now() - startMs) / 1000 / ((features.frames * FRAME_SAMPLES) / SAMPLE_RATE),
      );
      const expected = await referenceOf(cpu, files, features);
      heard.push({ text, decibels: apartDb(made, expected), mcdDb: melDistance(made, expected).mcdDb });
    }
  } finally {
    await cpu.close();
  }
  return { model, device, graph, ...judged(heard, LIMITS[model]), realTimeFactor: Number(seconds.toFixed(4)) };
}

interface Heard {
  readonly text: string;
  readonly decibels: number;
  readonly mcdDb: number;
}

/** Whether all of it was right, and the worst of it in words. */
function judged(
  all: readonly Heard[],
  { leastDb, mostMcdDb }: { readonly leastDb: number; readonly mostMcdDb: number },
): Pick<GpuCheck, 'passed' | 'heard'> {
  const isRight = ({ decibels, mcdDb }: Heard): boolean => decibels >= leastDb && mcdDb <= mostMcdDb;
  const wrong = all.filter((one) => !isRight(one));
  const furthest = (wrong.length > 0 ? wrong : all).reduce((one, other) => (other.mcdDb > one.mcdDb ? other : one));
  const { text, decibels, mcdDb } = all.find((one) => Number.isNaN(one.decibels)) ?? furthest;
  const heard = Number.isNaN(decibels)
    ? `"${text}" is not even sound`
    : `"${text}" stands ${decibels.toFixed(1)} dB above its difference to the CPU's (at least ${leastDb} dB are right) ` +
      `and is ${mcdDb.toFixed(2)} dB of mel-cepstral distortion away (at most ${mostMcdDb})`;
  return { passed: wrong.length === 0, heard };
}

async function featuresOf(
  { files, styles, cores }: CheckedModel,
  style: string,
  ids: readonly number[],
): Promise<AcousticFeatures> {
  const tokens = ids.map((id) => ({ id, symbol: '', start: 0, end: 0 }));
  const graph: Graph = {
    async run(feeds) {
      const { outputs } = await cores.run(files.acousticModel, packed(feeds), UNSCHEDULED);
      return unpacked(outputs);
    },
    release: async () => undefined,
  };
  return runAcousticModel(graph, tokens, await styles.take([{ style, weight: 1 }], ids.length, 0), UNSCHEDULED);
}

/** The whole utterance as the GPU is given it. */
async function itemsOf({ files, cores }: CheckedModel, features: AcousticFeatures): Promise<GpuItem[]> {
  const { x, f0, s, frames } = features;
  if (files.model === 'base-tts') {
    const { outputs } = await cores.run(files.gpu.source, packed({ f0 }), UNSCHEDULED);
    return [{ graph: 'whole', feeds: { ...packed({ x, s }), source: outputs.source! } }];
  }
  const items: GpuItem[] = [];
  const collect: Graph = {
    run: async (feeds) => {
      items.push({ graph: 'light', feeds: packed(feeds) });
      return { waveform: new Tensor('float32', new Float32Array(frames * FRAME_SAMPLES), [1, frames * FRAME_SAMPLES]) };
    },
    release: async () => undefined,
  };
  await createFastVocoder(collect, oneWindow).begin(features, 0, frames).next(UNSCHEDULED);
  return items;
}

async function runAll(thread: GraphThread, items: readonly GpuItem[]): Promise<Float32Array> {
  const [first] = await runOnGpu(thread, items);
  return first!;
}

async function referenceOf(
  cpu: GraphThread,
  { model }: GpuModelFiles,
  features: AcousticFeatures,
): Promise<Float32Array> {
  const { x, f0, s, frames } = features;
  if (model === 'base-tts') {
    const { outputs } = await cpu.run('reference', packed({ x, f0, s }));
    return outputs.waveform!.data as Float32Array;
  }
  const graph: Graph = {
    run: async (feeds) => {
      const { waveform } = (await cpu.run('reference', packed(feeds))).outputs;
      return { waveform: new Tensor('float32', waveform!.data as Float32Array, waveform!.dims) };
    },
    release: async () => undefined,
  };
  return (await createFastVocoder(graph, oneWindow).begin(features, 0, frames).next(UNSCHEDULED)).samples;
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
 * Frames and counts of windows for which a run has shaders of its own: these depend on what divides
 * its lengths, and a shader is compiled by the first run that needs it.
 */
const SHAPES = {
  whole: { lengths: [40, 41, 42, 43, 120, 121], counts: [1] },
  light: { lengths: [32, 112, 208, 464], counts: [1, 2, 3, 4, 8] },
} as const;

/** Compiles all shaders now, so that no listener waits for them. */
async function warm(checked: CheckedModel, graph: GpuItem['graph']): Promise<void> {
  const { thread } = checked;
  const { style, ids } = SENTENCES[0]!;
  const features = await featuresOf(checked, style, ids);
  const { lengths, counts } = SHAPES[graph];
  for (const frames of lengths) {
    const [item] = await itemsOf(checked, headOf(features, frames));
    for (const count of counts) await runOnGpu(thread, new Array<GpuItem>(count).fill(item!));
  }
}
