/** An utterance at another pace, by its features: before the vocoder makes its sound. */
import { Tensor } from 'onnxruntime-node';
import { halvesOf, numbersOf } from '../../models/onnx/half-floats.js';
import { AHEAD, FRAME_SAMPLES } from '../plan.js';
import { type AcousticFeatures, CHANNELS } from '../vocoder/features.js';

/** Frames of a step of a predicted duration. */
export const STEP_FRAMES = 2;
/** By how many frames sound precedes the predicted boundaries. */
export const AHEAD_FRAMES = Math.round(AHEAD / FRAME_SAMPLES);
/** Below this the voice has no pitch (Hz), as in the model's own source. */
export const VOICED_HZ = 10;

/** Frames at other rates: each new frame lies between two of the old ones. */
export function retimed(features: AcousticFeatures, rates: Float32Array): AcousticFeatures {
  const { frames } = features;
  const ends = new Float64Array(frames + 1);
  for (let at = 0; at < frames; at += 1) ends[at + 1] = ends[at]! + 1 / rates[at]!;
  const size = Math.max(1, Math.round(ends[frames]!));
  const places = new Float64Array(size);
  for (let at = 0, old = 0; at < size; at += 1) {
    const middle = Math.min(at + 0.5, ends[frames]!);
    while (old < frames - 1 && ends[old + 1]! < middle) old += 1;
    const place = old + (middle - ends[old]!) * rates[old]! - 0.5;
    // A sum of rates is never quite a whole number.
    const whole = Math.abs(place - Math.round(place)) < 1e-6 ? Math.round(place) : place;
    places[at] = Math.max(0, Math.min(frames - 1, whole));
  }
  const durations = durationsAt(features, ends, size);
  const f0 = new Tensor('float32', pitchAt(features.f0.data as Float32Array, places), [1, 1, size]);
  return { ...features, ...soundAt(features, places), f0, frames: size, durations };
}

/** The durations of the new frames: their sound precedes their boundaries by as much as before. */
function durationsAt({ durations: old, frames }: AcousticFeatures, ends: Float64Array, size: number): Float32Array {
  const timeOf = (place: number): number => {
    const at = Math.min(frames - 1, Math.floor(place));
    return ends[at]! + (place - at) * (ends[at + 1]! - ends[at]!);
  };
  const durations = new Float32Array(old.length);
  let [oldAt, newAt] = [0, 0];
  for (const [index, steps] of old.entries()) {
    oldAt += steps * STEP_FRAMES;
    const sound = timeOf(Math.max(0, Math.min(frames, oldAt) - AHEAD_FRAMES));
    const end = index === old.length - 1 ? Math.max(newAt, size) : sound + AHEAD_FRAMES;
    durations[index] = (end - newAt) / STEP_FRAMES;
    newAt = end;
  }
  return durations;
}

function pitchAt(f0: Float32Array, places: Float64Array): Float32Array {
  return Float32Array.from(places, (place) => {
    const [low, high] = [f0[Math.floor(place)]!, f0[Math.ceil(place)]!];
    const share = place - Math.floor(place);
    // Between voice and none there is no pitch in between.
    if (low <= VOICED_HZ || high <= VOICED_HZ) return share < 0.5 ? low : high;
    return low + (high - low) * share;
  });
}

function soundAt(features: AcousticFeatures, places: Float64Array): Pick<AcousticFeatures, 'x' | 'rows'> {
  const { x, rows, frames } = features;
  const size = places.length;
  const stretches = stretchesOf(places, frames);
  if (rows) {
    const out = rowsAt(rows.x, stretches, size);
    // Their statistics change so little that those of the model stand.
    return { x: new Tensor('float16', out, [1, size, CHANNELS]), rows: { ...rows, x: out } };
  }
  const data = x.data as Float32Array;
  const out = new Float32Array(CHANNELS * size);
  for (let channel = 0; channel < CHANNELS; channel += 1) {
    const [to, from] = [channel * size, channel * frames];
    for (const { at, old, count, next, share } of stretches) {
      if (count > 1) out.set(data.subarray(from + old, from + old + count), to + at);
      else out[to + at] = data[from + old]! + (data[from + next]! - data[from + old]!) * share;
    }
  }
  return { x: new Tensor('float32', out, [1, CHANNELS, size]) };
}

/** Old frames from `old` on that become as many new ones, or one between it and `next`. */
interface Stretch {
  readonly at: number;
  readonly old: number;
  readonly count: number;
  readonly next: number;
  readonly share: number;
}

/** Most frames are old ones as they were: a copy of many at once. */
function stretchesOf(places: Float64Array, frames: number): Stretch[] {
  const stretches: Stretch[] = [];
  for (let at = 0; at < places.length; ) {
    const old = Math.floor(places[at]!);
    const share = places[at]! - old;
    let count = 1;
    if (share === 0) while (at + count < places.length && places[at + count] === old + count) count += 1;
    stretches.push({ at, old, count, next: Math.min(frames - 1, old + 1), share });
    at += count;
  }
  return stretches;
}

function rowsAt(rows: Uint16Array, stretches: readonly Stretch[], size: number): Uint16Array {
  const out = new Uint16Array(CHANNELS * size);
  const row = (frame: number, count = 1): Uint16Array => rows.subarray(frame * CHANNELS, (frame + count) * CHANNELS);
  for (const { at, old, count, next, share } of stretches) {
    if (share === 0) {
      out.set(row(old, count), at * CHANNELS);
      continue;
    }
    const [low, high] = [numbersOf(row(old)), numbersOf(row(next))];
    out.set(halvesOf(low.map((value, channel) => value + (high[channel]! - value) * share)), at * CHANNELS);
  }
  return out;
}
