/** One SQLite connection: migrations, and writes that share a commit when they come together. */
import { chmodSync, existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Libsql from 'libsql';
import { makeFolder } from '../../folder.js';
import { TtsError } from '../../protocol/errors.js';
import { makePrivateFile, unusableFolder } from '../data-folder.js';
import type { AccountsDatabase, Change, Filling, Query, Read, Value } from '../database.js';
import { SQLITE_MIGRATIONS as MIGRATIONS } from '../migrations/index.js';
import { isBusy, sqliteError } from './failure.js';

/** Another process holds the write lock for milliseconds at most; nothing here waits inside SQLite, which would block. */
const BUSY_RETRY_MS = 5;
const BUSY_LIMIT_MS = 15_000;
/** What waits when the database is closed has this long left. */
const CLOSE_LIMIT_MS = 1_000;

export interface DatabaseOptions {
  /** Refuses a damaged file at once; reads all of it. */
  readonly quickCheck?: boolean;
  /** Saves what is known where the file was taken away from under the connection, and tells where. */
  readonly onRescue?: (copy: string) => void;
  /** How long a write waits for other programs that write. */
  readonly busyLimitMs?: number;
}

interface Pending {
  readonly durable: boolean;
  readonly takesOn: boolean;
  readonly change: () => Change<unknown>;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
  /** When its caller has waited long enough for another program, however often it was tried. */
  readonly deadlineMs: number;
}

async function whileBusy<T>(action: () => T, late: () => boolean): Promise<T> {
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

function check(connection: Libsql.Database, pragma: 'quick_check' | 'integrity_check'): string[] {
  const rows = connection.prepare(`PRAGMA ${pragma}`).all() as Record<string, string>[];
  const found = rows.map((row) => row[pragma] ?? '').flatMap((text) => text.split('\n'));
  return found.filter((line) => line !== 'ok' && !line.startsWith('***'));
}

/** Leaves one file to copy instead of a stub and its log. Others that still work on it, or a full disk, keep it from that. */
function tidy(connection: Libsql.Database): void {
  try {
    connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  } catch {
    // Whoever opens it next reads the log as well: nothing is lost.
  }
}

/** Bytes come as what Node hands about; the library gives them bare where it gives many rows. */
function withBuffers(rows: Record<string, unknown>[]): readonly unknown[] {
  for (const [column, value] of Object.entries(rows[0] ?? {})) {
    if (!(value instanceof ArrayBuffer)) continue;
    for (const row of rows) row[column] = Buffer.from(row[column] as ArrayBuffer);
  }
  return rows;
}

const inodeOf = (file: string): bigint | undefined => statSync(file, { bigint: true, throwIfNoEntry: false })?.ino;

export async function openSqliteDatabase(
  file: string,
  { quickCheck = false, onRescue, busyLimitMs = BUSY_LIMIT_MS }: DatabaseOptions = {},
): Promise<AccountsDatabase> {
  let connection: Libsql.Database;
  const openedAtMs = performance.now();
  const tooLate = () => performance.now() > openedAtMs + busyLimitMs;
  try {
    connection = connect(file);
  } catch (error) {
    throw sqliteError(error, file);
  }
  try {
    await whileBusy(() => connection.pragma('journal_mode = WAL'), tooLate);
    const damage = quickCheck ? check(connection, 'quick_check') : [];
    if (damage.length > 0) {
      const advice = 'Put a copy made with "tts db backup" in its place, or move it away to begin anew';
      const message = `The accounts database ${file} is damaged (${damage[0]}). ${advice}; "tts db check" lists the damage.`;
      throw new TtsError('internal_error', message);
    }
    await whileBusy(() => migrate(connection, file), tooLate);
  } catch (error) {
    connection.close();
    throw sqliteError(error, file);
  }

  const inode = file === ':memory:' ? undefined : inodeOf(file);
  const isInPlace = () => file === ':memory:' || inodeOf(file) === inode;
  let synchronous: 'FULL' | 'NORMAL' | undefined;
  let queue: Pending[] = [];
  let flushing: Promise<void> | undefined;
  let closeByMs = Number.POSITIVE_INFINITY;

  const prepared = new Map<string, { statement: Libsql.Statement; reads: boolean }>();
  const execute = ({ sql, values }: Query): readonly unknown[] => {
    let known = prepared.get(sql);
    if (known === undefined) {
      known = { statement: connection.prepare(sql), reads: /^\s*SELECT\b|\bRETURNING\b/.test(sql) };
      prepared.set(sql, known);
    }
    // As one list: bytes that come alone are taken for an object of named values, which ends the process.
    if (known.reads) return withBuffers(known.statement.all([...values]) as Record<string, unknown>[]);
    known.statement.run([...values]);
    return [];
  };
  const read: Read = async <Row>(sql: string, ...values: Value[]) => {
    try {
      return execute({ sql, values }) as Row[];
    } catch (error) {
      throw sqliteError(error, file);
    }
  };

  /** Throws where the file was deleted or replaced: what is written now would be gone with the process. */
  const assertInPlace = () => {
    if (isInPlace()) return;
    const what = existsSync(file) ? 'replaced by another file' : 'deleted';
    const message = `The accounts database ${file} was ${what} while the server ran. Put it back, or restart the server to go on with what is there now.`;
    throw new TtsError('store_unavailable', message);
  };
  const run = ({ change, takesOn }: Pending): unknown => {
    if (takesOn) assertInPlace();
    const course = change();
    let step = course.next();
    while (!step.done) step = course.next(execute(step.value));
    return step.value;
  };

  const transaction = async <T>(durable: boolean, work: () => T, late: () => boolean): Promise<T> => {
    const wanted = durable ? 'FULL' : 'NORMAL';
    if (synchronous !== wanted) {
      connection.pragma(`synchronous = ${wanted}`);
      synchronous = wanted;
    }
    await whileBusy(() => connection.exec('BEGIN IMMEDIATE'), late);
    try {
      const result = work();
      connection.exec('COMMIT');
      return result;
    } catch (error) {
      if (connection.inTransaction) connection.exec('ROLLBACK');
      throw error;
    }
  };

  const commit = async (batch: readonly Pending[]): Promise<void> => {
    const durable = batch.some((pending) => pending.durable);
    const deadlineMs = Math.min(...batch.map((pending) => pending.deadlineMs));
    const late = () => performance.now() > Math.min(deadlineMs, closeByMs);
    try {
      const results = await transaction(durable, () => batch.map(run), late);
      batch.forEach((pending, index) => {
        pending.resolve(results[index] as never);
      });
    } catch (error) {
      // Nobody's fault among them: none would fare better alone.
      if (batch.length === 1 || isBusy(error)) {
        for (const pending of batch) pending.reject(sqliteError(error, file));
        return;
      }
      // One of them failed and took the others down with it: each again on its own.
      for (const pending of batch) await commit([pending]);
    }
  };

  const flush = async (): Promise<void> => {
    // All that arrives in this turn of the event loop shares one commit, and so one wait for the disk.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (queue.length > 0) {
      const batch = queue;
      queue = [];
      await commit(batch);
    }
    flushing = undefined;
  };

  const backup = async (target: string): Promise<void> => {
    await flushing;
    const startMs = performance.now();
    const late = () => performance.now() > startMs + busyLimitMs;
    try {
      await whileBusy(() => connection.exec(`VACUUM INTO '${target.replaceAll("'", "''")}'`), late);
      chmodSync(target, 0o600);
    } catch (error) {
      throw sqliteError(error, file);
    }
  };

  /** A transaction that takes its time: the connection does nothing else meanwhile. */
  const alone = async <T>(begin: string, use: () => Promise<T>): Promise<T> => {
    await flushing;
    try {
      connection.exec(begin);
      const result = await use();
      connection.exec('COMMIT');
      return result;
    } catch (error) {
      if (connection.inTransaction) connection.exec('ROLLBACK');
      throw sqliteError(error, file);
    }
  };
  const insert: Filling['insert'] = async (table, rows) => {
    for (const row of rows) {
      const columns = Object.keys(row);
      const places = columns.map(() => '?').join(', ');
      execute({ sql: `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`, values: Object.values(row) });
    }
  };

  return {
    // BEGIN IMMEDIATE keeps all other writers out.
    dialect: {
      forUpdate: '',
      nowMs: "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
      dayOf: (ms) => `date(${ms} / 1000, 'unixepoch')`,
    },
    shared: false,
    read,
    write<T>({ durable, takesOn = false }: { durable: boolean; takesOn?: boolean }, change: () => Change<T>) {
      const result = new Promise<T>((resolve, reject) => {
        const deadlineMs = performance.now() + busyLimitMs;
        queue.push({ durable, takesOn, change, resolve, reject, deadlineMs });
      });
      flushing ??= flush();
      return result;
    },
    snapshot: (use) => alone('BEGIN', () => use(read)),
    fill: (use) => alone('BEGIN IMMEDIATE', () => use({ read, insert })),
    damage: async () => check(connection, 'integrity_check'),
    backup,
    async close() {
      closeByMs = performance.now() + CLOSE_LIMIT_MS;
      await flushing;
      if (!connection.open) return;
      try {
        if (!isInPlace() && onRescue) {
          makeFolder(path.dirname(file), 0o700);
          const copy = `${file}.rescued-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
          await backup(copy);
          onRescue(copy);
        }
        tidy(connection);
      } finally {
        connection.close();
      }
    },
  };
}
