/** The light vocoder of base-tts-fast: it runs in windows, so that audio is heard early. */
import { Tensor } from 'onnxruntime-node';
import { SAMPLE_RATE } from '../../protocol/audio.js';
import type { StepGrant } from '../engine.js';
import { FRAME_SAMPLES } from '../plan.js';
import { type AcousticFeatures, CHANNELS, channelStatistics, type Statistics, stretchOf } from './features.js';
import type { Graph, Hearing, Utterance, Vocoder } from './vocoder.js';
import { CONTEXT_FRAMES, CONTEXT_LEFT, costOf, scheduledEnd, type Windows } from './windows.js';

/** Mean and variance of each channel of `x` over all frames of the utterance. */
const statisticsOf = ({ x, rows }: AcousticFeatures): Statistics =>
  rows === undefined ? channelStatistics(x) : { mean: rows.mean, variance: rows.variance };

/**
 * Frames `first` to `last`: as `rows` [1, frames, 512] where they lie so, as `x` [1, 512, frames]
 * elsewhere.
 */
function soundOf({ x, rows }: AcousticFeatures, first: number, last: number): Record<string, Tensor> {
  if (rows !== undefined) {
    const part = rows.x.subarray(first * CHANNELS, last * CHANNELS);
    return { rows: new Tensor('float16', part, [1, last - first, CHANNELS]) };
  }
  return { x: stretchOf(x, CHANNELS, first, last) };
}

/** The fraction of the voice's running phase at each frame, in cycles. */
export function phaseOf(f0: Float32Array): Float32Array {
  const phase = new Float32Array(f0.length);
  let cycles = 0;
  for (let i = 0; i < f0.length; i += 1) {
    cycles += Math.max(f0[i]!, 0) * (FRAME_SAMPLES / SAMPLE_RATE);
    cycles -= Math.floor(cycles);
    phase[i] = cycles;
  }
  return phase;
}

const count = (frames: number): Tensor => new Tensor('int64', BigInt64Array.of(BigInt(frames)), [1]);

/** The samples do not depend on `windows`: every frame is run with all of its context. */
export function createFastVocoder(graph: Graph, windows: Windows): Vocoder {
  function begin(features: AcousticFeatures, from: number, wantedTo: number, { pace = 1 }: Hearing = {}): Utterance {
    const { frames } = features;
    const to = Math.min(wantedTo, frames);
    const f0 = features.f0.data as Float32Array;
    const phase = phaseOf(f0);
    const utterance = { s: features.s, ...statisticsOf(features) };
    let [number, at] = [0, from];
    return {
      openingTo: scheduledEnd({ number, from, to }),
      get ended() {
        return at >= to;
      },
      async next(grant: StepGrant) {
        const window = { number, from: at, to, pace };
        const end = windows.endOf(window, grant);
        const first = Math.max(0, at - CONTEXT_FRAMES);
        const last = Math.min(frames, end + CONTEXT_FRAMES);
        const size = last - first;
        const context = { head: at - first, tail: last - end };
        const feeds = {
          ...utterance,
          ...soundOf(features, first, last),
          f0: new Tensor('float32', f0.subarray(first, last), [1, 1, size]),
          phase: new Tensor('float32', phase.subarray(first, last), [1, size]),
          offset: count(first),
          ...(graph.narrows && { head: count(context.head), tail: count(context.tail) }),
        };
        const startMs = performance.now();
        const { waveform } = await graph.run(feeds, grant);
        const runMs = performance.now() - startMs;
        const cost = costOf(end - at, context.head + context.tail);
        windows.ran(cost, runMs, grant);
        const early = end - scheduledEnd(window);
        if (early > 0) grant.early(early / cost);
        [number, at] = [number + 1, end];
        const samples = waveform!.data as Float32Array;
        const before = graph.narrows ? Math.min(CONTEXT_LEFT, context.head) : context.head;
        return {
          from: window.from,
          samples: samples.subarray(before * FRAME_SAMPLES, (before + end - window.from) * FRAME_SAMPLES),
        };
      },
    };
  }
  return { begin, release: () => graph.release() };
}
