/**
 * The light generator for a GPU, run on the CPU: many windows at once are what each is alone, and
 * what the 8-bit one says.
 */
import { readFile } from 'node:fs/promises';
import { InferenceSession } from 'onnxruntime-node';
import { beforeAll, expect, it } from 'vitest';
import { UNSCHEDULED } from '../../../src/engine/engine.js';
import { apartDb } from '../../../src/engine/gpu/check.js';
import { joinWindows, mostWindows, windowKind, windowSize } from '../../../src/engine/gpu/light-batch.js';
import { openExact } from '../../../src/engine/graphs/exact-products.js';
import { type Packed, packed, unpacked } from '../../../src/engine/graphs/packed.js';
import { cpuProvider } from '../../../src/engine/graphs/provider.js';
import { graphOf } from '../../../src/engine/vocoder/vocoder.js';
import { lightGraph } from '../../../src/models/onnx/light-gpu.js';
import { LIGHT_GENERATOR, lightWindows } from '../../support/sound/light-utterance.js';

let gpu: InferenceSession;
let eight: InferenceSession;
beforeAll(async () => {
  const options = cpuProvider(2).sessionOptions;
  gpu = await InferenceSession.create(lightGraph(await readFile(LIGHT_GENERATOR)), options);
  eight = await openExact(LIGHT_GENERATOR, options);
}, 120_000);

async function run(windows: readonly Packed[]): Promise<Float32Array[]> {
  const { feeds, takeApart } = joinWindows(windows);
  const made = await gpu.run(unpacked(feeds));
  return takeApart(packed(made)).map(({ waveform }) => waveform!.data as Float32Array);
}

it('speaks windows of several lengths in one run as it speaks each alone, and as the 8-bit generator does', async () => {
  const windows = await lightWindows();
  expect(windows.length).toBeGreaterThan(1);

  const together = await run(windows);
  for (const [i, window] of windows.entries()) {
    const [alone] = await run([window]);
    expect(together[i]).toHaveLength(window.x!.dims[2]! * 300);
    expect(apartDb(together[i]!, alone!), `window ${i}`).toBeGreaterThan(90);
    const quantised = await graphOf(eight).run(unpacked(window), UNSCHEDULED);
    expect(apartDb(alone!, quantised.waveform!.data as Float32Array), `window ${i}`).toBeGreaterThan(20);
  }
}, 120_000);

it('gathers windows of about one length, up to a size', () => {
  const window = (frames: number): Packed => ({
    x: { type: 'float32', data: new Float32Array(0), dims: [1, 512, frames] },
  });
  expect(windowKind(window(72))).toBe(windowKind(window(112)));
  expect(windowKind(window(209))).not.toBe(windowKind(window(208)));
  expect(windowKind(window(464))).toBe(windowKind(window(600)));
  expect(windowSize(window(600))).toBe(600);
  expect(mostWindows(windowKind(window(80)))).toBeGreaterThan(10 * windowSize(window(80)));
});
