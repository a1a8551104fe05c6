/** One server a data folder: a lock that the operating system lifts when its holder dies, however it dies. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Libsql from 'libsql';
import { TtsError } from '../protocol/errors.js';

export interface ServerLock {
  /** Leaves the address for the message to whoever comes second. */
  announce(address: string): void;
  release(): void;
}

interface Holder {
  readonly pid: number;
  readonly address: string | null;
  readonly startedAt: string;
}

/** The database file of a data folder. */
export const accountsFile = (dataDir: string): string => path.join(dataDir, 'accounts.db');
const lockFile = (dataDir: string): string => path.join(dataDir, 'server.lock');
const holderFile = (dataDir: string): string => path.join(dataDir, 'server.json');

function describeHolder(dataDir: string): string {
  try {
    const { pid, address } = JSON.parse(readFileSync(holderFile(dataDir), 'utf8')) as Holder;
    return address === null ? `process ${pid}, still starting` : `process ${pid} at ${address}`;
  } catch {
    return 'its process could not be read';
  }
}

export function acquireServerLock(dataDir: string): ServerLock {
  let lock: Libsql.Database;
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    // SQLite takes its file locks the right way on every platform, and they end with the process.
    lock = new Libsql(lockFile(dataDir), { timeout: 0 });
  } catch (cause) {
    throw new TtsError(
      'internal_error',
      `The data folder ${dataDir} cannot be used: ${(cause as Error).message}. Choose another with --data-dir.`,
      { cause },
    );
  }
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    lock.close();
    throw new TtsError(
      'data_dir_locked',
      `Another tts server already uses the data folder ${dataDir} (${describeHolder(dataDir)}). Stop it, or give this one its own folder with --data-dir.`,
      { cause },
    );
  }
  const startedAt = new Date().toISOString();
  const write = (address: string | null) => {
    const holder: Holder = { pid: process.pid, address, startedAt };
    const file = holderFile(dataDir);
    writeFileSync(`${file}.new`, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  write(null);
  let held = true;
  return {
    announce: (address) => write(address),
    release() {
      if (!held) return;
      held = false;
      rmSync(holderFile(dataDir), { force: true });
      lock.exec('ROLLBACK');
      lock.close();
    },
  };
}
