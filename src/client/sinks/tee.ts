/** Two sinks at once: a file, and a device whose failure does not end the file. */
import type { AudioSink } from './sink.js';

export function createTeeSink(file: AudioSink, player: AudioSink): AudioSink {
  let playerFailure: unknown;

  async function onPlayer(action: () => Promise<void>, signal: AbortSignal): Promise<void> {
    if (playerFailure !== undefined) return;
    try {
      await action();
    } catch (error) {
      if (signal.aborted) throw error;
      playerFailure = error;
    }
  }

  return {
    async write(pcm, signal) {
      await file.write(pcm, signal);
      await onPlayer(() => player.write(pcm, signal), signal);
    },
    async finish(signal) {
      await file.finish(signal);
      await onPlayer(() => player.finish(signal), signal);
      // The file is complete; the command reports that playback failed.
      if (playerFailure !== undefined) throw playerFailure;
    },
    async discard() {
      await Promise.all([file.discard(), player.discard()]);
    },
    get heardSamples() {
      return playerFailure === undefined ? player.heardSamples : file.heardSamples;
    },
  };
}
