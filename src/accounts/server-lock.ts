/**
 * One server per data folder: a lock that the operating system lifts when its holder dies, however
 * it dies.
 */
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import Libsql from 'libsql';
import { writePrivateFileSync } from '../atomic-file.js';
import { TtsError } from '../protocol/errors.js';
import { makePrivateFile, unusableFolder } from './data-folder.js';
import { isBusy } from './sqlite/failure.js';

export interface ServerLock {
  /** Leaves the address for the error message of a second server. */
  announce(address: string): void;
  release(): void;
}

interface Holder {
  readonly pid: number;
  readonly address: string | null;
  readonly startedAt: string;
}

const lockFile = (dataDir: string): string => path.join(dataDir, 'server.lock');
const holderFile = (dataDir: string): string => path.join(dataDir, 'server-holder.json');

function describeHolder(dataDir: string): string {
  try {
    const { pid, address } = JSON.parse(readFileSync(holderFile(dataDir), 'utf8')) as Holder;
    return address === null ? `process ${pid}, still starting` : `process ${pid} at ${address}`;
  } catch {
    return 'its process could not be read';
  }
}

/** SQLite takes its file locks the right way on every platform, and they end with the process. */
function takeLock(dataDir: string): Libsql.Database {
  const file = lockFile(dataDir);
  makePrivateFile(file);
  chmodSync(file, 0o600);
  const lock = new Libsql(file, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (cause) {
    lock.close();
    if (!isBusy(cause)) throw cause;
    throw new TtsError(
      'data_dir_locked',
      `Another tts server already uses the data folder ${dataDir} (${describeHolder(dataDir)}). Stop it, or give this one its own folder with --data-dir.`,
      { cause },
    );
  }
}

export function acquireServerLock(dataDir: string): ServerLock {
  const startedAt = new Date().toISOString();
  const write = (address: string | null) => {
    const holder: Holder = { pid: process.pid, address, startedAt };
    writePrivateFileSync(holderFile(dataDir), `${JSON.stringify(holder)}\n`);
  };
  let lock: Libsql.Database | undefined;
  const release = () => {
    if (!lock) return;
    rmSync(holderFile(dataDir), { force: true });
    lock.exec('ROLLBACK');
    lock.close();
    lock = undefined;
  };
  try {
    lock = takeLock(dataDir);
    write(null);
  } catch (cause) {
    release();
    throw cause instanceof TtsError ? cause : unusableFolder(dataDir, cause);
  }
  return { announce: write, release };
}
