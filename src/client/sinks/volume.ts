/** A sink that passes samples on to another, louder or softer. */
import type { AudioSink } from './sink.js';

const MAX = 32_767;

/** A `gain` of 1 changes nothing. Peaks beyond full scale are clipped. */
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
