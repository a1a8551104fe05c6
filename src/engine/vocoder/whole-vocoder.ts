/** Kokoro's generator: it normalises over the whole utterance, so it runs in one piece. */
import { type AcousticFeatures, CHANNELS, stretchOf } from './features.js';
import type { Graph, Utterance, Vocoder } from './vocoder.js';

/**
 * Frames on either side of the wanted ones that are run with them: the pads of an utterance, and of
 * words that another segment says no more than colours the sound beside them.
 */
export const MARGIN_FRAMES = 40;

export function createWholeVocoder(graph: Graph): Vocoder {
  function begin({ x, f0, s, frames }: AcousticFeatures, from: number, to: number): Utterance {
    const first = Math.max(0, from - MARGIN_FRAMES);
    const last = Math.min(frames, to + MARGIN_FRAMES);
    let ended = false;
    return {
      openingTo: last,
      get ended() {
        return ended;
      },
      async next(grant) {
        const feeds = { x: stretchOf(x, CHANNELS, first, last), f0: stretchOf(f0, 1, first, last), s };
        const { waveform } = await graph.run(feeds, grant);
        ended = true;
        return { from: first, samples: waveform!.data as Float32Array };
      },
    };
  }
  return { begin, release: () => graph.release() };
}
