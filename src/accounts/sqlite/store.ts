/** Accounts in SQLite: one file, one server. */
import { createStore } from '../database-store.js';
import type { AccountStore } from '../store.js';
import { type DatabaseOptions, openSqliteDatabase } from './database.js';

/**
 * Opens (and where needed makes or brings up to date) the database in `file`, or one in memory for
 * `:memory:`.
 */
export const openSqliteStore = async (file: string, options?: DatabaseOptions): Promise<AccountStore> =>
  createStore(await openSqliteDatabase(file, options));
