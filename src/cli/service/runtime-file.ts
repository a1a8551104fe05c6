/** The file by which commands on this machine find a running server: left by it, believed by them only where it is their own. */
import { constants, lstatSync, readFileSync, rmSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { writePrivateFileSync } from '../../atomic-file.js';
import { makeFolder } from '../../folder.js';
import { TtsError } from '../../protocol/errors.js';
import { parseRuntimeRecord, RUNTIME_FILE, type RuntimeRecord } from '../../protocol/runtime.js';

/** Throws where the folder is not ours alone: the file holds a key. */
export function writeRuntimeFile(dir: string, record: RuntimeRecord): void {
  makeFolder(dir, 0o700);
  if (!isOurs(lstatSync(dir))) {
    throw new TtsError('config_invalid', `The runtime folder ${dir} belongs to, or can be written by, somebody else.`);
  }
  writePrivateFileSync(path.join(dir, RUNTIME_FILE), `${JSON.stringify(record)}\n`);
}

/** Removes the file where it is this process's; a server that started later keeps its own. */
export function removeRuntimeFile(dir: string): void {
  const file = path.join(dir, RUNTIME_FILE);
  try {
    if (parseRuntimeRecord(readFileSync(file, 'utf8'))?.pid === process.pid) rmSync(file, { force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Not through a link, and not held up by a named pipe in its place. Windows has neither, nor such folders. */
const AS_IT_STANDS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Text is sent to whatever address it names: only our own file, in a folder that nobody else can write to, is believed. */
export async function readRuntimeFile(dir: string): Promise<RuntimeRecord | undefined> {
  try {
    if (!isOurs(lstatSync(dir))) return undefined;
    const handle = await open(path.join(dir, RUNTIME_FILE), AS_IT_STANDS);
    try {
      // Of the file that is read: what stands at the path may change meanwhile.
      const found = await handle.stat();
      return found.isFile() && isOurs(found) ? parseRuntimeRecord(await handle.readFile('utf8')) : undefined;
    } finally {
      await handle.close();
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENXIO'].includes(code)) return undefined;
    throw error;
  }
}

/** This user's, and nobody else can write to it; a link to such a thing is not it. */
function isOurs(found: Stats): boolean {
  if (!process.getuid) return true;
  return !found.isSymbolicLink() && found.uid === process.getuid() && (found.mode & 0o022) === 0;
}
