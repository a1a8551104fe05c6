/** A sink that drops all samples, for measurements and for subtitles alone. */
import type { AudioSink } from './sink.js';

export function createNullSink(): AudioSink {
  let samples = 0;
  return {
    async write(pcm, signal) {
      signal.throwIfAborted();
      samples += pcm.length;
    },
    finish: async () => {},
    discard: async () => {},
    get heardSamples() {
      return samples;
    },
  };
}
