/** Samples to an open stream such as stdout: raw, or behind a WAV header whose length cannot be known yet. */
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { MAX_WAV_DATA_BYTES, pcmBytes, samplesToBytes, wavHeader } from '../../protocol/audio.js';
import { TtsError } from '../../protocol/errors.js';
import type { AudioSink } from './sink.js';

export interface PipeSinkOptions {
  readonly format: 'wav' | 'pcm';
  /** False for stdout, which is not ours to close. */
  readonly close: boolean;
  /** A way to open the file the stream goes to, where it goes to one: its header is made exact at the end. */
  readonly file?: string;
}

export function createPipeSink(stream: Writable, { format, close, file }: PipeSinkOptions): AudioSink {
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
      if (file !== undefined && format === 'wav') await settleHeader(file, samplesToBytes(samples));
    },
    async discard() {
      if (close) stream.destroy();
    },
    get heardSamples() {
      return samples;
    },
  };
}

/** Only a header of our own at the very beginning, with nothing but the sound behind it, is written over. */
async function settleHeader(file: string, dataBytes: number): Promise<void> {
  const handle = await open(file, 'r+').catch(() => undefined);
  // It may not be opened again: the header says that the length is unknown, which is true.
  if (!handle) return;
  try {
    const unknown = wavHeader();
    const { buffer } = await handle.read(Buffer.alloc(unknown.length), 0, unknown.length, 0);
    const { size } = await handle.stat();
    if (!buffer.equals(unknown) || size !== unknown.length + dataBytes || dataBytes > MAX_WAV_DATA_BYTES) return;
    await handle.write(wavHeader(dataBytes), 0, unknown.length, 0);
  } catch (cause) {
    throw outputFailed(cause as Error);
  } finally {
    await handle.close();
  }
}

export function outputFailed(cause: Error): TtsError {
  return new TtsError('output_failed', `The output could not be written: ${cause.message}.`, { cause });
}
