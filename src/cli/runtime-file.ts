/** Leaves the server's address where commands on this machine look for it, and takes it away again. */
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { TtsError } from '../protocol/errors.js';
import { parseRuntimeRecord, RUNTIME_FILE, type RuntimeRecord } from '../protocol/runtime.js';

/** Throws where the folder is not ours alone: the file holds a key. */
export function writeRuntimeFile(dir: string, record: RuntimeRecord): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(dir);
  if (process.getuid && (uid !== process.getuid() || (mode & 0o022) !== 0)) {
    throw new TtsError('config_invalid', `The runtime folder ${dir} belongs to, or can be written by, somebody else.`);
  }
  const file = path.join(dir, RUNTIME_FILE);
  const fresh = `${file}.${process.pid}`;
  rmSync(fresh, { force: true });
  writeFileSync(fresh, `${JSON.stringify(record)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(fresh, file);
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
