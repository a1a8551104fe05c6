/**
 * `base-tts-fast` in the form for tensor cores, run on the CPU: what the 8-bit networks say, alone
 * and in company.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { beforeAll, describe, expect, it } from 'vitest';
import { apartDb } from '../../src/engine/gpu/check.js';
import { framesItem, joinUtterances } from '../../src/engine/gpu/frames-batch.js';
import { packed } from '../../src/engine/gpu/gpu-runs.js';
import { joinWindows } from '../../src/engine/gpu/light-batch.js';
import { openExact } from '../../src/engine/graphs/exact-products.js';
import type { Packed } from '../../src/engine/graphs/graph-threads.js';
import { cpuProvider } from '../../src/engine/graphs/provider.js';
import { PACKAGE_VOICES_DIR } from '../../src/models/manifest.js';
import { lightFramesGraph, lightTokensGraph } from '../../src/models/onnx/light-front-gpu.js';
import { lightBlockGraph, lightGraph } from '../../src/models/onnx/light-gpu.js';
import { LIGHT_GENERATOR, lightWindows } from '../support/light-utterance.js';

const FRONT = path.join(PACKAGE_VOICES_DIR, 'base-tts-fast/front-int8.onnx');
const options = cpuProvider(2).sessionOptions;

const tensors = (feeds: Packed): Record<string, Tensor> =>
  Object.fromEntries(Object.entries(feeds).map(([name, { type, data, dims }]) => [name, new Tensor(type, data, dims)]));

async function waveforms(session: InferenceSession, windows: readonly Packed[]): Promise<Float32Array[]> {
  const { feeds, takeApart } = joinWindows(windows);
  return takeApart((await session.run(tensors(feeds))).waveform!.data as Float32Array);
}

/** `x` [1, 512, frames] as `rows` [1, frames, 512]. */
function byFrame({ x, ...others }: Packed): Packed {
  const frames = x!.dims[2]!;
  const data = Float32Array.from(x!.data as Float32Array, (_, i) =>
    Number(x!.data[(i % 512) * frames + Math.floor(i / 512)]),
  );
  return { ...others, rows: { type: 'float32', data, dims: [1, frames, 512] } };
}

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

describe('the acoustic model in two parts', () => {
  let whole: InferenceSession;
  let first: InferenceSession;
  let second: InferenceSession;
  beforeAll(async () => {
    const shipped = await readFile(FRONT);
    whole = await openExact(FRONT, options);
    first = await InferenceSession.create(lightTokensGraph(shipped), options);
    second = await InferenceSession.create(lightFramesGraph(shipped), options);
  }, 120_000);

  /** A style that is nobody's, and tokens of a short sentence and a longer one. */
  const asked = [24, 60].map((count) => ({
    input_ids: new Tensor(
      'int64',
      BigInt64Array.from({ length: count }, (_, i) => BigInt(43 + ((i * 7) % 60))),
      [1, count],
    ),
    style: new Tensor(
      'float32',
      Float32Array.from({ length: 256 }, (_, i) => Math.sin(i) / 10),
      [1, 256],
    ),
    speed: new Tensor('float32', Float32Array.of(1), [1]),
  }));

  it('gives the durations, melody and style of the whole, and its features to 30 dB, in company as alone', async () => {
    const expected = await Promise.all(asked.map((feeds) => whole.run(feeds)));
    const parts = await Promise.all(
      asked.map(async (feeds) => framesItem(packed((await first.run(feeds)) as Record<string, Tensor>))),
    );
    const run = async (items: readonly Packed[]): Promise<Float32Array[]> => {
      const { feeds, takeApart } = joinUtterances(items);
      return takeApart(packed((await second.run(tensors(feeds))) as Record<string, Tensor>));
    };
    const together = await run(parts.map(({ item }) => item.feeds));
    for (const [i, { item, features }] of parts.entries()) {
      const [alone] = await run([item.feeds]);
      const { rows, mean, variance, ...made } = features(together[i]!);
      const { x, ...others } = expected[i]!;
      const turned = byFrame({ x: packed({ x: x as Tensor }).x! }).rows!;
      expect(rows!.dims).toEqual(turned.dims);
      for (const [name, { data }] of Object.entries(others)) expect(made[name]!.data).toEqual(data);
      expect(apartDb(together[i]!, alone!)).toBeGreaterThan(50);
      expect(apartDb(rows!.data as Float32Array, turned.data as Float32Array)).toBeGreaterThan(30);
      const { frames, channel } = { frames: x!.dims[2]!, channel: 77 };
      const values = (x!.data as Float32Array).subarray(channel * frames, (channel + 1) * frames);
      const centre = values.reduce((sum, value) => sum + value, 0) / frames;
      const spread = values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / frames;
      expect(Math.abs(Number(mean!.data[channel]) - centre)).toBeLessThan(0.05 * Math.sqrt(spread));
      expect(Number(variance!.data[channel]) / spread).toBeCloseTo(1, 1);
    }
  }, 120_000);
});
