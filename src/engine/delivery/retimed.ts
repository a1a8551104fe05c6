/** An utterance at another pace, by its features: before the vocoder makes its sound. */
import { Tensor } from 'onnxruntime-node';
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
    places[at] = Math.max(0, Math.min(frames - 1, old + (middle - ends[old]!) * rates[old]! - 0.5));
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

function soundAt({ x, rows, frames }: AcousticFeatures, places: Float64Array): Pick<AcousticFeatures, 'x' | 'rows'> {
  const size = places.length;
  const data = rows?.x ?? (x.data as Float32Array);
  const [channelStep, frameStep] = rows ? [1, CHANNELS] : [frames, 1];
  const out = new Float32Array(CHANNELS * size);
  for (let channel = 0; channel < CHANNELS; channel += 1) {
    const from = channel * channelStep;
    for (let at = 0; at < size; at += 1) {
      const old = Math.floor(places[at]!);
      const share = places[at]! - old;
      const low = data[from + old * frameStep]!;
      const high = data[from + Math.min(frames - 1, old + 1) * frameStep]!;
      out[rows ? at * CHANNELS + channel : channel * size + at] = low + (high - low) * share;
    }
  }
  if (!rows) return { x: new Tensor('float32', out, [1, CHANNELS, size]) };
  // Their statistics change so little that those of the model stand.
  return { x: new Tensor('float32', out, [1, size, CHANNELS]), rows: { ...rows, x: out } };
}
