/**
 * Speech faster than its acoustic model speaks: frames are left out before the vocoder makes sound
 * of them. Long sounds and rests lose more than short ones, as when people hurry: a stop of 25 ms
 * that is cut to a third cannot be heard, a vowel of 150 ms can.
 */
import type { SpeedParts } from '../../protocol/speed.js';
import type { ReadingToken } from '../../text/types.js';
import { isRest, LAST_PHONEME, STEP_SAMPLES } from '../plan.js';
import type { AcousticFeatures } from '../vocoder/features.js';
import { AHEAD_FRAMES, retimed, STEP_FRAMES } from './retimed.js';

/** A token keeps its duration to this power, times a constant: at 1 all lose the same share. */
const POWER = 0.5;
/** What is heard of a phoneme before a rest. */
const LAST_PHONEME_STEPS = LAST_PHONEME / STEP_SAMPLES;
/** What a rest keeps, of what a sound of its duration does. */
const REST_SHARE = 0.6;

export function hastened(
  features: AcousticFeatures,
  tokens: readonly ReadingToken[],
  { acoustic, vocoder }: SpeedParts,
): AcousticFeatures {
  const rate = vocoder / acoustic;
  return rate <= 1 ? features : retimed(features, frameRates(features, tokens, rate));
}

/**
 * By how much each frame is hastened, so that all from the first sound to the last take `1 / rate`
 * of their time.
 */
function frameRates(
  { durations, frames }: AcousticFeatures,
  tokens: readonly ReadingToken[],
  rate: number,
): Float32Array {
  const sounding = tokens.slice(0, tokens.findLastIndex((token) => !isRest(token)) + 1);
  const steps = Array.from(durations.subarray(1, sounding.length + 1));
  const heard = steps.map((each, i) => (endsBeforeRest(sounding, i) ? Math.min(each, LAST_PHONEME_STEPS) : each));
  const kept = keptSteps(heard, sounding, rate).map((each, i) => each + (steps[i]! - heard[i]!) / rate);
  const rates = new Float32Array(frames).fill(rate);
  let at = durations[0]! * STEP_FRAMES;
  for (const [index, left] of kept.entries()) {
    const end = at + durations[index + 1]! * STEP_FRAMES;
    const tokenRate = durations[index + 1]! / left;
    // Sound precedes the boundaries that were predicted.
    rates.fill(tokenRate, Math.max(0, Math.round(at) - AHEAD_FRAMES), Math.max(0, Math.round(end) - AHEAD_FRAMES));
    at = end;
  }
  return rates;
}

/** Whether a phoneme is the last one before a rest: most of its duration is silence. */
const endsBeforeRest = (tokens: readonly ReadingToken[], index: number): boolean =>
  !isRest(tokens[index]!) && (tokens[index + 1] === undefined || isRest(tokens[index + 1]!));

/** The new duration of each token; none becomes longer. */
function keptSteps(steps: readonly number[], tokens: readonly ReadingToken[], rate: number): number[] {
  const wanted = steps.reduce((sum, each) => sum + each, 0) / rate;
  const weights = steps.map((each, i) => each ** POWER * (isRest(tokens[i]!) ? REST_SHARE : 1));
  const kept = (factor: number) => weights.map((weight, i) => Math.min(steps[i]!, factor * weight));
  // The sum grows with the factor, so halving finds it.
  let [low, high] = [0, Math.max(1, ...steps) / REST_SHARE];
  for (let halving = 0; halving < 40; halving += 1) {
    const middle = (low + high) / 2;
    if (kept(middle).reduce((sum, each) => sum + each, 0) < wanted) low = middle;
    else high = middle;
  }
  return kept(high);
}
