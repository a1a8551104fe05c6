/** Kokoro's own vocoder: it normalises over the whole utterance, so it runs in one piece. */
import type { Graph, Vocoder } from './vocoder.js';

export function createWholeVocoder(graph: Graph): Vocoder {
  return {
    begin: ({ x, f0, s, frames }) => ({
      windows: [{ from: 0, to: frames }],
      async run(_window, grant) {
        const { waveform } = await graph.run({ x, f0, s }, grant);
        return waveform!.data as Float32Array;
      },
    }),
    release: () => graph.release(),
  };
}
