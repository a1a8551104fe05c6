/** Samples to an open stream such as stdout: raw, or behind a WAV header whose length cannot be known yet. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { pcmBytes, wavHeader } from '../../protocol/audio.js';
import { TtsError } from '../../protocol/errors.js';
import type { AudioSink } from './sink.js';

export interface PipeSinkOptions {
  readonly format: 'wav' | 'pcm';
  /** False for stdout, which is not ours to close. */
  readonly close: boolean;
}

export function createPipeSink(stream: Writable, { format, close }: PipeSinkOptions): AudioSink {
  let samples = 0;
  let failure: Error | undefined;
  let headed = format === 'pcm';
  stream.on('error', (error) => {
    failure ??= error;
  });

  async function put(bytes: Buffer, signal: AbortSignal): Promise<void> {
    if (failure) throw outputFailed(failure);
    if (stream.destroyed) throw outputFailed(new Error('it is closed'));
    if (stream.write(bytes)) return;
    await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]).catch((cause) => {
      if (signal.aborted) throw signal.reason;
      throw outputFailed(cause as Error);
    });
  }
  async function head(signal: AbortSignal): Promise<void> {
    if (headed) return;
    headed = true;
    await put(wavHeader(), signal);
  }

  return {
    async write(pcm, signal) {
      signal.throwIfAborted();
      await head(signal);
      // A stream keeps the bytes after `write` returned: the samples must not be overwritten, and here they are not.
      await put(pcmBytes(pcm), signal);
      samples += pcm.length;
    },
    async finish(signal) {
      await head(signal);
      if (close) {
        stream.end();
        await finished(stream).catch((cause) => {
          throw outputFailed(cause as Error);
        });
        return;
      }
      await new Promise<void>((resolve, reject) => {
        stream.write('', (error) => (error ? reject(outputFailed(error)) : resolve()));
      });
    },
    async discard() {
      if (close) stream.destroy();
    },
    get heardSamples() {
      return samples;
    },
  };
}

export function outputFailed(cause: Error): TtsError {
  return new TtsError('output_failed', `The output could not be written: ${cause.message}.`, { cause });
}
