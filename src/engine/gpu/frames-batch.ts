/**
 * Many utterances as one run of the light acoustic model's second part: padded to one length,
 * masked behind their ends.
 */
import type { Packed, PackedTensor } from '../graphs/packed.js';
import { CHANNELS } from '../vocoder/features.js';
import type { GpuItem } from './gpu-item.js';

/** Values of a frame in each of what is made frame by frame, and elements of `film`. */
const VALUES = { spread: 416, place: 5, pitch: 2, f0: 2, energy: 2 } as const;
type ByFrame = keyof typeof VALUES;
const BY_FRAME = Object.keys(VALUES) as readonly ByFrame[];
const FILM = 10_240;
/** Utterances up to these frames (of 600 samples) share a run: up to 6 s, and longer ones. */
const LENGTHS = [240, 640] as const;
/** Lengths are rounded up to a multiple of this, so that the GPU compiles few shaders. */
const ROUND = 16;
/**
 * Most frames in one run: 16 utterances of up to 6 s. They take 28 ms, and 32 would take 50 (H200,
 * two processes), for which all that is due soon waits.
 */
const MOST_FRAMES = 3_840;
/** Frames of `x` for each that is given. */
const X_FRAMES = 2;

const framesOf = (utterance: Packed): number => utterance.spread!.dims[1]!;
const lengthOf = (frames: number): number => LENGTHS.find((length) => frames <= length) ?? 640;

export const utteranceKind = (utterance: Packed): string => `${lengthOf(framesOf(utterance))}`;
/** An utterance longer than any of the lengths runs with few others, or alone. */
export const utteranceSize = (utterance: Packed): number =>
  Math.max(lengthOf(framesOf(utterance)), framesOf(utterance));
export const mostUtterances = (): number => MOST_FRAMES;

const float = (data: Float32Array, dims: readonly number[]): PackedTensor => ({ type: 'float32', data, dims });

/** An utterance for the second part. */
export function framesItem(told: Packed): GpuItem {
  const byFrame = Object.fromEntries(BY_FRAME.map((name) => [name, told[name]!]));
  return { graph: 'frames', feeds: { ...byFrame, film: told.film! } };
}

export const silentFrames = (frames: number): GpuItem => ({
  graph: 'frames',
  feeds: {
    ...Object.fromEntries(
      BY_FRAME.map((name) => [name, float(new Float32Array(frames * VALUES[name]), [1, frames, VALUES[name]])]),
    ),
    film: float(new Float32Array(FILM), [1, FILM]),
  },
});

export interface JoinedUtterances {
  readonly feeds: Packed;
  /** `rows`, `mean` and `variance` of each utterance. */
  takeApart(outputs: Packed): Packed[];
}

export function joinUtterances(utterances: readonly Packed[]): JoinedUtterances {
  const count = utterances.length;
  const frames = utterances.map(framesOf);
  const width = Math.ceil(Math.max(...frames) / ROUND) * ROUND;
  const mask = new Float32Array(count * width);
  const film = new Float32Array(count * FILM);
  for (const [i, utterance] of utterances.entries()) {
    mask.fill(1, i * width, i * width + frames[i]!);
    film.set(utterance.film!.data as Float32Array, i * FILM);
  }
  /** Zeros behind the end of each, which stand for nothing said. */
  const joined = (name: ByFrame): PackedTensor => {
    const data = new Float32Array(count * width * VALUES[name]);
    for (const [i, utterance] of utterances.entries())
      data.set(utterance[name]!.data as Float32Array, i * width * VALUES[name]);
    return float(data, [count, width, VALUES[name]]);
  };
  return {
    feeds: {
      ...Object.fromEntries(BY_FRAME.map((name) => [name, joined(name)])),
      mask: float(mask, [count, width, 1]),
      film: float(film, [count, FILM]),
    },
    takeApart({ rows, mean, variance }) {
      const all = rows!.data as Uint16Array;
      const statistics = ({ data }: PackedTensor, i: number): PackedTensor =>
        float((data as Float32Array).slice(i * CHANNELS, (i + 1) * CHANNELS), [1, CHANNELS]);
      return frames.map((size, i) => {
        const from = i * width * X_FRAMES * CHANNELS;
        const own = X_FRAMES * size;
        return {
          // A copy: the whole run would be kept for as long as its longest utterance is spoken.
          rows: { type: 'float16', data: all.slice(from, from + own * CHANNELS), dims: [1, own, CHANNELS] },
          mean: statistics(mean!, i),
          variance: statistics(variance!, i),
        };
      });
    },
  };
}
