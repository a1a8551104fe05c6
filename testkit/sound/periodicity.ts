/**
 * How periodic a voice is, band by band: a frame of 40 ms beside itself a pitch period later.
 *
 * 1 is purely harmonic, 0 is noise. voices/training/metrics.py measures the same.
 */
import { SAMPLE_RATE } from '../../src/protocol/audio.js';

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
  // Silence around it spares the loop below a look at where it ends.
  const padded = new Float64Array(pcm.length + TAPS - 1);
  padded.set(pcm, middle);
  const out = new Float32Array(pcm.length);
  for (let at = 0; at < pcm.length; at++) {
    // The filter is the same from both ends.
    let sum = padded[at + middle]! * filter[middle]!;
    for (let i = 0; i < middle; i++) sum += (padded[at + i]! + padded[at + TAPS - 1 - i]!) * filter[i]!;
    out[at] = sum;
  }
  return out;
}

/** A band, and the power of its samples added up, so that the power of any frame is a difference. */
interface Band {
  readonly sound: Float32Array;
  readonly powers: Float64Array;
}

function withPowers(sound: Float32Array): Band {
  const powers = new Float64Array(sound.length + 1);
  for (let i = 0; i < sound.length; i++) powers[i + 1] = powers[i]! + sound[i]! ** 2;
  return { sound, powers };
}

/** How like a frame is to itself `lag` samples later. */
function likeness({ sound, powers }: Band, at: number, lag: number): number {
  // Four sums that do not wait for each other.
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let i = at; i < at + FRAME; i += 4) {
    a += sound[i]! * sound[i + lag]!;
    b += sound[i + 1]! * sound[i + lag + 1]!;
    c += sound[i + 2]! * sound[i + lag + 2]!;
    d += sound[i + 3]! * sound[i + lag + 3]!;
  }
  const both = a + b + (c + d);
  const one = powers[at + FRAME]! - powers[at]!;
  const other = powers[at + lag + FRAME]! - powers[at + lag]!;
  return both / Math.sqrt((one + 1e-9) * (other + 1e-9));
}

/** The pitch period of a frame in samples, 0 where it has none. */
function periodAt(low: Band, at: number): number {
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

/** Where the frames of a clip begin. */
function* frameStarts(pcm: Int16Array): Generator<number> {
  for (let at = 0; at + FRAME + LAGS.most * 1.03 < pcm.length; at += HOP) yield at;
}

/** The pitch periods of the voiced frames of a clip, in samples. */
export function pitchPeriods(pcm: Int16Array): number[] {
  const low = withPowers(bandOf(pcm, BANDS[0]!));
  return [...frameStarts(pcm)].map((at) => periodAt(low, at)).filter((period) => period > 0);
}

export interface VoicedFrame {
  /** The pitch period in samples. */
  readonly period: number;
  /** How like the frame is to itself a period later, in each band. */
  readonly likenesses: readonly number[];
}

/** The voiced frames of a clip. */
export function* voicedFrames(pcm: Int16Array): Generator<VoicedFrame> {
  const bands = BANDS.map((band) => withPowers(bandOf(pcm, band)));
  for (const at of frameStarts(pcm)) {
    const period = periodAt(bands[0]!, at);
    if (period === 0) continue;
    const likenesses = bands.map((band) => {
      // The pitch moves: what it is in this band is looked for nearby.
      let best = -1;
      for (let lag = Math.floor(period * 0.98); lag <= period * 1.02 + 1; lag++)
        best = Math.max(best, likeness(band, at, lag));
      return best;
    });
    yield { period, likenesses };
  }
}

export const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
