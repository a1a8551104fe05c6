/**
 * `base-tts-fast` in the form for tensor cores, run on the CPU: what the 8-bit networks say, alone
 * and in company.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { beforeAll, describe, expect, it } from 'vitest';
import { apartDb } from '../../../src/engine/gpu/check.js';
import { framesItem, joinUtterances } from '../../../src/engine/gpu/frames-batch.js';
import { joinWindows } from '../../../src/engine/gpu/light-batch.js';
import { openUnkept } from '../../../src/engine/graphs/graph-loader.js';
import { halvesIn, type Packed, packed, unpacked } from '../../../src/engine/graphs/packed.js';
import { cpuProvider } from '../../../src/engine/graphs/provider.js';
import { channelStatistics } from '../../../src/engine/vocoder/features.js';
import { PACKAGE_VOICES_DIR } from '../../../src/models/manifest.js';
import { halvesOf, numbersOf } from '../../../src/models/onnx/half-floats.js';
import { lightFramesGraph } from '../../../src/models/onnx/light-front-gpu.js';
import { lightBlockGraph, lightGraph } from '../../../src/models/onnx/light-gpu.js';
import { LIGHT_GENERATOR, lightWindows } from '../../support/sound/light-utterance.js';

const FRONT = path.join(PACKAGE_VOICES_DIR, 'base-tts-fast/front-int8.onnx');
const options = cpuProvider(2).sessionOptions;

async function waveforms(session: InferenceSession, windows: readonly Packed[]): Promise<Float32Array[]> {
  const { feeds, takeApart } = joinWindows(windows);
  const made = packed(await session.run(unpacked(feeds)));
  return takeApart(made).map(({ waveform }) => waveform!.data as Float32Array);
}

/** `x` [1, 512, frames] as `rows` [1, frames, 512], as floats and in float16. */
function rowsOf({ x }: Packed): Float32Array {
  const frames = x!.dims[2]!;
  return Float32Array.from(x!.data as Float32Array, (_, i) =>
    Number(x!.data[(i % 512) * frames + Math.floor(i / 512)]),
  );
}
const byFrame = ({ x, ...others }: Packed): Packed => ({
  ...others,
  rows: { type: 'float16', data: halvesOf(rowsOf({ x: x! })), dims: [1, x!.dims[2]!, 512] },
});

describe('the vocoder in blocks', () => {
  it('makes the sound of the float one, windows of several lengths in one run', async () => {
    const shipped = await readFile(LIGHT_GENERATOR);
    const [float, blocks] = await Promise.all(
      [lightGraph(shipped), lightBlockGraph(shipped)].map((graph) => InferenceSession.create(graph, options)),
    );
    const windows = await lightWindows();
    const expected = await waveforms(float!, windows);
    const made = await waveforms(blocks!, windows.map(byFrame));
    for (const [i, samples] of made.entries()) {
      expect(apartDb(samples, expected[i]!), `window ${i}`).toBeGreaterThan(35);
    }
  }, 120_000);
});

/** What it is told of a style that is nobody's, with its second half so much higher. */
async function toldOf(melody: InferenceSession, tokens: number, moreHz: number): Promise<Packed> {
  const { f0, energy, ...others } = await melody.run({
    input_ids: new Tensor(
      'int64',
      BigInt64Array.from({ length: tokens }, (_, i) => BigInt(43 + ((i * 7) % 60))),
      [1, tokens],
    ),
    style: new Tensor(
      'float32',
      Float32Array.from({ length: 256 }, (_, i) => Math.sin(i) / 10),
      [1, 256],
    ),
    speed: new Tensor('float32', Float32Array.of(1), [1]),
  });
  const own = f0!.data as Float32Array;
  const asked = own.map((hz, at) => (at < own.length / 2 ? hz : hz + moreHz));
  const pairs = [1, own.length / 2, 2];
  return packed({
    ...(others as Record<string, Tensor>),
    f0: new Tensor('float32', asked, pairs),
    energy: new Tensor('float32', energy!.data as Float32Array, pairs),
  });
}

describe('the second part of the acoustic model', () => {
  it('is made frame by frame on the cores too, with mean and variance of each channel', async () => {
    const [melodyPart, featuresPart, rowsPart] = await Promise.all(
      (['melody', 'features', 'rows'] as const).map((part) => openUnkept(FRONT, part, options)),
    );
    const given = await toldOf(melodyPart!, 40, 0);
    const { x } = await featuresPart!.run(unpacked(given));
    const { rows, mean, variance } = await rowsPart!.run(unpacked(given));
    const expected = packed({ x: x as Tensor });
    const frames = x!.dims[2]!;
    expect([rows!.dims, mean!.dims, variance!.dims]).toEqual([
      [1, frames, 512],
      [1, 512],
      [1, 512],
    ]);
    expect(halvesIn(rows as Tensor)).toEqual(halvesOf(rowsOf(expected)));
    const statistics = channelStatistics(x as Tensor);
    for (const [name, made] of Object.entries({ mean, variance })) {
      const right = statistics[name as keyof typeof statistics].data as Float32Array;
      const most = Math.max(...right.map((value, i) => Math.abs(value - Number(made!.data[i]))));
      expect(most, name).toBeLessThan(1e-4 * Math.max(...right));
    }
  }, 120_000);

  let melody: InferenceSession;
  let features: InferenceSession;
  let frames: InferenceSession;
  beforeAll(async () => {
    const shipped = await readFile(FRONT);
    melody = await openUnkept(FRONT, 'melody', options);
    features = await openUnkept(FRONT, 'features', options);
    frames = await InferenceSession.create(lightFramesGraph(shipped), options);
  }, 120_000);

  const told = (tokens: number, moreHz: number): Promise<Packed> => toldOf(melody, tokens, moreHz);

  it('gives the features of the 8-bit one to 30 dB, of its own melody and another, in company as alone', async () => {
    const utterances = [await told(24, 0), await told(60, 0), await told(60, 100)];
    const items = utterances.map((utterance) => framesItem(utterance).feeds);
    const run = async (items: readonly Packed[]): Promise<Packed[]> => {
      const { feeds, takeApart } = joinUtterances(items);
      return takeApart(packed(await frames.run(unpacked(feeds))));
    };
    const numbers = ({ rows }: Packed): Float32Array => numbersOf(rows!.data as Uint16Array);
    const together = await run(items);
    const expected: Float32Array[] = [];
    for (const [i, item] of items.entries()) {
      const [alone] = await run([item]);
      const { rows, mean, variance } = together[i]!;
      const { x } = await features.run(unpacked(utterances[i]!));
      const turned = rowsOf(packed({ x: x as Tensor }));
      expected.push(turned);
      expect(rows!.dims).toEqual([1, x!.dims[2], 512]);
      expect(apartDb(numbers(together[i]!), numbers(alone!))).toBeGreaterThan(50);
      expect(apartDb(numbers(together[i]!), turned)).toBeGreaterThan(30);
      const { count, channel } = { count: x!.dims[2]!, channel: 77 };
      const values = (x!.data as Float32Array).subarray(channel * count, (channel + 1) * count);
      const centre = values.reduce((sum, value) => sum + value, 0) / count;
      const spread = values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / count;
      expect(Math.abs(Number(mean!.data[channel]) - centre)).toBeLessThan(0.05 * Math.sqrt(spread));
      expect(Number(variance!.data[channel]) / spread).toBeCloseTo(1, 1);
    }
    // The other melody has other features.
    const [, own, other] = expected;
    expect(apartDb(other!, own!)).toBeLessThan(20);
  }, 120_000);
});
