/** How far one sound is from another that says the same in the same time, wherever each begins. */
import { type Distance, melDistance } from '../../src/engine/measure/mel-cepstrum.js';
import { SAMPLE_RATE } from '../../src/protocol/audio.js';

/** Beyond this the two were not spoken by the same clock, and a frame is not the other's frame. */
const MOST_APART = SAMPLE_RATE * 0.06;
const STEP = 8;

/** Undefined where the two differ in length. */
export function distanceOf(one: Int16Array, other: Int16Array): Distance | undefined {
  if (Math.abs(one.length - other.length) > MOST_APART) return undefined;
  const lag = bestLag(one, other);
  const from = Math.max(0, -lag);
  const length = Math.min(one.length - from, other.length - from - lag);
  return melDistance(
    floats(one.subarray(from, from + length)),
    floats(other.subarray(from + lag, from + lag + length)),
  );
}

export const floats = (pcm: Int16Array): Float32Array => Float32Array.from(pcm, (sample) => sample / 32_768);

/** How many samples later the same is heard in the other: the two are trimmed apart. */
function bestLag(one: Int16Array, other: Int16Array): number {
  const likeness = (lag: number, step: number) => {
    let sum = 0;
    for (let at = Math.max(0, -lag); at < Math.min(one.length, other.length - lag); at += step) {
      sum += one[at]! * other[at + lag]!;
    }
    return sum;
  };
  let best = 0;
  let most = likeness(0, STEP);
  for (let lag = -MOST_APART; lag <= MOST_APART; lag += 1) {
    const like = likeness(lag, STEP);
    if (like > most) {
      most = like;
      best = lag;
    }
  }
  return best;
}
