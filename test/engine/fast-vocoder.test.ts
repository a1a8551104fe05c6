/** The light vocoder: windows against the whole run, and the schedule of windows. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { FREE } from '../../src/engine/engine.js';
import { createFastVocoder, windowsOf } from '../../src/engine/fast-vocoder.js';
import { cpuProvider } from '../../src/engine/provider.js';
import { graphOf } from '../../src/engine/vocoder.js';
import { PACKAGE_VOICES_DIR } from '../../src/models/manifest.js';
import { decibelsOfDifference } from '../support/clip-checks.js';
import { unrounded } from '../support/unrounded.js';

const DIR = path.join(PACKAGE_VOICES_DIR, 'base-tts-fast');
const generator8 = (): Uint8Array => readFileSync(path.join(DIR, 'generator-int8.onnx'));

describe('the light vocoder', () => {
  it('says the same in windows as in one run', async () => {
    const { whole, windowed, reference } = await bothWays(generator8());
    expect(decibelsOfDifference(whole, windowed)).toBeGreaterThan(30);
    expect(decibelsOfDifference(reference.waveform, windowed)).toBeGreaterThan(30);
  });

  it('in floats says so to a thousandth of full scale, and the same as in 8 bits', async () => {
    const { whole, windowed, reference } = await bothWays(unrounded(generator8()));
    expect(Math.max(...windowed.map((sample, at) => Math.abs(sample - whole[at]!)))).toBeLessThan(1e-3);
    expect(decibelsOfDifference(reference.waveform, windowed)).toBeGreaterThan(20);
  });

  it('cuts any stretch into windows without a gap, the first one short, none a crumb', () => {
    for (const [from, to] of [
      [0, 1],
      [26, 60],
      [26, 100],
      [20, 500],
      [31, 3_000],
    ] as const) {
      const windows = windowsOf(from, to);
      expect(windows[0]!.from).toBe(from);
      expect(windows.at(-1)!.to).toBe(to);
      for (let i = 1; i < windows.length; i += 1) {
        expect(windows[i]!.from).toBe(windows[i - 1]!.to);
        expect(windows[i]!.to - windows[i]!.from).toBeGreaterThanOrEqual(40);
      }
      expect(windows[0]!.to - from).toBeLessThanOrEqual(72);
    }
  });
});

/** The reference's frames, in the product's windows and in one run. */
async function bothWays(graph: Uint8Array) {
  const vocoder = createFastVocoder(graphOf(await InferenceSession.create(graph, cpuProvider(2).sessionOptions)));
  const reference = readReference();
  const { frames } = reference;
  const utterance = vocoder.begin(reference, 0, frames);
  expect(utterance.windows.length).toBeGreaterThan(1);
  const windowed: number[] = [];
  for (const window of utterance.windows) windowed.push(...(await utterance.run(window, FREE)));
  const whole = await utterance.run({ from: 0, to: frames }, FREE);
  expect(windowed.length).toBe(frames * 300);
  await vocoder.release();
  return { whole, windowed, reference };
}

function readReference() {
  const file = JSON.parse(readFileSync(path.join(DIR, 'reference.json'), 'utf8')) as {
    frames: number;
    xStep: number;
    [name: string]: string | number;
  };
  const bytes = (name: string): ArrayBuffer => new Uint8Array(Buffer.from(String(file[name]), 'base64')).buffer;
  const { frames, xStep } = file;
  const x = Float32Array.from(new Int16Array(bytes('x')), (value) => value * xStep);
  return {
    frames,
    durations: new Float32Array(0),
    x: new Tensor('float32', x, [1, 512, frames]),
    f0: new Tensor('float32', new Float32Array(bytes('f0')), [1, 1, frames]),
    s: new Tensor('float32', new Float32Array(bytes('s')), [1, 128]),
    waveform: Float32Array.from(new Int16Array(bytes('waveform')), (value) => value / 32_767),
  };
}
