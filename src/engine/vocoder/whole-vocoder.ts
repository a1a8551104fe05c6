/** Kokoro's generator: it normalises over the whole utterance, so it runs in one piece. */
import type { AcousticFeatures } from './features.js';
import type { Graph, Utterance, Vocoder } from './vocoder.js';

export function createWholeVocoder(graph: Graph): Vocoder {
  function begin({ x, f0, s, frames }: AcousticFeatures): Utterance {
    let ended = false;
    return {
      openingTo: frames,
      get ended() {
        return ended;
      },
      async next(grant) {
        const { waveform } = await graph.run({ x, f0, s }, grant);
        ended = true;
        return { from: 0, samples: waveform!.data as Float32Array };
      },
    };
  }
  return { begin, release: () => graph.release() };
}
