/** The light vocoder: windows against the whole run, and the schedule of windows. */
import { readFileSync } from 'node:fs';
import { InferenceSession } from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { FREE } from '../../src/engine/engine.js';
import { createFastVocoder, windowsOf } from '../../src/engine/fast-vocoder.js';
import { cpuProvider } from '../../src/engine/provider.js';
import { graphOf } from '../../src/engine/vocoder.js';
import { decibelsOfDifference } from '../support/clip-checks.js';
import { LIGHT_GENERATOR, lightReference } from '../support/light-utterance.js';
import { unrounded } from '../support/unrounded.js';

const generator8 = (): Uint8Array => readFileSync(LIGHT_GENERATOR);

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
  const reference = lightReference();
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
