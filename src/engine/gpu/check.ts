/**
 * Right before fast: before a GPU speaks for the first time, its samples are compared with the CPU's, and the answer is remembered for
 * this machine, driver, runtime and graph. There are drivers that compute something else without a word.
 */
import { cpus } from 'node:os';
import { env, Tensor } from 'onnxruntime-node';
import { RECIPE } from '../../models/manifest.js';
import type { ModelFiles } from '../../models/packs.js';
import { SAMPLE_RATE } from '../../protocol/audio.js';
import type { Gpu } from '../../protocol/device.js';
import { TtsError } from '../../protocol/errors.js';
import type { BaseModel } from '../../protocol/job.js';
import { UNSCHEDULED } from '../engine.js';
import { GraphThread, type GraphThreads } from '../graphs/graph-threads.js';
import { runFront } from '../graphs/sessions.js';
import { melDistance } from '../measure/mel-cepstrum.js';
import { type GpuCheck, readCheck, writeCheck } from '../measure/remembered.js';
import { FRAME_SAMPLES } from '../plan.js';
import type { Styles } from '../styles.js';
import { createFastVocoder } from '../vocoder/fast-vocoder.js';
import type { FrontOutput, Graph } from '../vocoder/vocoder.js';
import { oneWindow } from '../vocoder/windows.js';
import { type CardItem, packed, runOnCard, unpacked } from './card-runs.js';
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
 * How far the sound stands above its difference to the CPU's, which a right GPU is above by far: Kokoro's by 33 dB (the CPU's own 8-bit
 * generator: 18), the light model's by 34; wrong ones that people have met are near 0. And the most of mel-cepstral distortion: float16
 * added up in float16 stands 28 dB above its difference, but 0.9 dB of MCD away, where the float16 that is meant is 0.1; the light model is 0.06.
 */
const LIMITS = {
  'base-tts': { leastDb: 14, mostMcdDb: 0.5 },
  'base-tts-fast': { leastDb: 25, mostMcdDb: 0.3 },
} as const;

/** The forms that a model's generator has for a GPU, the fastest first: the first that sounds as it should is used. */
const FORMS: Record<BaseModel, readonly { readonly graph: string; readonly file: (files: ModelFiles) => string }[]> = {
  'base-tts': [
    { graph: 'generator-gpu-half', file: ({ generatorGpuHalf }) => generatorGpuHalf! },
    { graph: 'generator-gpu', file: ({ generatorGpu }) => generatorGpu! },
  ],
  'base-tts-fast': [{ graph: 'light-gpu', file: ({ fastGeneratorGpu }) => fastGeneratorGpu! }],
};
/** A GPU that is not this much faster than speech is none: a driver that computes on the CPU, most likely. */
export const SLOWEST_GPU = 0.2;

export interface CheckedModel {
  readonly modelDir: string;
  readonly keptDir: string;
  readonly device: Gpu;
  readonly files: ModelFiles;
  readonly styles: Styles;
  /** They have the model's front open under the name of its file. */
  readonly fronts: GraphThreads;
  /** The thread that owns the card. */
  readonly thread: GraphThread;
}

export interface CheckOptions {
  readonly onCheck?: ((check: GpuCheck) => void) | undefined;
  /** Runs it in all the shapes it will meet, before a listener has to wait for that. */
  readonly warmUp?: boolean;
}

