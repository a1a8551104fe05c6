/** Samples in any format to an open stream such as stdout: as they come, behind a head that cannot know the length yet, or whole. */
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createEncoder, type EncoderOptions } from '../../audio/encoder.js';
import type { AudioFormat } from '../../audio/format.js';
import type { Chapter } from '../../audio/tags.js';
import { TtsError } from '../../protocol/errors.js';
import type { AudioSink } from './sink.js';

export interface PipeSinkOptions extends EncoderOptions {
  readonly format: AudioFormat;
  /** False for stdout, which is not ours to close. */
  readonly close: boolean;
  /** A way to open the file the stream goes to, where it goes to one: its head is made exact at the end. */
  readonly file?: string;
  /** Keep everything until the end, so that the head is exact also where nothing can be written over. */
  readonly whole?: boolean;
  /** Asked at the end: where the chapters whose titles were told begin. */
  readonly chapters?: () => readonly Chapter[];
}

export async function createPipeSink(stream: Writable, options: PipeSinkOptions): Promise<AudioSink> {
  const { close, file, whole = false, chapters } = options;
  const encoder = await createEncoder(options.format, options);
  const kept: Uint8Array[] = [];
  /** The first bytes that were written, the head among them, and how many there were in all. */
  let opening: Uint8Array | undefined;
  let bytes = 0;
  let samples = 0;
  let failure: Error | undefined;
  stream.on('error', (error) => {
    failure ??= error;
  });

  async function put(part: Uint8Array, signal: AbortSignal): Promise<void> {
    if (failure) throw outputFailed(failure);
    if (stream.destroyed) throw outputFailed(new Error('it is closed'));
    if (part.length === 0) return;
    opening ??= part;
    bytes += part.length;
    if (stream.write(part)) return;
    await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]).catch((cause) => {
      if (signal.aborted) throw signal.reason;
      throw outputFailed(cause as Error);
    });
  }
  async function take(part: Uint8Array, signal: AbortSignal): Promise<void> {
    if (whole) kept.push(part);
    else await put(part, signal);
  }
  /** All of it, with the head as it should be. */
  async function release(signal: AbortSignal): Promise<void> {
    const sound = Buffer.concat(kept);
    sound.set(encoder.settledHead(chapters?.()) ?? []);
    await put(sound, signal);
  }

  return {
    async write(pcm, signal) {
      signal.throwIfAborted();
      // A stream keeps the bytes after `write` returned: they are the encoder's own copy, and nobody writes over them.
      await take(encoder.encode(pcm), signal);
      samples += pcm.length;
    },
    async finish(signal) {
      await take(encoder.end(), signal);
      if (whole) await release(signal);
      const head = encoder.settledHead(chapters?.());
      encoder.close();
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
      if (file !== undefined && head && opening) await settleHead(file, head, opening.subarray(0, head.length), bytes);
    },
    async discard() {
      encoder.close();
      if (close) stream.destroy();
    },
    get heardSamples() {
      return samples;
    },
  };
}

/** Only a head of our own at the very beginning, with nothing but the sound behind it, is written over. */
async function settleHead(file: string, head: Uint8Array, written: Uint8Array, bytes: number): Promise<void> {
  const handle = await open(file, 'r+').catch(() => undefined);
  // It may not be opened again: the head says that the length is unknown, which is true.
  if (!handle) return;
  try {
    const { buffer } = await handle.read(Buffer.alloc(written.length), 0, written.length, 0);
    const { size } = await handle.stat();
    if (buffer.equals(written) && size === bytes) await handle.write(head, 0, head.length, 0);
  } catch (cause) {
    throw outputFailed(cause as Error);
  } finally {
    await handle.close();
  }
}

export function outputFailed(cause: Error): TtsError {
  return new TtsError('output_failed', `The output could not be written: ${cause.message}.`, { cause });
}
