/** What the operator keeps for all servers of a database: mixed voices, and how words are read. */
import { type AccountsDatabase, ask, tell } from '../database.js';

export type KeptKind = 'voice' | 'word';

export interface KeptEntry {
  readonly kind: KeptKind;
  /** A voice's id, or a word as it is written. */
  readonly name: string;
  /** A voice file, or what the word is said as. */
  readonly value: string;
}

export interface KeptTable {
  /** How often anything was changed, by any server. */
  changes(): Promise<number>;
  /** Everything, by kind and name. */
  list(): Promise<KeptEntry[]>;
  /** Adds an entry, or replaces the one of its kind and name. False where `most` are there. */
  put(entry: KeptEntry, most: number): Promise<boolean>;
  /** False where there was no such entry. */
  remove(kind: KeptKind, name: string): Promise<boolean>;
}

const CHANGES = 'SELECT changes FROM kept_changes';
/** Locks the row, so that changes of two servers come one after the other. */
const COUNT_CHANGE = 'UPDATE kept_changes SET changes = changes + 1';
const LIST = 'SELECT kind, name, value FROM kept ORDER BY kind, name';
const OTHERS = 'SELECT count(*) AS others FROM kept WHERE kind = ? AND name <> ?';
const PUT = `INSERT INTO kept (kind, name, value) VALUES (?, ?, ?)
  ON CONFLICT (kind, name) DO UPDATE SET value = excluded.value`;
const REMOVE = 'DELETE FROM kept WHERE kind = ? AND name = ? RETURNING name';

export const createKept = (database: AccountsDatabase): KeptTable => ({
  async changes() {
    return (await database.read<{ changes: number }>(CHANGES))[0]!.changes;
  },
  list: () => database.read<KeptEntry>(LIST),
  put: ({ kind, name, value }, most) =>
    database.write({ durable: true }, function* () {
      const [row] = yield* ask<{ others: number }>(OTHERS, kind, name);
      if (row!.others >= most) return false;
      yield* tell(COUNT_CHANGE);
      yield* tell(PUT, kind, name, value);
      return true;
    }),
  remove: (kind, name) =>
    database.write({ durable: true }, function* () {
      yield* tell(COUNT_CHANGE);
      return (yield* ask<{ name: string }>(REMOVE, kind, name)).length > 0;
    }),
});
