/**
 * Delivery by hand inside an utterance: features are stretched and pitch is bent before the vocoder
 * runs, loudness is changed behind it. Nothing jumps: changes are ramps.
 */
import { Tensor } from 'onnxruntime-node';
import { msToSamples } from '../protocol/audio.js';
import type { Prosody, SegmentSpan } from '../protocol/job.js';
import { EMPHASIS } from '../text/ssml/prosody.js';
import type { Reading, ReadingToken } from '../text/types.js';
import { AHEAD, FRAME_SAMPLES, type SpeechPlan } from './plan.js';
import { type AcousticFeatures, CHANNELS } from './vocoder/features.js';

/** Frames of a step of a predicted duration. */
export const STEP_FRAMES = 2;
export const AHEAD_FRAMES = Math.round(AHEAD / FRAME_SAMPLES);
/** Frames on each side over which a bend of the pitch is spread: 75 ms in all. */
const BEND_FRAMES = 3;
/** Below this the voice has no pitch (Hz), as in the model's own source. */
export const VOICED_HZ = 10;
const VOLUME_RAMP = msToSamples(24);

const spoken = (spans: readonly SegmentSpan[]) => spans.filter((span) => span.kind !== 'break');

/** The rate of a segment, where all that it says has the same: the model itself speaks at it. */
export function commonRate(spans: readonly SegmentSpan[]): number {
  const rates = new Set(spoken(spans).map(({ prosody }) => prosody?.rate ?? 1));
  return rates.size === 1 ? [...rates][0]! : 1;
}

/** The prosody of each token; undefined where neither a span nor plain text asks for any. */
export function tokenProsody(
  tokens: readonly ReadingToken[],
  spans: readonly SegmentSpan[],
  stressed: Reading['stressed'],
): readonly (Prosody | undefined)[] | undefined {
  const asking = [
    ...spoken(spans).filter(({ prosody }) => prosody !== undefined),
    ...stressed.map((range) => ({ ...range, prosody: EMPHASIS })),
  ];
  if (asking.length === 0) return undefined;
  return tokens.map((token) => asking.find(({ start, end }) => token.start >= start && token.start < end)?.prosody);
}

/** The same utterance as its tokens ask for: other durations, another pitch. */
export function shaped(
  features: AcousticFeatures,
  prosody: readonly (Prosody | undefined)[],
  common: number,
): AcousticFeatures {
  const rates = byFrame(features, prosody, (each) => (each?.rate ?? 1) / common, 1);
  const timed = rates.some((rate) => rate !== 1) ? stretchedFeatures(features, rates) : features;
  const semitones = byFrame(timed, prosody, (each) => each?.pitch ?? 0, 0);
  const ranges = byFrame(timed, prosody, (each) => each?.range ?? 1, 1);
  return { ...timed, f0: bentPitch(timed.f0, smoothed(semitones), smoothed(ranges)) };
}

/** A value for each frame, by the token that is heard there; `own` around the tokens. */
function byFrame(
  { durations, frames }: AcousticFeatures,
  prosody: readonly (Prosody | undefined)[],
  value: (each: Prosody | undefined) => number,
  own: number,
): Float32Array {
  const values = new Float32Array(frames).fill(own);
  let at = durations[0]! * STEP_FRAMES;
  for (const [index, each] of prosody.entries()) {
    const end = at + durations[index + 1]! * STEP_FRAMES;
    // Sound precedes the boundaries that were predicted.
    if (each !== undefined) values.fill(value(each), Math.max(0, at - AHEAD_FRAMES), Math.max(0, end - AHEAD_FRAMES));
    at = end;
  }
  return values;
}

function smoothed(values: Float32Array): Float32Array {
  const out = new Float32Array(values.length);
  const last = values.length - 1;
  for (let at = 0; at <= last; at += 1) {
    let sum = 0;
    for (let near = at - BEND_FRAMES; near <= at + BEND_FRAMES; near += 1)
      sum += values[Math.max(0, Math.min(last, near))]!;
    out[at] = sum / (2 * BEND_FRAMES + 1);
  }
  return out;
}

/** The range widens or narrows the melody around its mean over the utterance. */
function bentPitch(tensor: Tensor, semitones: Float32Array, ranges: Float32Array): Tensor {
  const f0 = tensor.data as Float32Array;
  let sum = 0;
  let count = 0;
  for (const hz of f0) {
    if (hz <= VOICED_HZ) continue;
    sum += Math.log2(hz);
    count += 1;
  }
  const mean = count === 0 ? 0 : sum / count;
  const bent = f0.map((hz, at) => {
    if (hz <= VOICED_HZ) return hz;
    return 2 ** (mean + (Math.log2(hz) - mean) * ranges[at]! + semitones[at]! / 12);
  });
  return new Tensor('float32', bent, tensor.dims);
}

/** Frames at other rates: each new frame lies between two of the old ones. */
export function stretchedFeatures(features: AcousticFeatures, rates: Float32Array): AcousticFeatures {
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
  const durations = new Float32Array(features.durations.length);
  let [oldAt, newAt] = [0, 0];
  for (const [index, steps] of features.durations.entries()) {
    oldAt = Math.min(frames, oldAt + steps * STEP_FRAMES);
    const end = Math.round(ends[oldAt]!);
    durations[index] = (end - newAt) / STEP_FRAMES;
    newAt = end;
  }
  const f0 = new Tensor('float32', pitchAt(features.f0.data as Float32Array, places), [1, 1, size]);
  return { ...features, ...soundAt(features, places), f0, frames: size, durations };
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

/** Makes samples from `at` on, counted in the utterance, as loud as they are asked for. */
export type Loudness = (samples: Float32Array, at: number) => void;

/** Undefined where nobody asks for another loudness. */
export function loudnessOf(
  { tokenTimes }: SpeechPlan,
  prosody: readonly (Prosody | undefined)[] | undefined,
): Loudness | undefined {
  if (!prosody?.some((each) => each?.volume !== undefined)) return undefined;
  // Gain by where it begins; a word's gain holds until the next word's.
  const steps: { readonly from: number; readonly gain: number }[] = [];
  for (const [index, { start, rest }] of tokenTimes.entries()) {
    if (rest) continue;
    const gain = 10 ** ((prosody[index]?.volume ?? 0) / 20);
    if (gain !== (steps.at(-1)?.gain ?? 1)) steps.push({ from: start, gain });
  }
  return (samples, at) => {
    let [index, gain] = [-1, 1];
    for (let i = 0; i < samples.length; i += 1) {
      const place = at + i + VOLUME_RAMP / 2;
      while (index + 1 < steps.length && steps[index + 1]!.from <= place) index += 1;
      const step = steps[index];
      const before = steps[index - 1]?.gain ?? 1;
      const share = step === undefined ? 1 : Math.min(1, (place - step.from) / VOLUME_RAMP);
      gain = step === undefined ? 1 : before + (step.gain - before) * share;
      samples[i]! *= gain;
    }
  };
}
