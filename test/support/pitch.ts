/** The pitch of a voice, frame by frame, by autocorrelation. */
import { SAMPLE_RATE } from '../../src/protocol/audio.js';

const FRAME = Math.round(SAMPLE_RATE * 0.04);
const HOP = Math.round(SAMPLE_RATE * 0.01);
const LEAST_LAG = Math.round(SAMPLE_RATE / 500);
const MOST_LAG = Math.round(SAMPLE_RATE / 60);
/** Likeness of a frame to itself a period later, from which on it has a pitch. */
const VOICED = 0.75;
/** A shorter period is taken where it is nearly as good: twice the period is always as good. */
const NEARLY = 0.92;

function likeness(pcm: Int16Array, at: number, lag: number): number {
  let [both, one, other] = [0, 1e-9, 1e-9];
  for (let i = at; i < at + FRAME; i += 2) {
    const [a, b] = [pcm[i]!, pcm[i + lag]!];
    both += a * b;
    one += a * a;
    other += b * b;
  }
  return both / Math.sqrt(one * other);
}

/** Hz of each frame of 10 ms in [`from`, `to`), 0 where there is no pitch. */
export function pitchOf(pcm: Int16Array, from = 0, to = pcm.length): number[] {
  const found: number[] = [];
  for (let at = from; at + FRAME + MOST_LAG < Math.min(to + MOST_LAG, pcm.length); at += HOP) {
    const likes = Array.from({ length: MOST_LAG - LEAST_LAG }, (_, i) => likeness(pcm, at, LEAST_LAG + i));
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
