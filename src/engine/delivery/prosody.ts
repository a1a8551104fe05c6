/**
 * Delivery by hand inside an utterance: features are stretched and pitch is bent before the vocoder
 * runs, loudness is changed behind it. Nothing jumps: changes are ramps.
 */
import { Tensor } from 'onnxruntime-node';
import { msToSamples } from '../../protocol/audio.js';
import type { Prosody, SegmentSpan } from '../../protocol/job.js';
import { EMPHASIS } from '../../text/ssml/prosody.js';
import type { Reading, ReadingToken } from '../../text/types.js';
import type { SpeechPlan } from '../plan.js';
import type { AcousticFeatures } from '../vocoder/features.js';
import { AHEAD_FRAMES, retimed, STEP_FRAMES, VOICED_HZ } from './retimed.js';

/** Frames on each side over which a bend of the pitch is spread: 75 ms in all. */
const BEND_FRAMES = 3;
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
  prosody: readonly (Prosody | undefined)[] | undefined,
  common: number,
): AcousticFeatures {
  if (prosody === undefined) return features;
  const rates = byFrame(features, prosody, (each) => (each?.rate ?? 1) / common, 1);
  const timed = rates.some((rate) => rate !== 1) ? retimed(features, rates) : features;
  const semitones = byFrame(timed, prosody, (each) => each?.pitch ?? 0, 0);
  const ranges = byFrame(timed, prosody, (each) => each?.range ?? 1, 1);
  const [bends, widths] = [smoothed(semitones), smoothed(ranges)];
  return { ...timed, f0: bentPitch(timed.f0, (frame) => ({ semitones: bends[frame]!, range: widths[frame]! })) };
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

/**
 * The pitch moved frame by frame. The range widens or narrows the melody around its mean over the
 * utterance.
 */
export function bentPitch(
  tensor: Tensor,
  bendAt: (frame: number) => { readonly semitones: number; readonly range: number },
): Tensor {
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
    const { semitones, range } = bendAt(at);
    return 2 ** (mean + (Math.log2(hz) - mean) * range + semitones / 12);
  });
  return new Tensor('float32', bent, tensor.dims);
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
