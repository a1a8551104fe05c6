/**
 * The resampler, measured with tones: what is in the band comes through, what is not is not heard
 * anywhere.
 */
import { describe, expect, it } from 'vitest';
import { PCM_RATES } from '../../src/audio/format.js';
import { createResampler } from '../../src/audio/resampler.js';
import { SAMPLE_RATE } from '../../src/protocol/audio.js';

const AMPLITUDE = 20_000 / 32_768;

function resample(pcm: Int16Array, rate: number, step = pcm.length): Float32Array {
  const resampler = createResampler(rate);
  const out: number[] = [];
  for (let at = 0; at < pcm.length; at += step) out.push(...resampler.push(pcm.subarray(at, at + step)));
  out.push(...resampler.end());
  return Float32Array.from(out);
}

const tone = (hz: number, samples = 6_000): Int16Array =>
  Int16Array.from({ length: samples }, (_, i) => Math.round(20_000 * Math.sin(2 * Math.PI * hz * (i / SAMPLE_RATE))));

/** Away from the edges, where a tone that begins at once is no tone. */
const middle = (samples: Float32Array) => samples.subarray(samples.length >> 2, (samples.length * 3) >> 2);

const decibels = (samples: Float32Array): number => {
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
  return 10 * Math.log10(power / (AMPLITUDE ** 2 / 2) + 1e-15);
};

describe.each(PCM_RATES.filter((rate) => rate !== SAMPLE_RATE))('24 kHz to %i Hz', (rate) => {
  const nyquist = Math.min(rate, SAMPLE_RATE) / 2;

  it('leaves what is in the band as it was, to a hundredth, and in its place', () => {
    for (let share = 0.02; share <= 0.9; share += 0.08) {
      const hz = share * nyquist;
      const out = resample(tone(hz), rate);
      const meant = Float32Array.from(
        { length: out.length },
        (_, i) => AMPLITUDE * Math.sin((2 * Math.PI * hz * i) / rate),
      );
      const error = out.map((sample, i) => sample - meant[i]!);
      expect(decibels(middle(error))).toBeLessThan(-60);
    }
  });

  if (rate < SAMPLE_RATE) {
    it('lets nothing above the new Nyquist fold back: 80 dB down at least', () => {
      for (let hz = nyquist * 1.005; hz < SAMPLE_RATE / 2; hz += (SAMPLE_RATE / 2 - nyquist) / 23) {
        expect(decibels(middle(resample(tone(hz), rate)))).toBeLessThan(-80);
      }
    });
  } else {
    it('adds nothing above the old Nyquist: what is not the tone itself is 80 dB down at least', () => {
      for (const hz of [1_000, 5_000, 9_000, 10_900]) {
        const out = middle(resample(tone(hz, 12_000), rate));
        // The tone is fitted and taken off: what is left are images, and the rounding of the input.
        let [a, b] = [0, 0];
        for (const [i, sample] of out.entries()) {
          a += (2 * sample * Math.sin((2 * Math.PI * hz * i) / rate)) / out.length;
          b += (2 * sample * Math.cos((2 * Math.PI * hz * i) / rate)) / out.length;
        }
        const rest = out.map(
          (sample, i) =>
            sample - a * Math.sin((2 * Math.PI * hz * i) / rate) - b * Math.cos((2 * Math.PI * hz * i) / rate),
        );
        expect(decibels(rest)).toBeLessThan(-60);
        // An image of f lies at 24 kHz - f.
        const image = SAMPLE_RATE - hz;
        let [c, d] = [0, 0];
        for (const [i, sample] of out.entries()) {
          c += (2 * sample * Math.sin((2 * Math.PI * image * i) / rate)) / out.length;
          d += (2 * sample * Math.cos((2 * Math.PI * image * i) / rate)) / out.length;
        }
        if (image < rate / 2) expect(20 * Math.log10(Math.hypot(c, d) / AMPLITUDE)).toBeLessThan(-80);
      }
    });
  }

  it('gives the same however the samples are cut, and as many as there is time', () => {
    const pcm = tone(440, 2_345);
    const whole = resample(pcm, rate);
    expect(whole.length).toBe(Math.round((pcm.length * rate) / SAMPLE_RATE));
    for (const step of [1, 37, 480, 1_000]) expect(resample(pcm, rate, step)).toEqual(whole);
  });
});

it('leaves 24 kHz alone', () => {
  const pcm = tone(440, 100);
  expect(resample(pcm, SAMPLE_RATE)).toEqual(Float32Array.from(pcm, (sample) => sample / 32_768));
});
