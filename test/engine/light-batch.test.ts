/** The light generator for a GPU, run on the CPU: many windows at once are what each is alone, and what the 8-bit one says. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { beforeAll, expect, it } from 'vitest';
import { packed } from '../../src/engine/card-runs.js';
import { FREE } from '../../src/engine/engine.js';
import { createFastVocoder } from '../../src/engine/fast-vocoder.js';
import { apartDb } from '../../src/engine/gpu-check.js';
import type { Packed } from '../../src/engine/graph-threads.js';
import { joinWindows, mostWindows, windowKind, windowSize } from '../../src/engine/light-batch.js';
import { cpuProvider } from '../../src/engine/provider.js';
import { graphOf } from '../../src/engine/vocoder.js';
import { PACKAGE_VOICES_DIR } from '../../src/models/manifest.js';
import { lightGraph } from '../../src/models/onnx/light-gpu.js';

const SHIPPED = path.join(PACKAGE_VOICES_DIR, 'base-tts-fast/generator-int8.onnx');
/** An utterance after the front, as it is kept for the 8-bit generator's own test. */
function utterance() {
  const kept = JSON.parse(readFileSync(path.join(PACKAGE_VOICES_DIR, 'base-tts-fast/reference.json'), 'utf8')) as {
    frames: number;
    xStep: number;
    [name: string]: string | number;
  };
  const bytes = (name: string): ArrayBuffer => new Uint8Array(Buffer.from(String(kept[name]), 'base64')).buffer;
  const { frames, xStep } = kept;
  const x = Float32Array.from(new Int16Array(bytes('x')), (value) => value * xStep);
  return {
    frames,
    durations: new Float32Array(0),
    x: new Tensor('float32', x, [1, 512, frames]),
    f0: new Tensor('float32', new Float32Array(bytes('f0')), [1, 1, frames]),
    s: new Tensor('float32', new Float32Array(bytes('s')), [1, 128]),
  };
}

let gpu: InferenceSession;
let eight: InferenceSession;
beforeAll(async () => {
  const options = cpuProvider(2).sessionOptions;
  gpu = await InferenceSession.create(lightGraph(await readFile(SHIPPED)), options);
  eight = await InferenceSession.create(SHIPPED, options);
}, 120_000);

async function run(windows: readonly Packed[]): Promise<Float32Array[]> {
  const { feeds, takeApart } = joinWindows(windows);
  const tensors = Object.entries(feeds).map(([name, { type, data, dims }]) => [name, new Tensor(type, data, dims)]);
  const { waveform } = await gpu.run(Object.fromEntries(tensors) as Record<string, Tensor>);
  return takeApart(waveform!.data as Float32Array);
}

it('speaks windows of several lengths in one run as it speaks each alone, and as the 8-bit generator does', async () => {
  const front = utterance();
  const { frames } = front;
  const windows: Packed[] = [];
  const collect = {
    run: async (feeds: Record<string, Tensor>) => {
      windows.push(packed(feeds));
      return { waveform: new Tensor('float32', new Float32Array(frames * 300), [1, frames * 300]) };
    },
    release: async () => undefined,
  };
  const cut = createFastVocoder(collect).begin(front, 0, frames);
  for (const window of cut.windows) await cut.run(window, FREE);
  expect(windows.length).toBeGreaterThan(1);

  const together = await run(windows);
  for (const [i, window] of windows.entries()) {
    const [alone] = await run([window]);
    expect(together[i]).toHaveLength(window.x!.dims[2]! * 300);
    expect(apartDb(together[i]!, alone!), `window ${i}`).toBeGreaterThan(90);
    const quantised = await graphOf(eight).run(
      Object.fromEntries(
        Object.entries(window).map(([name, { type, data, dims }]) => [name, new Tensor(type, data, dims)]),
      ),
      FREE,
    );
    expect(apartDb(alone!, quantised.waveform!.data as Float32Array), `window ${i}`).toBeGreaterThan(20);
  }
}, 120_000);

it('gathers windows of about one length, up to a size', () => {
  const window = (frames: number): Packed => ({
    x: { type: 'float32', data: new Float32Array(0), dims: [1, 512, frames] },
  });
  expect(windowKind(window(72))).toBe(windowKind(window(112)));
  expect(windowKind(window(113))).not.toBe(windowKind(window(112)));
  expect(windowKind(window(464))).toBe(windowKind(window(600)));
  expect(windowSize(window(600))).toBe(600);
  expect(mostWindows(windowKind(window(80)))).toBeGreaterThan(10 * windowSize(window(80)));
});
