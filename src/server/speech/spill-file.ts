/** The part of a buffered response that memory has no room for: a private temporary file. */
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from '../../folder.js';

const NAME = /^\.tts-held-[\w-]+\.tmp$/;

export class SpillFile {
  readonly #handle: FileHandle;
  readonly #file: string;
  #bytes = 0;

  private constructor(handle: FileHandle, file: string) {
    this.#handle = handle;
    this.#file = file;
  }

  static async create(dir: string): Promise<SpillFile> {
    makeFolder(dir, 0o700);
    const file = path.join(dir, `.tts-held-${randomUUID()}.tmp`);
    return new SpillFile(await open(file, 'wx+', 0o600), file);
  }

  /** Resolves with the position of `bytes` once all are written; a failed write is overwritten. */
  async append(bytes: Uint8Array): Promise<number> {
    const from = this.#bytes;
    let written = 0;
    while (written < bytes.length) {
      const rest = bytes.length - written;
      written += (await this.#handle.write(bytes, written, rest, from + written)).bytesWritten;
    }
    this.#bytes += bytes.length;
    return from;
  }

  async read(position: number, length: number): Promise<Buffer> {
    const piece = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await this.#handle.read(piece, filled, length - filled, position + filled);
      if (bytesRead === 0) throw new Error(`a temporary file ends at ${position + filled} of ${this.#bytes} bytes`);
      filled += bytesRead;
    }
    return piece;
  }

  /** What is being read or written is waited for. */
  async remove(): Promise<void> {
    await this.#handle.close();
    await rm(this.#file, { force: true });
  }
}

/** Removes files that killed servers left in `dir`; a live server's file stays open nameless. */
export async function removeSpillFiles(dir: string): Promise<void> {
  const names = await readdir(dir).catch(() => []);
  const removed = names.filter((name) => NAME.test(name)).map((name) => rm(path.join(dir, name), { force: true }));
  // Another user's files in a shared folder stay.
  await Promise.allSettled(removed);
}
