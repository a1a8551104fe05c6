/** Samples to a WAV or raw PCM file that exists under its name only once it is whole. */
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { writeFileAtomic } from '../../atomic-file.js';
import { BYTES_PER_SAMPLE, MAX_WAV_DATA_BYTES, pcmBytes, wavHeader } from '../../protocol/audio.js';
import { TtsError } from '../../protocol/errors.js';
import { createPipeSink, outputFailed } from './pipe.js';
import type { AudioSink } from './sink.js';

export interface FileSinkOptions {
  readonly format: 'wav' | 'pcm';
}

export async function createFileSink(file: string, { format }: FileSinkOptions): Promise<AudioSink> {
  const target = await realpath(file).catch(() => path.resolve(file));
  const existing = await stat(target).catch(() => undefined);
  if (existing?.isDirectory()) throw new TtsError('usage', `${file} is a folder. Name a file in it, such as out.wav.`);
  if (existing && !existing.isFile()) {
    // A device or a named pipe has no size to patch and no name to take over.
    const handle = await open(target, 'w').catch((cause) => fail(cause, file));
    return createPipeSink(handle.createWriteStream(), { format, close: true });
  }
  const part = path.join(path.dirname(target), `.${path.basename(target)}.${randomBytes(4).toString('hex')}.part`);
  const handle = await open(part, 'wx').catch((cause) => fail(cause, file));
  return regularFile(handle, part, target, format);
}

function regularFile(handle: FileHandle, part: string, target: string, format: 'wav' | 'pcm'): AudioSink {
  let samples = 0;
  let begun = false;
  let state: 'open' | 'done' | 'discarded' = 'open';

  async function append(bytes: Buffer): Promise<void> {
    await handle.appendFile(bytes).catch((cause) => {
      throw outputFailed(cause as Error);
    });
  }
  async function begin(): Promise<void> {
    if (begun) return;
    begun = true;
    // Until it is patched, the header says what is true: that the length is unknown.
    if (format === 'wav') await append(wavHeader());
  }

  return {
    async write(pcm, signal) {
      signal.throwIfAborted();
      await begin();
      await append(pcmBytes(pcm));
      samples += pcm.length;
    },
    async finish() {
      await begin();
      const bytes = samples * BYTES_PER_SAMPLE;
      try {
        if (format === 'wav' && bytes <= MAX_WAV_DATA_BYTES) await handle.write(wavHeader(bytes), 0, undefined, 0);
        await handle.sync();
        await handle.close();
        await rename(part, target);
        state = 'done';
      } catch (cause) {
        throw outputFailed(cause as Error);
      }
    },
    async discard() {
      if (state !== 'open') return;
      state = 'discarded';
      await handle.close().catch(() => undefined);
      await rm(part, { force: true });
    },
    get heardSamples() {
      return samples;
    },
  };
}

/** Writes a small text file the same way: under its name only once it is whole. */
export async function writeWhole(file: string, text: string): Promise<void> {
  const target = await realpath(file).catch(() => path.resolve(file));
  const existing = await stat(target).catch(() => undefined);
  const direct = existing !== undefined && !existing.isFile();
  await (direct ? writeFile(target, text) : writeFileAtomic(target, text)).catch((cause) => fail(cause, file));
}

function fail(cause: NodeJS.ErrnoException, file: string): never {
  const why: Record<string, string> = {
    ENOENT: 'its folder does not exist',
    EACCES: 'writing there is not allowed',
    EROFS: 'the disk is read-only',
    ENOSPC: 'the disk is full',
  };
  throw new TtsError(
    'output_failed',
    `${file} cannot be written: ${(cause.code && why[cause.code]) || cause.message}.`,
    {
      cause,
    },
  );
}