/** Opens the model's generator on the card, in the first form that sounds as it should, and makes it ready to run. */
export async function testedGraph(
  checked: CheckedModel,
  { onCheck, warmUp = true }: CheckOptions = {},
): Promise<GpuCheck> {
  const { modelDir, device, files, thread } = checked;
  const { model } = files;
  const light = files.fastGenerator !== undefined;
  let last: GpuCheck | undefined;
  for (const { graph, file } of FORMS[model]) {
    const key = checkKey(device, graph);
    const known = await readCheck(modelDir, key);
    if (known === 'begun') {
      last = { model, device, graph, passed: false, heard: 'the process died when it was tried' };
      await writeCheck(modelDir, key, last);
    } else if (known?.passed === false) last = known;
    if (known === 'begun' || known?.passed === false) continue;
    const name = light ? 'light' : 'whole';
    if (known === undefined) await writeCheck(modelDir, key, 'begun');
    try {
      await thread.open(name, file(files), { queues: !light });
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
    await cpu.open('reference', files.fastGenerator ?? files.generatorFloat!);
    for (const { text, style, ids } of SENTENCES) {
      const front = await frontOf(checked, style, ids);
      const items = await itemsOf(checked, front);
      await runAll(thread, items);
      const startMs = performance.now();
      const made = await runAll(thread, items);
      seconds = Math.min(
        seconds,
        (performance.now() - startMs) / 1000 / ((front.frames * FRAME_SAMPLES) / SAMPLE_RATE),
      );
      const expected = await referenceOf(cpu, files, front);
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

async function frontOf(
  { files, styles, fronts }: CheckedModel,
  style: string,
  ids: readonly number[],
): Promise<FrontOutput> {
  const tokens = ids.map((id) => ({ id, symbol: '', start: 0, end: 0 }));
  const graph: Graph = {
    async run(feeds) {
      const { outputs } = await fronts.run(files.front, packed(feeds), UNSCHEDULED);
      return unpacked(outputs);
    },
    release: async () => undefined,
  };
  return runFront(graph, tokens, await styles.take([{ style, weight: 1 }], ids.length, 0), UNSCHEDULED);
}

/** The whole utterance as the card is given it. */
async function itemsOf({ files, fronts }: CheckedModel, front: FrontOutput): Promise<CardItem[]> {
  const { x, f0, s, frames } = front;
  if (files.fastGenerator === undefined) {
    const { outputs } = await fronts.run('source', packed({ f0 }), UNSCHEDULED);
    return [{ graph: 'whole', feeds: { ...packed({ x, s }), source: outputs.source! } }];
  }
  const items: CardItem[] = [];
  const collect: Graph = {
    run: async (feeds) => {
      items.push({ graph: 'light', feeds: packed(feeds) });
      return { waveform: new Tensor('float32', new Float32Array(frames * FRAME_SAMPLES), [1, frames * FRAME_SAMPLES]) };
    },
    release: async () => undefined,
  };
  await createFastVocoder(collect, oneWindow).begin(front, 0, frames).next(UNSCHEDULED);
  return items;
}

async function runAll(thread: GraphThread, items: readonly CardItem[]): Promise<Float32Array> {
  const [first] = await runOnCard(thread, items);
  return first!;
}

async function referenceOf(cpu: GraphThread, files: ModelFiles, front: FrontOutput): Promise<Float32Array> {
  const { x, f0, s, frames } = front;
  if (files.fastGenerator === undefined) {
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
  return (await createFastVocoder(graph, oneWindow).begin(front, 0, frames).next(UNSCHEDULED)).samples;
}

/** How far `made` stands above its difference to `expected`; not a number where it is not one. */
export function apartDb(made: Float32Array, expected: Float32Array): number {
  if (made.length !== expected.length) return Number.NaN;
  let [power, error] = [0, 0];
  for (let i = 0; i < made.length; i += 1) {
    power += expected[i]! ** 2;
    error += (made[i]! - expected[i]!) ** 2;
  }
  return 10 * Math.log10(power / error);
}

/** Shaders are compiled when a run first needs them, and differ with what divides its lengths: once now, not under a listener. */
async function warm(checked: CheckedModel, graph: 'whole' | 'light'): Promise<void> {
  const { thread } = checked;
  const { style, ids } = SENTENCES[0]!;
  const front = await frontOf(checked, style, ids);
  const lengths = graph === 'whole' ? [40, 41, 42, 43, 120, 121] : [32, 112, 208, 464];
  for (const frames of lengths) {
    const items = await itemsOf(checked, headOf(front, frames));
    const counts = graph === 'whole' ? [1] : [1, 2, 3, 4, 8];
    for (const count of counts)
      await runOnCard(
        thread,
        Array.from({ length: count }, () => items[0]!),
      );
  }
}

/** The first frames of an utterance. */
function headOf(front: FrontOutput, frames: number): FrontOutput {
  const cut = (tensor: Tensor, channels: number): Tensor => {
    const data = new Float32Array(channels * frames);
    const all = tensor.data as Float32Array;
    for (let channel = 0; channel < channels; channel += 1) {
      const from = channel * front.frames;
      data.set(all.subarray(from, Math.min(from + frames, from + front.frames)), channel * frames);
    }
    return new Tensor('float32', data, [1, channels, frames]);
  };
  return { ...front, frames, x: cut(front.x, 512), f0: cut(front.f0, 1) };
}
