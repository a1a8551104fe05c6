/** A sink that hands everything on louder or softer. */
import type { AudioSink } from './sink.js';

const MAX = 32_767;

/** `gain` 1 changes nothing. Beyond the scale a peak is cut off: whoever asks for more than there is gets that. */
export function createVolumeSink(sink: AudioSink, gain: number): AudioSink {
  return {
    write: (pcm, signal) =>
      sink.write(
        pcm.map((sample) => Math.max(-MAX - 1, Math.min(MAX, Math.round(sample * gain)))),
        signal,
      ),
    finish: (signal) => sink.finish(signal),
    discard: () => sink.discard(),
    get heardSamples() {
      return sink.heardSamples;
    },
  };
}
