/** The pitch of a voice, frame by frame, by autocorrelation. */
import { SAMPLE_RATE } from '../../../src/protocol/audio.js';

const FRAME = Math.round(SAMPLE_RATE * 0.04);
const HOP = Math.round(SAMPLE_RATE * 0.01);
const LEAST_LAG = Math.round(SAMPLE_RATE / 500);
const MOST_LAG = Math.round(SAMPLE_RATE / 60);
/** Likeness of a frame to itself a period later, from which on it has a pitch. */
const VOICED = 0.75;
/** A shorter period is taken where it is nearly as good: twice the period is always as good. */
const NEARLY = 0.92;

/** The power of every second sample added up, so that the power of any frame is a difference. */
function summedPower(pcm: Int16Array): Float64Array {
  const sums = new Float64Array(pcm.length + 2);
  for (let i = 0; i < pcm.length; i += 1) sums[i + 2] = sums[i]! + pcm[i]! ** 2;
  return sums;
}

function likeness(pcm: Int16Array, powers: Float64Array, at: number, lag: number): number {
  // Two sums that do not wait for each other.
  let [both, more] = [0, 0];
  for (let i = at; i < at + FRAME; i += 4) {
    both += pcm[i]! * pcm[i + lag]!;
    more += pcm[i + 2]! * pcm[i + lag + 2]!;
  }
  const power = (from: number): number => powers[from + FRAME]! - powers[from]! + 1e-9;
  return (both + more) / Math.sqrt(power(at) * power(at + lag));
}

/** Hz of each frame of 10 ms in [`from`, `to`), 0 where there is no pitch. */
export function pitchOf(pcm: Int16Array, from = 0, to = pcm.length): number[] {
  const found: number[] = [];
  const powers = summedPower(pcm);
  for (let at = from; at + FRAME + MOST_LAG < Math.min(to + MOST_LAG, pcm.length); at += HOP) {
    const likes = Array.from({ length: MOST_LAG - LEAST_LAG }, (_, i) => likeness(pcm, powers, at, LEAST_LAG + i));
    const best = Math.max(...likes);
    if (best < VOICED) {
      found.push(0);
      continue;
    }
    let lag = likes.findIndex((like) => like >= best * NEARLY);
    while (lag + 1 < likes.length && likes[lag + 1]! > likes[lag]!) lag += 1;
    found.push(SAMPLE_RATE / (LEAST_LAG + lag));
  }
  return found;
}

/** Of the frames that have a pitch. */
export function medianPitch(pcm: Int16Array, from?: number, to?: number): number {
  const voiced = pitchOf(pcm, from, to)
    .filter((hz) => hz > 0)
    .sort((a, b) => a - b);
  return voiced[Math.floor(voiced.length / 2)] ?? 0;
}
