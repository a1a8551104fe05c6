/** Resamples from 24 kHz to another rate in chunks: a polyphase windowed sinc without aliasing. */
import { SAMPLE_RATE } from '../protocol/audio.js';

export interface Resampler {
  /** Returns the samples that these complete, between -1 and 1 but for the filter's overshoot. */
  push(pcm: Int16Array): Float32Array;
  /** Returns the rest, so that the output lasts as long as the input. */
  end(): Float32Array;
}

/** Attenuation of the stop band. */
const STOP_BAND_DB = 86;
/** Share of the band that passes unchanged. */
const PASS_SHARE = 0.9;
const SCALE = 1 / 32_768;

interface Filter {
  /** Output samples for every `down` input samples. */
  readonly up: number;
  readonly down: number;
  /** Taps of one phase, a multiple of four. */
  readonly taps: number;
  /** `up` phases of `taps` each, one after another. */
  readonly phases: Float64Array;
}

const filters = new Map<number, Filter>();

export function createResampler(toRate: number): Resampler {
  if (toRate === SAMPLE_RATE) return { push: toFloat, end: () => new Float32Array(0) };
  const { up, down, taps, phases } = filterFor(toRate);
  /** Input before the output's time: the filter reaches half its length into past and future. */
  const past = taps / 2 - 1;
  let held: Float64Array<ArrayBufferLike> = new Float64Array(past);
  /** Input samples that were dropped, and output samples. */
  let passed = -past;
  let made = 0;
  let taken = 0;

  function run(input: Float32Array, until: number): Float32Array {
    const joined = new Float64Array(held.length + input.length);
    joined.set(held);
    joined.set(input, held.length);
    const lastStart = passed + joined.length - taps;
    // Up to the last output whose input has come, and not beyond the end.
    const count = Math.max(0, Math.min(until, Math.floor(((lastStart + past + 1) * up - 1) / down) + 1) - made);
    const out = new Float32Array(count);
    let from = Math.floor((made * down) / up) - past - passed;
    let phase = (made * down) % up;
    for (let i = 0; i < count; i += 1) {
      out[i] = dot(joined, from, phases, phase * taps, taps);
      phase += down;
      while (phase >= up) {
        phase -= up;
        from += 1;
      }
    }
    made += count;
    const next = Math.min(joined.length, Math.max(0, Math.floor((made * down) / up) - past - passed));
    held = joined.slice(next);
    passed += next;
    return out;
  }

  return {
    push(pcm) {
      taken += pcm.length;
      return run(toFloat(pcm), Number.POSITIVE_INFINITY);
    },
    end: () => run(new Float32Array(taps), Math.round((taken * up) / down)),
  };
}

/** In four sums, so that an addition need not wait for the one before it. */
function dot(samples: Float64Array, from: number, filter: Float64Array, at: number, taps: number): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let k = 0; k < taps; k += 4) {
    a += samples[from + k]! * filter[at + k]!;
    b += samples[from + k + 1]! * filter[at + k + 1]!;
    c += samples[from + k + 2]! * filter[at + k + 2]!;
    d += samples[from + k + 3]! * filter[at + k + 3]!;
  }
  return a + b + (c + d);
}

function toFloat(pcm: Int16Array): Float32Array {
  const out = new Float32Array(pcm.length);
  for (let i = 0; i < pcm.length; i += 1) out[i] = pcm[i]! * SCALE;
  return out;
}

export function toInt16(samples: Float32Array): Int16Array {
  const out = new Int16Array(samples.length);
  for (let i = 0; i < samples.length; i += 1) {
    out[i] = Math.max(-32_768, Math.min(32_767, Math.round(samples[i]! * 32_768)));
  }
  return out;
}

function filterFor(toRate: number): Filter {
  let filter = filters.get(toRate);
  if (!filter) {
    filter = designFilter(toRate);
    filters.set(toRate, filter);
  }
  return filter;
}

/** Number of taps and shape of the window by Kaiser's formulas. */
function designFilter(toRate: number): Filter {
  const common = greatestCommonDivisor(SAMPLE_RATE, toRate);
  const up = toRate / common;
  const down = SAMPLE_RATE / common;
  const stop = Math.min(SAMPLE_RATE, toRate) / 2;
  const pass = PASS_SHARE * stop;
  const transition = (2 * Math.PI * (stop - pass)) / SAMPLE_RATE;
  const taps = 4 * Math.ceil((STOP_BAND_DB - 7.95) / (2.285 * transition) / 4);
  const beta = 0.1102 * (STOP_BAND_DB - 8.7);
  const cutoff = (pass + stop) / 2 / SAMPLE_RATE;
  const phases = new Float64Array(up * taps);
  for (let phase = 0; phase < up; phase += 1) {
    const row = new Float64Array(taps);
    let sum = 0;
    for (let k = 0; k < taps; k += 1) {
      const t = k - (taps / 2 - 1) - phase / up;
      const edge = (2 * t) / taps;
      const window = Math.abs(edge) >= 1 ? 0 : besselI0(beta * Math.sqrt(1 - edge * edge)) / besselI0(beta);
      const sinc = t === 0 ? 2 * cutoff : Math.sin(2 * Math.PI * cutoff * t) / (Math.PI * t);
      row[k] = sinc * window;
      sum += row[k]!;
    }
    // Every phase has a gain of exactly 1; differences between them would be heard as a tone.
    for (let k = 0; k < taps; k += 1) phases[phase * taps + k] = row[k]! / sum;
  }
  return { up, down, taps, phases };
}

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b));

function besselI0(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; k < 50; k += 1) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}
