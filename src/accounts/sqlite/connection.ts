/**
 * Opens the file of a SQLite database: its folder and rights, a check for damage, and migrations.
 */
import { chmodSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Libsql from 'libsql';
import { TtsError } from '../../protocol/errors.js';
import { makePrivateFile, unusableFolder } from '../data-folder.js';
import { SQLITE_MIGRATIONS as MIGRATIONS } from '../migrations/index.js';
import { isBusy, sqliteError } from './failure.js';

/**
 * Pause before another try (ms). Another process holds the write lock for milliseconds at most, and
 * waiting inside SQLite would block.
 */
const BUSY_RETRY_MS = 5;

export async function whileBusy<T>(action: () => T, late: () => boolean): Promise<T> {
  for (;;) {
    try {
      return action();
    } catch (error) {
      if (!isBusy(error) || late()) throw error;
      await sleep(BUSY_RETRY_MS);
    }
  }
}

function connect(file: string): Libsql.Database {
  if (file === ':memory:') return new Libsql(file);
  try {
    makePrivateFile(file);
    chmodSync(file, 0o600);
  } catch (error) {
    throw unusableFolder(path.dirname(file), error);
  }
  return new Libsql(file, { timeout: 0 });
}

function migrate(connection: Libsql.Database, file: string): void {
  const version = () => (connection.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
  if (version() < MIGRATIONS.length) {
    connection.exec('BEGIN IMMEDIATE');
    try {
      // Read again under the lock: another process may have been here in between.
      for (let next = version(); next < MIGRATIONS.length; next++) connection.exec(MIGRATIONS[next]!);
      connection.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
      connection.exec('COMMIT');
    } catch (error) {
      if (connection.inTransaction) connection.exec('ROLLBACK');
      throw error;
    }
  }
  if (version() > MIGRATIONS.length) {
    throw new TtsError(
      'internal_error',
      `The accounts database ${file} was written by a newer version of tts. Update tts, or choose another --data-dir.`,
    );
  }
}

export function check(connection: Libsql.Database, pragma: 'quick_check' | 'integrity_check'): string[] {
  const rows = connection.prepare(`PRAGMA ${pragma}`).all() as Record<string, string>[];
  const found = rows.map((row) => row[pragma] ?? '').flatMap((text) => text.split('\n'));
  return found.filter((line) => line !== 'ok' && !line.startsWith('***'));
}

/** Refuses a damaged file where `quickCheck` says so, which reads all of it. */
function assertSound(connection: Libsql.Database, file: string): void {
  const [damage] = check(connection, 'quick_check');
  if (damage === undefined) return;
  const advice = 'Put a copy made with "tts db backup" in its place, or move it away to begin anew';
  const message = `The accounts database ${file} is damaged (${damage}). ${advice}; "tts db check" lists the damage.`;
  throw new TtsError('internal_error', message);
}

/** A connection to a database that is up to date. */
export async function openConnection(
  file: string,
  { quickCheck, busyLimitMs }: { readonly quickCheck: boolean; readonly busyLimitMs: number },
): Promise<Libsql.Database> {
  const lastTryMs = performance.now() + busyLimitMs;
  const isLate = () => performance.now() > lastTryMs;
  let connection: Libsql.Database | undefined;
  try {
    const opened = connect(file);
    connection = opened;
    await whileBusy(() => opened.pragma('journal_mode = WAL'), isLate);
    if (quickCheck) assertSound(opened, file);
    await whileBusy(() => migrate(opened, file), isLate);
    return opened;
  } catch (error) {
    connection?.close();
    throw sqliteError(error, file);
  }
}

/**
 * Leaves one file to copy instead of a stub and its log. Others that still work on it, or a full
 * disk, keep it from that.
 */
export function tidy(connection: Libsql.Database): void {
  try {
    connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  } catch {
    // The next connection reads the log too: nothing is lost.
  }
}
