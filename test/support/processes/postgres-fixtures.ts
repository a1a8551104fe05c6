/** Stores on PostgreSQL for the contract of all stores: one database, emptied before each test. */
import pg from 'pg';
import { createStore } from '../../../src/accounts/database-store.js';
import { openPostgresDatabase } from '../../../src/accounts/postgres/database.js';
import { openSqliteStore } from '../../../src/accounts/sqlite/store.js';
import type { StoreFixture } from '../../contract/account-store/tools.js';
import { type ClockedDatabase, withClock } from './database-clock.js';

export interface PostgresFixtures {
  /** Everything as the tables were made, and nobody's connection with anything in it. */
  open(): Promise<StoreFixture>;
  close(): Promise<void>;
}

export interface PostgresFixturesOptions {
  /** The empty database itself. */
  readonly url: string;
  /** The same as the stores are told it, where a pooler stands between. */
  readonly through?: string;
  readonly backupFile: () => string;
}

/**
 * Rows that the tables are made with stay beside them, in a schema of their own. The function
 * deletes all others and lets the numbers begin at 1 again.
 */
const EMPTIED = `
  CREATE SCHEMA made;
  DO $$ DECLARE its text; BEGIN
    FOR its IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
      EXECUTE format('CREATE TABLE made.%I AS TABLE public.%I', its, its);
    END LOOP;
  END $$;
  CREATE FUNCTION made.again() RETURNS void LANGUAGE plpgsql AS $$ DECLARE its record; BEGIN
    FOR its IN SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' LOOP
      EXECUTE format('DELETE FROM public.%I', its.name);
      EXECUTE format('INSERT INTO public.%I SELECT * FROM made.%I', its.name, its.name);
    END LOOP;
    FOR its IN SELECT sequencename AS name FROM pg_sequences WHERE schemaname = 'public' LOOP
      PERFORM setval(format('public.%I', its.name), 1, false);
    END LOOP;
  END $$`;

/**
 * A database of its own for each test would take a core a quarter of a second, with the processes
 * of its connections.
 */
export async function postgresFixtures(options: PostgresFixturesOptions): Promise<PostgresFixtures> {
  const { url, through = url, backupFile } = options;
  const connect = async () => withClock(await openPostgresDatabase(through, { connections: 5 }));
  const database = await connect();
  const own = new pg.Client({ connectionString: url });
  // A suite may stop its database once the contract is through.
  own.on('error', () => undefined);
  await own.connect();
  await own.query(EMPTIED);
  const others: ClockedDatabase[] = [];
  // Who closes a store of a test keeps its connections for the next.
  const storeOn = (one: ClockedDatabase) => createStore({ ...one, close: async () => undefined });
  return {
    async open() {
      await own.query('SELECT made.again()');
      let lent = 0;
      return {
        database,
        store: storeOn(database),
        another: async () => {
          const other = others[lent] ?? (await connect());
          others[lent++] = other;
          return storeOn(other);
        },
        openBackup: openSqliteStore,
        backupFile: backupFile(),
        dispose: async () => undefined,
      };
    },
    async close() {
      await own.end();
      await Promise.allSettled([database, ...others].map((one) => one.close()));
    },
  };
}
