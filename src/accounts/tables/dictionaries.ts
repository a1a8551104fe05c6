/** Pronunciation dictionaries that keys made, for all servers of a database. */
import { type AccountsDatabase, ask, tell } from '../database.js';

export interface DictionaryRow {
  readonly id: string;
  /** The key that made it; no other sees it. */
  readonly keyId: string;
  /** JSON, whose shape is the business of who keeps it. */
  readonly value: string;
}

export interface DictionaryTable {
  /** Those of a key, in the order of their ids. */
  list(keyId: string): Promise<DictionaryRow[]>;
  /** Undefined where the key has none of this id. */
  find(keyId: string, id: string): Promise<DictionaryRow | undefined>;
  /** Adds one, or replaces the one of its key and id. False where the key has `most` already. */
  put(row: DictionaryRow, most: number): Promise<boolean>;
}

const COLUMNS = 'SELECT id, key_id AS "keyId", value FROM dictionaries WHERE key_id = ?';
const LIST = `${COLUMNS} ORDER BY id`;
const FIND = `${COLUMNS} AND id = ?`;
/** Locks the key's row, so that two servers count one after the other. */
const LOCK_KEY = 'UPDATE keys SET name = name WHERE id = ?';
const OTHERS = 'SELECT count(*) AS others FROM dictionaries WHERE key_id = ? AND id <> ?';
const PUT = `INSERT INTO dictionaries (key_id, id, value) VALUES (?, ?, ?)
  ON CONFLICT (key_id, id) DO UPDATE SET value = excluded.value`;

export const createDictionaries = (database: AccountsDatabase): DictionaryTable => ({
  list: (keyId) => database.read<DictionaryRow>(LIST, keyId),
  find: async (keyId, id) => (await database.read<DictionaryRow>(FIND, keyId, id))[0],
  put: ({ keyId, id, value }, most) =>
    database.write({ durable: true }, function* () {
      yield* tell(LOCK_KEY, keyId);
      const [row] = yield* ask<{ others: number }>(OTHERS, keyId, id);
      if (row!.others >= most) return false;
      yield* tell(PUT, keyId, id, value);
      return true;
    }),
});

/** The same, asked through `asked`, which says a store's failures in words for strangers. */
export const dictionariesThrough = (
  table: DictionaryTable,
  asked: <T>(question: () => Promise<T>) => Promise<T>,
): DictionaryTable => ({
  list: (keyId) => asked(() => table.list(keyId)),
  find: (keyId, id) => asked(() => table.find(keyId, id)),
  put: (row, most) => asked(() => table.put(row, most)),
});
