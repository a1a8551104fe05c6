/** Where the pitch of an utterance can be measured, and when its tokens are heard. */
import { AHEAD, FRAME_SAMPLES } from '../plan.js';
import type { AcousticFeatures } from '../vocoder/features.js';
import { STEP_FRAMES } from './retimed.js';

const AHEAD_FRAMES = AHEAD / FRAME_SAMPLES;
/** Semitones a frame; faster movement is the voice setting in or breaking off. */
const STEADY = 1;

/** First frame of each token, and of the pad behind them; sound precedes what was predicted. */
export function tokenStarts({ durations }: AcousticFeatures): number[] {
  const starts: number[] = [];
  let at = 0;
  for (const steps of durations) {
    starts.push(Math.max(0, Math.round(at - AHEAD_FRAMES)));
    at += steps * STEP_FRAMES;
  }
  return starts.slice(1);
}

export const semitones = (hz: number): number => 12 * Math.log2(hz);

/** Frames in [`from`, `to`) in which the voice sounds and neither sets in nor breaks off. */
export function steadyFrames(f0: Float32Array, from: number, to: number): number[] {
  const voiced = f0.filter((hz) => hz > 50).sort();
  const least = Math.max(50, 0.45 * (voiced[voiced.length >> 1] ?? 0));
  const places: number[] = [];
  for (let at = Math.max(1, from); at < Math.min(to, f0.length - 1); at += 1) {
    if (Math.min(f0[at - 1]!, f0[at]!, f0[at + 1]!) < least) continue;
    const here = semitones(f0[at]!);
    const moves = [semitones(f0[at - 1]!) - here, semitones(f0[at + 1]!) - here];
    if (moves.every((move) => Math.abs(move) <= STEADY)) places.push(at);
  }
  return places;
}
