/** One SQLite connection: statements, and writes that share a commit when they come together. */
import { chmodSync, existsSync, statSync } from 'node:fs';
import path from 'node:path';
import type Libsql from 'libsql';
import { makeFolder } from '../../folder.js';
import { TtsError } from '../../protocol/errors.js';
import {
  type AccountsDatabase,
  ask,
  type Change,
  type Filling,
  type Query,
  type Read,
  type Value,
} from '../database.js';
import { check, openConnection, tidy, whileBusy } from './connection.js';
import { isBusy, sqliteError } from './failure.js';

/** How long a write waits for other programs that write (ms). */
const BUSY_LIMIT_MS = 15_000;
/** Time left for waiting writes when the database is closed (ms). */
const CLOSE_LIMIT_MS = 1_000;
/** The file of a database without one. */
const IN_MEMORY = ':memory:';

export interface DatabaseOptions {
  /** Refuses a damaged file at once; reads all of it. */
  readonly quickCheck?: boolean;
  /**
   * Called with the path of a copy that is made where the file was taken away from under the
   * connection.
   */
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

/** Bytes come as what Node hands about; the library gives them bare where it gives many rows. */
function withBuffers(rows: Record<string, unknown>[]): readonly unknown[] {
  for (const [column, value] of Object.entries(rows[0] ?? {})) {
    if (!(value instanceof ArrayBuffer)) continue;
    for (const row of rows) row[column] = Buffer.from(row[column] as ArrayBuffer);
  }
  return rows;
}

const inodeOf = (file: string): bigint | undefined => statSync(file, { bigint: true, throwIfNoEntry: false })?.ino;

class SqliteDatabase implements AccountsDatabase {
  /** No lock is taken for an update: BEGIN IMMEDIATE keeps all other writers out. */
  readonly dialect = {
    forUpdate: '',
    nowMs: "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
    dayOf: (ms: string) => `date(${ms} / 1000, 'unixepoch')`,
    functions: false,
  };
  readonly shared = false;
  readonly #connection: Libsql.Database;
  readonly #file: string;
  readonly #inode: bigint | undefined;
  readonly #busyLimitMs: number;
  readonly #onRescue: DatabaseOptions['onRescue'];
  readonly #prepared = new Map<string, { statement: Libsql.Statement; reads: boolean }>();
  #synchronous: 'FULL' | 'NORMAL' | undefined;
  #queue: Pending[] = [];
  #flushing: Promise<void> | undefined;
  #closeByMs = Number.POSITIVE_INFINITY;

  constructor(connection: Libsql.Database, file: string, busyLimitMs: number, onRescue: DatabaseOptions['onRescue']) {
    this.#connection = connection;
    this.#file = file;
    this.#inode = file === IN_MEMORY ? undefined : inodeOf(file);
    this.#busyLimitMs = busyLimitMs;
    this.#onRescue = onRescue;
  }

