/** Writes a file of any format, which appears under its name when it is complete. */
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isAlive } from '../../alive.js';
import { writeFileAtomic } from '../../atomic-file.js';
import { type AudioEncoder, createEncoder, type EncoderOptions } from '../../audio/encoder.js';
import type { AudioFormat } from '../../audio/format.js';
import type { Chapter } from '../../audio/tags.js';
import { TtsError } from '../../protocol/errors.js';
import { createPipeSink, outputFailed } from './pipe.js';
import type { AudioSink } from './sink.js';

export interface FileSinkOptions extends EncoderOptions {
  readonly format: AudioFormat;
  /** Called at the end: where the announced chapters begin. */
  readonly chapters?: () => readonly Chapter[];
  /** A run that is killed is repeated: the unfinished files of killed ones are removed first. */
  readonly repeatable?: boolean;
}

export async function createFileSink(file: string, options: FileSinkOptions): Promise<AudioSink> {
  const target = await realpath(file).catch(() => path.resolve(file));
  const existing = await stat(target).catch(() => undefined);
  if (existing?.isDirectory()) throw new TtsError('usage', `${file} is a folder. Name a file in it, such as out.wav.`);
  if (existing && !existing.isFile()) {
    // A device or a named pipe cannot be renamed, nor its header be overwritten.
    const handle = await open(target, 'w').catch((cause) => fail(cause, file));
    return createPipeSink(handle.createWriteStream(), { ...options, close: true });
  }
  const mark = options.repeatable ? `${process.pid}` : randomBytes(4).toString('hex');
  const part = path.join(path.dirname(target), `.${path.basename(target)}.${mark}.part`);
  if (options.repeatable) await removeOrphans(target);
  const encoder = await createEncoder(options.format, options);
  const handle = await open(part, 'wx').catch((cause) => {
    encoder.close();
    return fail(cause, file);
  });
  return regularFile(handle, encoder, { part, target, chapters: options.chapters });
}

/** A file that is written at any place, and appears under its name when it is complete. */
export interface WholeFile {
  readonly handle: FileHandle;
  finish(): Promise<void>;
  /** Leaves nothing, unless it is finished. */
  discard(): Promise<void>;
}

/** For a run that is repeated when it is killed: unfinished files of killed ones are removed. */
export async function openWhole(file: string): Promise<WholeFile> {
  const target = await realpath(file).catch(() => path.resolve(file));
  const existing = await stat(target).catch(() => undefined);
  if (existing && !existing.isFile()) throw new TtsError('usage', `${file} is no file. Name one, such as book.epub.`);
  const part = path.join(path.dirname(target), `.${path.basename(target)}.${process.pid}.part`);
  await removeOrphans(target);
  const handle = await open(part, 'wx+').catch((cause) => fail(cause, file));
  let isOpen = true;
  return {
    handle,
    async finish() {
      try {
        await handle.sync();
        await handle.close();
        await rename(part, target);
        isOpen = false;
      } catch (cause) {
        throw outputFailed(cause as Error);
      }
    },
    async discard() {
      if (!isOpen) return;
      isOpen = false;
      await handle.close().catch(() => undefined);
      await rm(part, { force: true });
    },
  };
}

/** Removes unfinished files of processes that are gone, and one that this process left. */
async function removeOrphans(target: string): Promise<void> {
  const [folder, name] = [path.dirname(target), path.basename(target)];
  for (const each of await readdir(folder).catch(() => [])) {
    const pid = each.startsWith(`.${name}.`) ? /\.(\d+)\.part$/.exec(each)?.[1] : undefined;
    if (pid === undefined || each !== `.${name}.${pid}.part`) continue;
    if (Number(pid) === process.pid || !isAlive(Number(pid))) await rm(path.join(folder, each), { force: true });
  }
}

interface Place {
  readonly part: string;
  readonly target: string;
  readonly chapters: FileSinkOptions['chapters'];
}

function regularFile(handle: FileHandle, encoder: AudioEncoder, { part, target, chapters }: Place): AudioSink {
  let samples = 0;
  let state: 'open' | 'done' | 'discarded' = 'open';

  return {
    async write(pcm, signal) {
      signal.throwIfAborted();
      await handle.appendFile(await encoder.encode(pcm)).catch((cause) => {
        throw outputFailed(cause as Error);
      });
      samples += pcm.length;
    },
    async finish() {
      try {
        await handle.appendFile(await encoder.end(chapters?.()));
        // Until now the header said that the length is unknown.
        const head = encoder.settledHead(chapters?.());
        if (head) await handle.write(head, 0, undefined, 0);
        await handle.sync();
        await handle.close();
        await rename(part, target);
        state = 'done';
        encoder.close();
      } catch (cause) {
        throw outputFailed(cause as Error);
      }
    },
    async discard() {
      encoder.close();
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

/** Writes a small text file the same way. */
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
