/**
 * What the store asks of a database: statements that SQLite and PostgreSQL both understand, and
 * transactions made of them.
 */

export type Value = string | number | null | Uint8Array;

export interface Query {
  /** With `?` where a value goes. */
  readonly sql: string;
  readonly values: readonly Value[];
  /** Its answer is not waited for; where it fails, the transaction fails. */
  readonly told?: boolean;
}

/**
 * A transaction as a course of questions: written once, whether they are answered on the spot or
 * over a network.
 */
export type Change<T> = Generator<Query, T, readonly unknown[]>;

/** The rows a statement gives; none where it only writes. */
export function* ask<Row>(sql: string, ...values: Value[]): Change<Row[]> {
  return (yield { sql, values }) as Row[];
}

/** A statement that only writes. */
export function* tell(sql: string, ...values: Value[]): Change<void> {
  yield { sql, values, told: true };
}

/** The few words in which the databases differ. */
interface Dialect {
  /** After a SELECT: locks its rows until the transaction has ended. */
  readonly forUpdate: string;
  /** The database's own clock in milliseconds: one for all servers. */
  readonly nowMs: string;
  /** The UTC day (YYYY-MM-DD) of an expression in milliseconds. */
  readonly dayOf: (ms: string) => string;
  /**
   * Whether the database has functions that reserve and settle
   * (migrations/postgres/005-functions.ts).
   */
  readonly functions: boolean;
}

/** The connection broke while a transaction was being committed: it was, or it was not. */
export class CommitUnknown extends Error {}

export function isCommitUnknown(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof CommitUnknown) return true;
  return false;
}

export interface WriteOptions {
  /** Survives a loss of power, and not only the death of the process. */
  readonly durable: boolean;
  /** Takes work on, which must not happen where it could not be kept. */
  readonly takesOn?: boolean;
  /**
   * The key whose row it locks: where that row is locked for long, only the work of this key waits.
   */
  readonly keyId?: string;
  /** A server's sign of life: it waits for no other work of this server. */
  readonly lease?: boolean;
}

export type Read = <Row>(sql: string, ...values: Value[]) => Promise<Row[]>;

export interface Filling {
  readonly read: Read;
  insert(table: string, rows: readonly Record<string, Value>[]): Promise<void>;
}

export interface AccountsDatabase {
  readonly dialect: Dialect;
  /** Whether servers on other machines may work on it at the same time. */
  readonly shared: boolean;
  readonly read: Read;
  /**
   * Runs a change in a transaction. It must check before it writes, and may be run again from its
   * beginning.
   */
  write<T>(options: WriteOptions, change: () => Change<T>): Promise<T>;
  /** A change of one statement, which is a transaction by itself: one round trip. */
  writeOne<Row>(options: WriteOptions, sql: string, ...values: Value[]): Promise<Row[]>;
  /** What the database finds wrong with its own files; empty where all is well. */
  damage(): Promise<string[]>;
  /** A consistent copy in a new SQLite file, while others read and write. */
  backup(file: string): Promise<void>;
  /** Reads of one and the same moment; the connection is the caller's alone meanwhile. */
  snapshot<T>(use: (read: Read) => Promise<T>): Promise<T>;
  /** Fills the tables, all or nothing, and keeps everybody else from writing meanwhile. */
  fill<T>(use: (filling: Filling) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
