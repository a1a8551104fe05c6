/**
 * Speech faster than its acoustic model speaks: frames are left out before the vocoder makes sound
 * of them. Long sounds and rests lose more than short ones, as when people hurry: a stop of 25 ms
 * that is cut to a third cannot be heard, a vowel of 150 ms can.
 */
import type { SpeedParts } from '../../protocol/speed.js';
import type { ReadingToken } from '../../text/types.js';
import { isRest, LAST_PHONEME, STEP_SAMPLES } from '../plan.js';
import type { AcousticFeatures, SpokenFeatures } from '../vocoder/features.js';
import { AHEAD_FRAMES, retimed, STEP_FRAMES } from './retimed.js';

/** A token keeps its duration to this power, times a constant: at 1 all lose the same share. */
const POWER = 0.5;
/** What is heard of a phoneme before a rest. */
const LAST_PHONEME_STEPS = LAST_PHONEME / STEP_SAMPLES;
/** What a rest keeps, of what a sound of its duration does. */
const REST_SHARE = 0.6;

/**
 * Steps of an utterance that is short, at its own pace: 1.4 s, three words or so. Longer ones are 3
 * to 6 % slower than asked and stay so: at 3 × a recogniser gets 5.2 % of their words wrong, and
 * 9.0 % where that is made up for (`npm run bench -- fast`).
 */
const SHORT_STEPS = 56;

/**
 * How many times its own pace the model spoke when it was asked for `acoustic`: it rounds durations
 * to whole steps, so that short utterances are up to a tenth slower or faster than that.
 */
export function spokenPace(
  { durations, exact }: Pick<SpokenFeatures, 'durations' | 'exact'>,
  tokens: readonly ReadingToken[],
  acoustic: number,
): number {
  const sounding = soundingOf(tokens);
  const own = exact.map((steps) => Math.max(1, Math.round(steps * acoustic)));
  const lasting = (steps: Float32Array, pace: number): number =>
    sounding.reduce((sum, _, i) => sum + heardSteps(steps[i + 1]!, sounding, i, pace), 0);
  const ownSteps = lasting(own, 1);
  return ownSteps === 0 || ownSteps > SHORT_STEPS ? acoustic : ownSteps / lasting(durations, acoustic);
}

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
  const sounding = soundingOf(tokens);
  const steps = Array.from(durations.subarray(1, sounding.length + 1));
  const heard = steps.map((each, i) => heardSteps(each, sounding, i));
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

/** Tokens up to the last sound. */
const soundingOf = (tokens: readonly ReadingToken[]): readonly ReadingToken[] =>
  tokens.slice(0, tokens.findLastIndex((token) => !isRest(token)) + 1);

/** The steps of a token that hold sound: the end of a phoneme before a rest is silent. */
const heardSteps = (steps: number, tokens: readonly ReadingToken[], index: number, pace = 1): number =>
  endsBeforeRest(tokens, index) ? Math.min(steps, LAST_PHONEME_STEPS / pace) : steps;

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
