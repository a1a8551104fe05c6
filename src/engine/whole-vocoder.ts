/** Kokoro's own vocoder: it normalises over the whole utterance, so it runs in one piece. */
import type { InferenceSession } from 'onnxruntime-node';
import type { Vocoder } from './vocoder.js';

export function createWholeVocoder(session: InferenceSession): Vocoder {
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
