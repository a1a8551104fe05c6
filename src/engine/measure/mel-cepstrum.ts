/**
 * The distance of two sounds that say the same at the same time, as `voices/training/metrics.py`
 * defines it. It measures what an ear can tell apart; the difference of samples (`apartDb`) is
 * ruled by the loudest parts.
 *
 * Log-mel: STFT 1024/256 (Hann), 80 triangular mel bands up to 12 kHz, ln of the magnitude, floored
 * at 0.01. L1 is the mean difference. MCD (mel-cepstral distortion) is that of the cepstral
 * coefficients 1 to 24, in dB.
 */
import { SAMPLE_RATE } from '../../protocol/audio.js';

const SIZE = 1_024;
const HOP = 256;
const MELS = 80;
const COEFFICIENTS = 24;
/** Magnitudes below this count as silence, where no difference is heard. */
const FLOOR = 1e-2;

export interface Distance {
  readonly l1: number;
  readonly mcdDb: number;
  readonly frames: number;
}

/** For samples between -1 and 1. The longer sound is compared up to the end of the shorter. */
export function melDistance(one: Float32Array, other: Float32Array): Distance {
  const [a, b] = [logMel(one), logMel(other)];
  const frames = Math.min(a.length, b.length);
  let l1 = 0;
  let mcd = 0;
  for (let at = 0; at < frames; at += 1) {
    const difference = a[at]!.map((value, i) => value - b[at]![i]!);
    l1 += difference.reduce((sum, value) => sum + Math.abs(value), 0) / MELS;
    let squares = 0;
    for (const cosines of COSINES) {
      const coefficient = cosines.reduce((sum, cosine, i) => sum + cosine * difference[i]!, 0);
      squares += coefficient ** 2;
    }
    mcd += (10 / Math.LN10) * Math.sqrt(2 * squares);
  }
  return { l1: l1 / frames, mcdDb: mcd / frames, frames };
}

const WINDOW = Float64Array.from({ length: SIZE }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / SIZE));

/** For each band its first bin, and the weights from there on. */
const FILTERS = (() => {
  const hz = (mel: number) => 700 * (10 ** (mel / 2_595) - 1);
  const top = 2_595 * Math.log10(1 + SAMPLE_RATE / 2 / 700);
  const edges = Array.from({ length: MELS + 2 }, (_, i) => hz((top * i) / (MELS + 1)));
  return Array.from({ length: MELS }, (_, band) => {
    const [low, middle, high] = [edges[band]!, edges[band + 1]!, edges[band + 2]!];
    const bins = Array.from({ length: SIZE / 2 + 1 }, (_, bin) => {
      const at = (bin * SAMPLE_RATE) / SIZE;
      return Math.max(0, Math.min((at - low) / (middle - low), (high - at) / (high - middle)));
    });
    const first = bins.findIndex((weight) => weight > 0);
    return { first, weights: bins.slice(first, bins.findLastIndex((weight) => weight > 0) + 1) };
  });
})();

const COSINES = Array.from({ length: COEFFICIENTS }, (_, k) =>
  Array.from({ length: MELS }, (_, m) => (2 / MELS) * Math.cos((Math.PI * (k + 1) * (m + 0.5)) / MELS)),
);

function logMel(sound: Float32Array): number[][] {
  const frames: number[][] = [];
  for (let at = 0; at + SIZE <= sound.length; at += HOP) {
    const real = Float64Array.from(WINDOW, (weight, i) => weight * sound[at + i]!);
    const magnitudes = spectrum(real);
    frames.push(
      FILTERS.map(({ first, weights }) => {
        const sum = weights.reduce((total, weight, i) => total + weight * magnitudes[first + i]!, 0);
        return Math.log(Math.max(FLOOR, sum));
      }),
    );
  }
  return frames;
}

/** Magnitudes of the first half of a Fourier transform; overwrites `real`. */
function spectrum(real: Float64Array): Float64Array {
  const imaginary = new Float64Array(SIZE);
  for (let i = 1, j = 0; i < SIZE; i += 1) {
    let bit = SIZE >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j |= bit;
    if (i < j) [real[i], real[j]] = [real[j]!, real[i]!];
  }
  for (let size = 2; size <= SIZE; size *= 2) {
    const half = size / 2;
    for (let k = 0; k < half; k += 1) {
      const cosine = Math.cos((-2 * Math.PI * k) / size);
      const sine = Math.sin((-2 * Math.PI * k) / size);
      for (let i = k; i < SIZE; i += size) {
        const re = real[i + half]! * cosine - imaginary[i + half]! * sine;
        const im = real[i + half]! * sine + imaginary[i + half]! * cosine;
        real[i + half] = real[i]! - re;
        imaginary[i + half] = imaginary[i]! - im;
        real[i] = real[i]! + re;
        imaginary[i] = imaginary[i]! + im;
      }
    }
  }
  return Float64Array.from({ length: SIZE / 2 + 1 }, (_, i) => Math.hypot(real[i]!, imaginary[i]!));
}
