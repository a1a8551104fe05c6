/**
 * Many utterances as one run of the light acoustic model's second part: padded to one length,
 * masked behind their ends.
 */
import type { Packed, PackedTensor } from '../graphs/graph-threads.js';
import { CHANNELS } from '../vocoder/features.js';
import type { GpuItem } from './gpu-item.js';

/** Channels of `hidden`, and elements of `film`. */
const HIDDEN = 416;
const FILM = 9_728;
/** Utterances up to these frames (of 600 samples) share a run: up to 6 s, and longer ones. */
const LENGTHS = [240, 640] as const;
/** Lengths are rounded up to a multiple of this, so that the GPU compiles few shaders. */
const ROUND = 16;
/** Most frames in one run. */
const MOST_FRAMES = 7_680;
/** Frames of `x` for each of `hidden`. */
const X_FRAMES = 2;

const framesOf = (utterance: Packed): number => utterance.hidden!.dims[1]!;
const lengthOf = (frames: number): number => LENGTHS.find((length) => frames <= length) ?? 640;

export const utteranceKind = (utterance: Packed): string => `frames ${lengthOf(framesOf(utterance))}`;
/** An utterance longer than any of the lengths runs with few others, or alone. */
export const utteranceSize = (utterance: Packed): number =>
  Math.max(lengthOf(framesOf(utterance)), framesOf(utterance));
export const mostUtterances = (): number => MOST_FRAMES;

const float = (data: Float32Array, dims: readonly number[]): PackedTensor => ({ type: 'float32', data, dims });

/** The GPU's part of what the first part made, and how the features are put together behind it. */
export function framesItem({ hidden, film, ...features }: Packed): {
  item: GpuItem;
  features: (made: Float32Array) => Packed;
} {
  const frames = X_FRAMES * hidden!.dims[1]!;
  return {
    item: { graph: 'frames', feeds: { hidden: hidden!, film: film! } },
    features: (made) => ({
      ...features,
      rows: float(made.subarray(0, frames * CHANNELS), [1, frames, CHANNELS]),
      mean: float(made.subarray(frames * CHANNELS, (frames + 1) * CHANNELS), [1, CHANNELS]),
      variance: float(made.subarray((frames + 1) * CHANNELS), [1, CHANNELS]),
    }),
  };
}

export const silentFrames = (frames: number): GpuItem => ({
  graph: 'frames',
  feeds: {
    hidden: float(new Float32Array(frames * HIDDEN), [1, frames, HIDDEN]),
    film: float(new Float32Array(FILM), [1, FILM]),
  },
});

export interface JoinedUtterances {
  readonly feeds: Packed;
  /** `rows`, `mean` and `variance` of each utterance, one behind the other. */
  takeApart(outputs: Packed): Float32Array[];
}

export function joinUtterances(utterances: readonly Packed[]): JoinedUtterances {
  const count = utterances.length;
  const frames = utterances.map(framesOf);
  const width = Math.ceil(Math.max(...frames) / ROUND) * ROUND;
  const hidden = new Float32Array(count * width * HIDDEN);
  const mask = new Float32Array(count * width);
  const film = new Float32Array(count * FILM);
  for (const [i, utterance] of utterances.entries()) {
    hidden.set(utterance.hidden!.data as Float32Array, i * width * HIDDEN);
    mask.fill(1, i * width, i * width + frames[i]!);
    film.set(utterance.film!.data as Float32Array, i * FILM);
  }
  return {
    feeds: {
      hidden: float(hidden, [count, width, HIDDEN]),
      mask: float(mask, [count, width, 1]),
      film: float(film, [count, FILM]),
    },
    takeApart({ rows, mean, variance }) {
      const part = (tensor: PackedTensor | undefined, from: number, size: number): Float32Array =>
        (tensor!.data as Float32Array).subarray(from, from + size);
      return frames.map((size, i) => {
        const own = size * X_FRAMES * CHANNELS;
        const made = new Float32Array(own + 2 * CHANNELS);
        made.set(part(rows, i * width * X_FRAMES * CHANNELS, own));
        made.set(part(mean, i * CHANNELS, CHANNELS), own);
        made.set(part(variance, i * CHANNELS, CHANNELS), own + CHANNELS);
        return made;
      });
    },
  };
}
