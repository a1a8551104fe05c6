/**
 * How periodic a voice is, band by band: a frame of 40 ms beside itself a pitch period later.
 *
 * 1 is purely harmonic, 0 is noise. voices/training/metrics.py measures the same.
 */
import { SAMPLE_RATE } from '../src/protocol/audio.js';

export const BANDS: readonly (readonly [fromHz: number, toHz: number])[] = [
  [100, 1_000],
  [1_000, 2_200],
  [2_200, 3_400],
  [3_400, 4_600],
  [4_600, 6_000],
];
const FRAME = SAMPLE_RATE * 0.04;
const HOP = SAMPLE_RATE * 0.02;
const LAGS = { least: Math.round(SAMPLE_RATE / 400), most: Math.round(SAMPLE_RATE / 70) };
/** Below this likeness of a frame to itself a pitch period later there is no pitch. */
const VOICED = 0.6;
const TAPS = 255;

/** A band of the sound: a windowed sinc, as long as a frame is short. */
function bandOf(pcm: Int16Array, [fromHz, toHz]: readonly [number, number]): Float32Array {
  const middle = (TAPS - 1) / 2;
  const filter = Float32Array.from({ length: TAPS }, (_, i) => {
    const n = i - middle;
    const sinc = (hz: number) =>
      n === 0 ? (2 * hz) / SAMPLE_RATE : Math.sin((2 * Math.PI * hz * n) / SAMPLE_RATE) / (Math.PI * n);
    return (sinc(toHz) - sinc(fromHz)) * (0.54 + 0.46 * Math.cos((Math.PI * n) / middle));
  });
  const out = new Float32Array(pcm.length);
  for (let at = 0; at < pcm.length; at++) {
    let sum = 0;
    const from = Math.max(0, at - middle);
    const to = Math.min(pcm.length - 1, at + middle);
    for (let i = from; i <= to; i++) sum += pcm[i]! * filter[i - at + middle]!;
    out[at] = sum;
  }
  return out;
}

/** How like a frame is to itself `lag` samples later. */
function likeness(sound: Float32Array, at: number, lag: number): number {
  let both = 0;
  let one = 1e-9;
  let other = 1e-9;
  for (let i = at; i < at + FRAME; i++) {
    both += sound[i]! * sound[i + lag]!;
    one += sound[i]! ** 2;
    other += sound[i + lag]! ** 2;
  }
  return both / Math.sqrt(one * other);
}

/** The pitch period of a frame in samples, 0 where it has none. */
function periodAt(low: Float32Array, at: number): number {
  let best = VOICED;
  let period = 0;
  for (let lag = LAGS.least; lag <= LAGS.most; lag++) {
    const like = likeness(low, at, lag);
    // A whole multiple of the period is as like: the shortest one that is nearly the best is meant.
    if (like > best * 1.02) {
      best = like;
      period = lag;
    }
  }
  return period;
}

export interface VoicedFrame {
  /** The pitch period in samples. */
  readonly period: number;
  /** How like the frame is to itself a period later, in each band. */
  readonly likenesses: readonly number[];
}

/** The voiced frames of a clip. */
export function* voicedFrames(pcm: Int16Array): Generator<VoicedFrame> {
  const bands = BANDS.map((band) => bandOf(pcm, band));
  for (let at = 0; at + FRAME + LAGS.most * 1.03 < pcm.length; at += HOP) {
    const period = periodAt(bands[0]!, at);
    if (period === 0) continue;
    const likenesses = bands.map((sound) => {
      // The pitch moves: what it is in this band is looked for nearby.
      let best = -1;
      for (let lag = Math.floor(period * 0.98); lag <= period * 1.02 + 1; lag++)
        best = Math.max(best, likeness(sound, at, lag));
      return best;
    });
    yield { period, likenesses };
  }
}

export const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
