/** Kokoro's own generator: it normalises over the whole utterance, so it runs in one piece. */
import type { InferenceSession } from 'onnxruntime-node';
import type { Generator } from './generator.js';

export function createWholeGenerator(session: InferenceSession): Generator {
  return {
    begin: ({ x, f0, s, frames }) => ({
      windows: [{ from: 0, to: frames }],
      async run() {
        const { waveform } = await session.run({ x, f0, s });
        return waveform!.data as Float32Array;
      },
    }),
    release: () => session.release(),
  };
}
