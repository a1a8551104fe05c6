/** Writes any format to an open stream such as stdout, as samples come or all at the end. */
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
  /** False for stdout, which stays open. */
  readonly close: boolean;
  /** Opens the file that the stream goes to, if any: its header is made exact at the end. */
  readonly file?: string;
  /** Keeps everything until the end, so that the header is exact where it cannot be overwritten. */
  readonly whole?: boolean;
  /** Called at the end: where the announced chapters begin. */
  readonly chapters?: () => readonly Chapter[];
}

export async function createPipeSink(stream: Writable, options: PipeSinkOptions): Promise<AudioSink> {
  const { close, file, whole = false, chapters } = options;
  const encoder = await createEncoder(options.format, options);
  const kept: Uint8Array[] = [];
  /** The first bytes written, header included, and the number of all bytes. */
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
  /** Everything that was kept, behind an exact header. */
  async function release(signal: AbortSignal): Promise<void> {
    const sound = Buffer.concat(kept);
    sound.set(encoder.settledHead(chapters?.()) ?? []);
    await put(sound, signal);
  }

  return {
    async write(pcm, signal) {
      signal.throwIfAborted();
      // The stream keeps the bytes after `write`: they are a copy that is not written over.
      await take(await encoder.encode(pcm), signal);
      samples += pcm.length;
    },
    async finish(signal) {
      await take(await encoder.end(chapters?.()), signal);
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

/** Overwrites the header only where the file begins with ours and has nothing but our audio. */
async function settleHead(file: string, head: Uint8Array, written: Uint8Array, bytes: number): Promise<void> {
  const handle = await open(file, 'r+').catch(() => undefined);
  // It cannot be opened again: the header stays one of unknown length.
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
