/** The light vocoder of base-tts-fast: it runs in windows, so that sound leaves before the sentence is done. */
import { Tensor } from 'onnxruntime-node';
import { SAMPLE_RATE } from '../protocol/audio.js';
import type { Grant } from './engine.js';
import { FRAME_SAMPLES } from './plan.js';
import type { FrameRange, FrontOutput, Graph, Vocoder } from './vocoder.js';

/** What the network sees to either side of a frame. */
const CONTEXT_FRAMES = 40;
const CHANNELS = 512;

/**
 * The first window is as short as a beginning of speech can be, for the sake of the first sound. Every window pays for its
 * context, so the later ones are long: each is done well before the sound of those before it has run out.
 */
const FIRST_FRAMES = 32;
const SECOND_FRAMES = 128;
const LATER_FRAMES = 384;
/** A rest shorter than this joins the window before it. */
const LEAST_FRAMES = 40;

export function windowsOf(from: number, to: number): FrameRange[] {
  const windows: FrameRange[] = [];
  let at = from;
  for (let size = FIRST_FRAMES; at < to; size = size === FIRST_FRAMES ? SECOND_FRAMES : LATER_FRAMES) {
    const end = to - (at + size) < LEAST_FRAMES ? to : at + size;
    windows.push({ from: at, to: end });
    at = end;
  }
  return windows;
}

/** Mean and variance of each channel of `x` over all frames: what the utterance sounds like as a whole. */
function statisticsOf(x: Float32Array, frames: number): { mean: Float32Array; variance: Float32Array } {
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
  return { mean, variance };
}

/** The fraction of the voice's running phase at each frame, in cycles. */
function phaseOf(f0: Float32Array): Float32Array {
  const phase = new Float32Array(f0.length);
  let cycles = 0;
  for (let i = 0; i < f0.length; i += 1) {
    cycles += Math.max(f0[i]!, 0) * (FRAME_SAMPLES / SAMPLE_RATE);
    cycles -= Math.floor(cycles);
    phase[i] = cycles;
  }
  return phase;
}

export function createFastVocoder(graph: Graph): Vocoder {
  function begin(front: FrontOutput, from: number, to: number) {
    const { frames } = front;
    const x = front.x.data as Float32Array;
    const f0 = front.f0.data as Float32Array;
    const { mean, variance } = statisticsOf(x, frames);
    const phase = phaseOf(f0);
    const utterance = {
      s: front.s,
      mean: new Tensor('float32', mean, [1, CHANNELS]),
      variance: new Tensor('float32', variance, [1, CHANNELS]),
    };
    return {
      windows: windowsOf(from, Math.min(to, frames)),
      async run(window: FrameRange, grant: Grant) {
        const first = Math.max(0, window.from - CONTEXT_FRAMES);
        const last = Math.min(frames, window.to + CONTEXT_FRAMES);
        const size = last - first;
        const part = new Float32Array(CHANNELS * size);
        for (let channel = 0; channel < CHANNELS; channel += 1) {
          part.set(x.subarray(channel * frames + first, channel * frames + last), channel * size);
        }
        const feeds = {
          ...utterance,
          x: new Tensor('float32', part, [1, CHANNELS, size]),
          f0: new Tensor('float32', f0.subarray(first, last), [1, 1, size]),
          phase: new Tensor('float32', phase.subarray(first, last), [1, size]),
          offset: new Tensor('int64', BigInt64Array.of(BigInt(first)), [1]),
        };
        const { waveform } = await graph.run(feeds, grant);
        const samples = waveform!.data as Float32Array;
        return samples.subarray((window.from - first) * FRAME_SAMPLES, (window.to - first) * FRAME_SAMPLES);
      },
    };
  }
  return { begin, release: () => graph.release() };
}
