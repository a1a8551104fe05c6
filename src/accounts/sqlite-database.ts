/** One SQLite connection: migrations, and writes that share a commit when they come together. */
import { chmodSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Libsql from 'libsql';
import { TtsError } from '../protocol/errors.js';
import { MIGRATIONS } from './migrations/index.js';

/** Another process holds the write lock for milliseconds at most; nothing here waits inside SQLite, which would block. */
const BUSY_RETRY_MS = 5;
const BUSY_LIMIT_MS = 15_000;

/**
 * `durable` survives a loss of power: money that moved, keys that were made. `quick` survives the death of the process:
 * a reservation lost with the power is a reservation returned, which is what would happen to it anyway.
 */
type Durability = 'durable' | 'quick';

interface Statement {
  run(...values: unknown[]): { changes: number };
  get(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
}

export interface SqliteDatabase {
  statement(sql: string): Statement;
  /** Runs `change` in a transaction. It must check before it writes: what throws is rolled back alone. */
  write<T>(durability: Durability, change: () => T): Promise<T>;
  backup(file: string): Promise<void>;
  close(): Promise<void>;
}

interface Pending {
  readonly durability: Durability;
  readonly change: () => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

const isBusy = (error: unknown): boolean => String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');

function wrap(error: unknown, file: string): TtsError {
  if (error instanceof TtsError) return error;
  const { message } = error as Error;
  if (isBusy(error)) {
    const cause = `another program has been writing to it for ${BUSY_LIMIT_MS / 1000} seconds`;
    return new TtsError('internal_error', `The accounts database ${file} is busy: ${cause}.`, { cause: error });
  }
  return new TtsError('internal_error', `The accounts database ${file} failed: ${message}.`, { cause: error });
}

async function whileBusy<T>(action: () => T): Promise<T> {
  const deadline = Date.now() + BUSY_LIMIT_MS;
  for (;;) {
    try {
      return action();
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) throw error;
      await sleep(BUSY_RETRY_MS);
    }
  }
}

function connect(file: string): Libsql.Database {
  if (file !== ':memory:') mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const connection = new Libsql(file, { timeout: 0 });
  if (file !== ':memory:') chmodSync(file, 0o600);
  return connection;
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
      connection.exec('ROLLBACK');
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

export async function openDatabase(file: string): Promise<SqliteDatabase> {
  let connection: Libsql.Database;
  try {
    connection = connect(file);
  } catch (error) {
    throw wrap(error, file);
  }
  try {
    await whileBusy(() => connection.pragma('journal_mode = WAL'));
    await whileBusy(() => migrate(connection, file));
  } catch (error) {
    connection.close();
    throw wrap(error, file);
  }

  let durable: Durability | undefined;
  let queue: Pending[] = [];
  let flushing: Promise<void> | undefined;

  const transaction = async <T>(durability: Durability, run: () => T): Promise<T> => {
    if (durable !== durability) {
      connection.pragma(`synchronous = ${durability === 'durable' ? 'FULL' : 'NORMAL'}`);
      durable = durability;
    }
    await whileBusy(() => connection.exec('BEGIN IMMEDIATE'));
    try {
      const result = run();
      connection.exec('COMMIT');
      return result;
    } catch (error) {
      if (connection.inTransaction) connection.exec('ROLLBACK');
      throw error;
    }
  };

  const commit = async (batch: readonly Pending[]): Promise<void> => {
    const durability = batch.some((pending) => pending.durability === 'durable') ? 'durable' : 'quick';
    try {
      const results = await transaction(durability, () => batch.map((pending) => pending.change()));
      batch.forEach((pending, index) => {
        pending.resolve(results[index] as never);
      });
    } catch (error) {
      if (batch.length === 1) return batch[0]!.reject(wrap(error, file));
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

  return {
    statement: (sql) => connection.prepare(sql) as Statement,
    write<T>(durability: Durability, change: () => T): Promise<T> {
      const result = new Promise<T>((resolve, reject) => {
        queue.push({ durability, change, resolve, reject });
      });
      flushing ??= flush();
      return result;
    },
    async backup(target) {
      await flushing;
      try {
        await whileBusy(() => connection.exec(`VACUUM INTO '${target.replaceAll("'", "''")}'`));
        chmodSync(target, 0o600);
      } catch (error) {
        throw wrap(error, file);
      }
    },
    async close() {
      await flushing;
      if (connection.open) connection.close();
    },
  };
}
