/** Accounts in PostgreSQL: one database, any number of servers. */
import { createStore } from '../database-store.js';
import type { AccountStore } from '../store.js';
import { openPostgresDatabase, type PostgresOptions } from './database.js';

/** Connects (and where needed makes the tables or brings them up to date). */
export const openPostgresStore = async (url: string, options?: PostgresOptions): Promise<AccountStore> =>
  createStore(await openPostgresDatabase(url, options));
