/**
 * A file that is being downloaded: written to a temporary folder, kept if size and hash are right.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { makeFolder } from '../../folder.js';
import { BadFile, CutShort } from './failure.js';

/** A file to download: where it goes, and its size and hash. */
export interface Wanted {
  readonly path: string;
  readonly from: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** How a file is opened for writing. A test of a full disk has one of its own. */
export type OpenFile = (file: string, flags: 'w' | 'a') => Writable;
export const openFile: OpenFile = (file, flags) => createWriteStream(file, { flags });

export interface Landing {
  /** The temporary folder. */
  readonly dir: string;
  readonly open: OpenFile;
}

export async function hashFile(file: string, signal?: AbortSignal): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20, signal })) {
    hash.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

export const sizeOf = async (file: string): Promise<number> => (await stat(file).catch(() => undefined))?.size ?? -1;

/** Writes `content` to its place; `append` continues a file. Throws BadFile on a wrong hash. */
export async function land(
  wanted: Wanted,
  content: AsyncIterable<Uint8Array>,
  landing: Landing,
  { append = false, signal }: { append?: boolean; signal?: AbortSignal } = {},
): Promise<void> {
  const file = path.join(landing.dir, wanted.path);
  makeFolder(path.dirname(file));
  const have = append ? Math.max(await sizeOf(file), 0) : 0;
  await pipeline(content, cap(wanted, have), landing.open(file, append ? 'a' : 'w'), { signal });
  const found = await hashFile(file, signal);
  if (found.bytes === wanted.bytes && found.sha256 === wanted.sha256) return;
  if (found.bytes < wanted.bytes) {
    throw new CutShort(`${wanted.from} ended after ${found.bytes} of ${wanted.bytes} bytes`);
  }
  await rm(file, { force: true });
  throw new BadFile(`${wanted.from} has the SHA-256 ${found.sha256} instead of ${wanted.sha256}`);
}

/** Fails on the first byte beyond the expected size, so that an endless source fills no disk. */
function cap({ from, bytes }: Wanted, have: number): Transform {
  let arrived = have;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      arrived += chunk.length;
      if (arrived > bytes) done(new BadFile(`${from} has more than its ${bytes} bytes`));
      else done(null, chunk);
    },
  });
}