  readonly read: Read = async <Row>(sql: string, ...values: Value[]) => {
    try {
      return this.#execute({ sql, values }) as Row[];
    } catch (error) {
      throw sqliteError(error, this.#file);
    }
  };

  write<T>({ durable, takesOn = false }: { durable: boolean; takesOn?: boolean }, change: () => Change<T>): Promise<T> {
    const result = new Promise<T>((resolve, reject) => {
      const deadlineMs = performance.now() + this.#busyLimitMs;
      this.#queue.push({ durable, takesOn, change, resolve, reject, deadlineMs });
    });
    this.#flushing ??= this.#flush();
    return result;
  }

  writeOne<Row>(options: { durable: boolean; takesOn?: boolean }, sql: string, ...values: Value[]): Promise<Row[]> {
    return this.write(options, () => ask<Row>(sql, ...values));
  }

  snapshot<T>(use: (read: Read) => Promise<T>): Promise<T> {
    return this.#alone('BEGIN', () => use(this.read));
  }

  fill<T>(use: (filling: Filling) => Promise<T>): Promise<T> {
    const insert: Filling['insert'] = async (table, rows) => {
      for (const row of rows) {
        const columns = Object.keys(row);
        const places = columns.map(() => '?').join(', ');
        const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`;
        this.#execute({ sql, values: Object.values(row) });
      }
    };
    return this.#alone('BEGIN IMMEDIATE', () => use({ read: this.read, insert }));
  }

  async damage(): Promise<string[]> {
    return check(this.#connection, 'integrity_check');
  }

  async backup(target: string): Promise<void> {
    await this.#flushing;
    const lastTryMs = performance.now() + this.#busyLimitMs;
    const copied = () => this.#connection.exec(`VACUUM INTO '${target.replaceAll("'", "''")}'`);
    try {
      await whileBusy(copied, () => performance.now() > lastTryMs);
      chmodSync(target, 0o600);
    } catch (error) {
      throw sqliteError(error, this.#file);
    }
  }

  async close(): Promise<void> {
    this.#closeByMs = performance.now() + CLOSE_LIMIT_MS;
    await this.#flushing;
    if (!this.#connection.open) return;
    try {
      if (!this.#isInPlace() && this.#onRescue) {
        makeFolder(path.dirname(this.#file), 0o700);
        const copy = `${this.#file}.rescued-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
        await this.backup(copy);
        this.#onRescue(copy);
      }
      tidy(this.#connection);
    } finally {
      this.#connection.close();
    }
  }

  #execute({ sql, values }: Query): readonly unknown[] {
    let known = this.#prepared.get(sql);
    if (known === undefined) {
      known = { statement: this.#connection.prepare(sql), reads: /^\s*SELECT\b|\bRETURNING\b/.test(sql) };
      this.#prepared.set(sql, known);
    }
    // As one list: bytes that come alone are taken for an object of named values, which ends the
    // process.
    if (known.reads) return withBuffers(known.statement.all([...values]) as Record<string, unknown>[]);
    known.statement.run([...values]);
    return [];
  }

  #isInPlace(): boolean {
    return this.#inode === undefined || inodeOf(this.#file) === this.#inode;
  }

  /**
   * Throws where the file was deleted or replaced: what is written now would be gone with the
   * process.
   */
  #assertInPlace(): void {
    if (this.#isInPlace()) return;
    const file = this.#file;
    const what = existsSync(file) ? 'replaced by another file' : 'deleted';
    const message = `The accounts database ${file} was ${what} while the server ran. Put it back, or restart the server to go on with what is there now.`;
    throw new TtsError('store_unavailable', message);
  }

  #run({ change, takesOn }: Pending): unknown {
    if (takesOn) this.#assertInPlace();
    const course = change();
    let step = course.next();
    while (!step.done) step = course.next(this.#execute(step.value));
    return step.value;
  }

  async #transaction<T>(durable: boolean, work: () => T, isLate: () => boolean): Promise<T> {
    const wanted = durable ? 'FULL' : 'NORMAL';
    if (this.#synchronous !== wanted) {
      this.#connection.pragma(`synchronous = ${wanted}`);
      this.#synchronous = wanted;
    }
    await whileBusy(() => this.#connection.exec('BEGIN IMMEDIATE'), isLate);
    try {
      const result = work();
      this.#connection.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#connection.inTransaction) this.#connection.exec('ROLLBACK');
      throw error;
    }
  }

  async #commit(batch: readonly Pending[]): Promise<void> {
    const durable = batch.some((pending) => pending.durable);
    const deadlineMs = Math.min(...batch.map((pending) => pending.deadlineMs));
    const isLate = () => performance.now() > Math.min(deadlineMs, this.#closeByMs);
    try {
      const results = await this.#transaction(durable, () => batch.map((pending) => this.#run(pending)), isLate);
      batch.forEach((pending, index) => {
        pending.resolve(results[index] as never);
      });
    } catch (error) {
      // The database was busy: no change of the batch would fare better alone.
      if (batch.length === 1 || isBusy(error)) {
        for (const pending of batch) pending.reject(sqliteError(error, this.#file));
        return;
      }
      // One change failed and took the others down with it: each is run again on its own.
      for (const pending of batch) await this.#commit([pending]);
    }
  }

  /**
   * All changes that arrive in this turn of the event loop share one commit, and so one wait for
   * the disk.
   */
  async #flush(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#queue.length > 0) {
      const batch = this.#queue;
      this.#queue = [];
      await this.#commit(batch);
    }
    this.#flushing = undefined;
  }

  /** A transaction that takes its time: the connection does nothing else meanwhile. */
  async #alone<T>(begin: string, use: () => Promise<T>): Promise<T> {
    await this.#flushing;
    try {
      this.#connection.exec(begin);
      const result = await use();
      this.#connection.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#connection.inTransaction) this.#connection.exec('ROLLBACK');
      throw sqliteError(error, this.#file);
    }
  }
}

/**
 * Opens the database in `file`, or one in memory for `:memory:`, and makes it or brings it up to
 * date.
 */
export async function openSqliteDatabase(
  file: string,
  { quickCheck = false, onRescue, busyLimitMs = BUSY_LIMIT_MS }: DatabaseOptions = {},
): Promise<AccountsDatabase> {
  const connection = await openConnection(file, { quickCheck, busyLimitMs });
  return new SqliteDatabase(connection, file, busyLimitMs, onRescue);
}
