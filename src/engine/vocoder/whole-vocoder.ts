/** Kokoro's own vocoder: it normalises over the whole utterance, so it runs in one piece. */
import type { FrontOutput, Graph, Utterance, Vocoder } from './vocoder.js';

export function createWholeVocoder(graph: Graph): Vocoder {
  function begin({ x, f0, s, frames }: FrontOutput): Utterance {
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
