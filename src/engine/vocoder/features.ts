/** What an acoustic model makes of one utterance, and a vocoder takes. */
import { Tensor } from 'onnxruntime-node';

/** Channels of `x`. */
export const CHANNELS = 512;
/** Elements of `s`. */
export const STYLE = 128;

/** Of each channel of `x` over all frames. */
export interface Statistics {
  readonly mean: Tensor;
  readonly variance: Tensor;
}

/** Features as `x` [1, frames, 512] in float16: a window of them is one stretch of memory. */
interface FeatureRows extends Statistics {
  readonly x: Uint16Array;
}

/** What features are made from: `frames` frames of 300 samples. */
export interface Melody {
  readonly f0: Tensor;
  /** As many values as `f0`, logarithmic, in the model's own unit. */
  readonly energy: Tensor;
  readonly frames: number;
  /** One for each token and one for each of the two pads, in steps of 600 samples. */
  readonly durations: Float32Array;
}

/** The same melody with another `f0` and `energy`, or itself where nothing changes. */
export type Intone = (own: Melody) => Melody;

export interface AcousticFeatures extends Omit<Melody, 'energy'> {
  readonly x: Tensor;
  readonly s: Tensor;
  /**
   * `x` frame by frame with its statistics, from a GPU that made them. `x` itself is then of no
   * use.
   */
  readonly rows?: FeatureRows;
}

/** As the acoustic model made them. */
export interface SpokenFeatures extends AcousticFeatures {
  /** `durations` before the model rounded them to whole steps, one at least. */
  readonly exact: Float32Array;
}

/** An utterance of zeros, by channel or frame by frame. */
export function silence(frames: number, byFrame: boolean): AcousticFeatures {
  const zeros = (...dims: number[]): Tensor =>
    new Tensor('float32', new Float32Array(dims.reduce((size, dim) => size * dim, 1)), dims);
  const x = zeros(1, CHANNELS, frames);
  const statistics = { mean: zeros(1, CHANNELS), variance: zeros(1, CHANNELS) };
  return {
    x,
    f0: zeros(1, 1, frames),
    s: zeros(1, STYLE),
    frames,
    durations: new Float32Array(0),
    ...(byFrame && { rows: { x: new Uint16Array(frames * CHANNELS), ...statistics } }),
  };
}

/** Of `x` [1, 512, frames]. */
export function channelStatistics({ data }: Tensor): Statistics {
  const x = data as Float32Array;
  const frames = x.length / CHANNELS;
  const mean = new Float32Array(CHANNELS);
  const variance = new Float32Array(CHANNELS);
  for (let channel = 0; channel < CHANNELS; channel += 1) {
    const from = channel * frames;
    let sum = 0;
    for (let i = from; i < from + frames; i += 1) sum += x[i]!;
    const centre = sum / frames;
    let squares = 0;
    for (let i = from; i < from + frames; i += 1) squares += (x[i]! - centre) ** 2;
    mean[channel] = centre;
    variance[channel] = squares / frames;
  }
  return {
    mean: new Tensor('float32', mean, [1, CHANNELS]),
    variance: new Tensor('float32', variance, [1, CHANNELS]),
  };
}

/** Frames [`first`, `last`) of values that lie channel by channel. */
export function stretchOf(tensor: Tensor, channels: number, first: number, last: number): Tensor {
  const [data, frames, size] = [tensor.data as Float32Array, tensor.data.length / channels, last - first];
  if (size === frames) return tensor;
  const part = new Float32Array(channels * size);
  for (let channel = 0; channel < channels; channel += 1) {
    part.set(data.subarray(channel * frames + first, channel * frames + last), channel * size);
  }
  return new Tensor('float32', part, [1, channels, size]);
}

/** The first frames of an utterance, no more than it has. */
export function headOf(features: AcousticFeatures, frames: number): AcousticFeatures {
  const { x, f0 } = features;
  return { ...features, frames, x: stretchOf(x, CHANNELS, 0, frames), f0: stretchOf(f0, 1, 0, frames) };
}
