/** Stretching: as long as was asked for, the same pitch, and the same however it was cut. */
import { describe, expect, it } from 'vitest';
import { createTimeStretch } from '../../src/engine/time-stretch.js';
import { SAMPLE_RATE } from '../../src/protocol/audio.js';
import { joinPcm } from '../../testkit/speech.js';

const HZ = 150;
const buzz = Int16Array.from({ length: SAMPLE_RATE }, (_, i) => {
  const phase = (2 * Math.PI * HZ * i) / SAMPLE_RATE;
  return Math.round(8_000 * (Math.sin(phase) + 0.5 * Math.sin(2 * phase) + 0.25 * Math.sin(3 * phase)));
});

/** Nothing in it comes again, so that every piece has one place where it fits best. */
const hiss = (() => {
  let [state, y1, y2] = [1, 0, 0];
  return Int16Array.from({ length: SAMPLE_RATE }, () => {
    state = (state * 16_807) % 2_147_483_647;
    [y2, y1] = [y1, state / 2_147_483_647 - 0.5 + 1.8 * y1 - 0.85 * y2];
    return Math.round(1_500 * y1);
  });
})();

function stretch(pcm: Int16Array, rate: number, step = pcm.length): Int16Array {
  const stretcher = createTimeStretch(rate);
  const parts: Int16Array[] = [];
  for (let at = 0; at < pcm.length; at += step) parts.push(stretcher.push(pcm.subarray(at, at + step)));
  return joinPcm([...parts, stretcher.end()]);
}

/** The period at which the sound is most like itself. */
function pitchOf(pcm: Int16Array): number {
  let best = { lag: 0, sum: Number.NEGATIVE_INFINITY };
  for (let lag = 100; lag < 260; lag += 1) {
    let sum = 0;
    for (let i = 2_000; i < 5_000; i += 1) sum += pcm[i]! * pcm[i + lag]!;
    if (sum > best.sum) best = { lag, sum };
  }
  return SAMPLE_RATE / best.lag;
}

describe.each([0.5, 0.8, 1.2, 1.6, 3.2])('at %f times the pace', (rate) => {
  const out = stretch(buzz, rate);

  it('is as long as it should be, at the same pitch, and as loud from the beginning to the end', () => {
    expect(out.length).toBe(Math.round(buzz.length / rate));
    if (out.length > 6_000) expect(Math.abs(pitchOf(out) - HZ)).toBeLessThan(2);
    const loudness = (from: number, to: number) =>
      Math.sqrt(out.subarray(from, to).reduce((sum, sample) => sum + sample * sample, 0) / (to - from));
    const level = Math.sqrt(buzz.reduce((sum, sample) => sum + sample * sample, 0) / buzz.length);
    for (const from of [0, 0.3, 0.6, 0.9]) {
      const at = Math.floor(from * out.length);
      const relative = loudness(at, at + Math.floor(out.length / 10)) / level;
      expect(relative).toBeGreaterThan(0.9);
      expect(relative).toBeLessThan(1.1);
    }
  });

  it('is the same however the samples come', () => {
    for (const step of [1_000, 333, 4_801]) expect(stretch(buzz, rate, step)).toEqual(out);
    const whole = stretch(hiss, rate);
    for (const step of [1_000, 333, 4_801]) expect(stretch(hiss, rate, step)).toEqual(whole);
  });
});

it('makes nothing of nothing, and little of little', () => {
  expect(stretch(new Int16Array(0), 2, 1)).toEqual(new Int16Array(0));
  expect(stretch(buzz.subarray(0, 10), 2).length).toBe(5);
});
