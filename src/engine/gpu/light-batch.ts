/** Many windows of the light vocoder as one run: padded to one length, masked behind their ends. */
import type { Packed } from '../graphs/packed.js';
import { FRAME_SAMPLES } from '../plan.js';
import { CHANNELS, STYLE } from '../vocoder/features.js';

/** Rows of the table of noise, two to a frame. */
const NOISE_ROWS = 512;
/**
 * Windows up to these frames share a run: first and second ones, all later ones. A run has a cost
 * of its own (6.5 ms on an H200, a window of it 1 ms), so that two kinds of runs carry more than
 * three.
 */
const LENGTHS = [208, 512] as const;
/** Lengths are rounded up to a multiple of this, so that the GPU compiles few shaders. */
const ROUND = 16;
/**
 * Most frames in one run, by length. A first window waits for the two runs before it: with 14 long
 * windows in a run instead of 8, the first audio of 800 listeners came a fifth later (H200).
 */
const MOST_FRAMES = { 208: 32 * 208, 512: 8 * 512 } as const;

/** Of a window as the light vocoder feeds it: `x` [1,512,w], `f0`, `phase`, `s`, `offset`, … */
const framesOf = ({ x, rows }: Packed): number => rows?.dims[1] ?? x!.dims[2]!;
const lengthOf = (frames: number): (typeof LENGTHS)[number] => LENGTHS.find((length) => frames <= length) ?? 512;

export const windowKind = (window: Packed): string => `${lengthOf(framesOf(window))}`;
/** A window longer than any the vocoder cuts runs alone. */
export const windowSize = (window: Packed): number => Math.max(lengthOf(framesOf(window)), framesOf(window));
export const mostWindows = (kind: string): number => MOST_FRAMES[Number(kind) as keyof typeof MOST_FRAMES];

export interface JoinedWindows {
  readonly feeds: Packed;
  /** The `waveform` of each window. */
  takeApart(outputs: Packed): Packed[];
}

export function joinWindows(windows: readonly Packed[]): JoinedWindows {
  const count = windows.length;
  const frames = windows.map(framesOf);
  const width = Math.ceil(Math.max(...frames) / ROUND) * ROUND;
  const byFrame = windows[0]!.rows !== undefined;
  const sound = byFrame ? new Uint16Array(count * CHANNELS * width) : new Float32Array(count * CHANNELS * width);
  const [f0, phase, mask] = [0, 1, 2].map(() => new Float32Array(count * width)) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  const noise = new Int32Array(count * 2 * width);
  const s = new Float32Array(count * STYLE);
  const mean = new Float32Array(count * CHANNELS);
  const variance = new Float32Array(count * CHANNELS);
  for (const [i, window] of windows.entries()) {
    const size = frames[i]!;
    if (byFrame) sound.set(window.rows!.data as Uint16Array, i * CHANNELS * width);
    else joinChannels(sound as Float32Array, window.x!.data as Float32Array, i, width);
    f0.set(window.f0!.data as Float32Array, i * width);
    phase.set(window.phase!.data as Float32Array, i * width);
    mask.fill(1, i * width, i * width + size);
    const first = 2 * Number((window.offset!.data as BigInt64Array)[0]) + 1;
    for (let row = 0; row < 2 * width; row += 1) noise[i * 2 * width + row] = (row + first) % NOISE_ROWS;
    s.set(window.s!.data as Float32Array, i * STYLE);
    mean.set(window.mean!.data as Float32Array, i * CHANNELS);
    variance.set(window.variance!.data as Float32Array, i * CHANNELS);
  }
  const float = (data: Float32Array, dims: readonly number[]) => ({ type: 'float32', data, dims }) as const;
  return {
    feeds: {
      ...(sound instanceof Uint16Array
        ? { rows: { type: 'float16', data: sound, dims: [count, width, CHANNELS] } as const }
        : { x: float(sound, [count, CHANNELS, width]) }),
      f0: float(f0, [count, 1, width]),
      phase: float(phase, [count, width]),
      mask: float(mask, [count, width, 1]),
      noise: { type: 'int32', data: noise, dims: [count, 2 * width] },
      s: float(s, [count, STYLE]),
      mean: float(mean, [count, CHANNELS]),
      variance: float(variance, [count, CHANNELS]),
    },
    takeApart({ waveform }) {
      const all = waveform!.data as Float32Array;
      return frames.map((size, i) => {
        const from = i * width * FRAME_SAMPLES;
        const samples = all.subarray(from, from + size * FRAME_SAMPLES);
        return { waveform: float(samples, [1, samples.length]) };
      });
    },
  };
}

/** Copies a window's `x` [512, frames] to its place among windows of `width` frames. */
function joinChannels(all: Float32Array, own: Float32Array, window: number, width: number): void {
  const frames = own.length / CHANNELS;
  for (let channel = 0; channel < CHANNELS; channel += 1) {
    all.set(own.subarray(channel * frames, (channel + 1) * frames), (window * CHANNELS + channel) * width);
  }
}
