/**
 * The files by which commands on this machine find running servers. Each server leaves one of its
 * own, which commands believe only where it belongs to their user.
 */
import { constants, lstatSync, readdirSync, rmSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { isAlive } from '../../alive.js';
import { writePrivateFileSync } from '../../atomic-file.js';
import { makeFolder } from '../../folder.js';
import { TtsError } from '../../protocol/errors.js';
import { parseRuntimeRecord, RUNTIME_FILE, type RuntimeRecord, runtimeFile } from '../../protocol/runtime.js';

/** Throws where the folder is not this user's alone: the file holds a key. */
export function writeRuntimeFile(dir: string, record: RuntimeRecord): void {
  makeFolder(dir, 0o700);
  if (!isOurs(lstatSync(dir))) {
    throw new TtsError('config_invalid', `The runtime folder ${dir} belongs to, or can be written by, somebody else.`);
  }
  removeStale(dir);
  writePrivateFileSync(path.join(dir, runtimeFile(record.pid)), `${JSON.stringify(record)}\n`);
}

/** Removes the file of this process. */
export function removeRuntimeFile(dir: string): void {
  rmSync(path.join(dir, runtimeFile(process.pid)), { force: true });
}

/** Files of servers that were killed. */
function removeStale(dir: string): void {
  for (const name of readdirSync(dir)) {
    const pid = Number(RUNTIME_FILE.exec(name)?.[1]);
    if (pid > 0 && !isAlive(pid)) rmSync(path.join(dir, name), { force: true });
  }
}

/** Follows no link, and does not wait for a named pipe. Windows has neither flag. */
const AS_IT_STANDS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
/** Errors after which a file or folder counts as absent. */
const ABSENT = ['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENXIO'];

/**
 * The records in the folder, those written first coming first. Text is sent to the addresses they
 * name: only files of this user, in a folder that nobody else can write to, are believed.
 */
export async function readRuntimeFiles(dir: string): Promise<RuntimeRecord[]> {
  try {
    if (!isOurs(lstatSync(dir))) return [];
    const names = readdirSync(dir).filter((name) => RUNTIME_FILE.test(name));
    const found = await Promise.all(names.map((name) => read(path.join(dir, name))));
    return found
      .flatMap((file) => (file?.record ? [{ ...file, record: file.record }] : []))
      .sort((a, b) => a.writtenMs - b.writtenMs)
      .map(({ record }) => record);
  } catch (error) {
    if (ABSENT.includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

async function read(file: string): Promise<{ record: RuntimeRecord | undefined; writtenMs: number } | undefined> {
  try {
    const handle = await open(file, AS_IT_STANDS);
    try {
      // Of the file that is read: what stands at the path may change meanwhile.
      const found = await handle.stat();
      if (!found.isFile() || !isOurs(found)) return undefined;
      return { record: parseRuntimeRecord(await handle.readFile('utf8')), writtenMs: found.mtimeMs };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (ABSENT.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** This user's, and nobody else can write to it; a link to such a thing is not it. */
function isOurs(found: Stats): boolean {
  if (!process.getuid) return true;
  return !found.isSymbolicLink() && found.uid === process.getuid() && (found.mode & 0o022) === 0;
}
