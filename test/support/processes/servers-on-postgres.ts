/** Several `tts serve` on one PostgreSQL, for suites about what they share. */
import pg from 'pg';
import { createKeyring, type Keyring } from '../../../src/accounts/keyring.js';
import { openPostgresStore } from '../../../src/accounts/postgres/store.js';
import type { AccountStore } from '../../../src/accounts/store.js';
import { type Postgres, startPostgres } from '../../../testkit/postgres.js';
import { type Home, makeHome, type ServeProcess, startServe } from './serve-process.js';

export interface ServersOptions {
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** The address as the servers are told it. */
  readonly address?: (url: string) => string;
  /** Node's arguments of each server; they find an empty database together. */
  readonly nodeArgs?: readonly (readonly string[])[];
  readonly patienceMs?: number;
}

export interface ServersOnPostgres {
  readonly postgres: Postgres;
  readonly url: string;
  readonly home: Home;
  readonly servers: ServeProcess[];
  readonly store: AccountStore;
  readonly keyring: Keyring;
  /** All that were started, also those that ended. */
  readonly started: readonly ServeProcess[];
  /** One more server on the same database. */
  start(nodeArgs?: readonly string[]): Promise<ServeProcess>;
  query<Row extends pg.QueryResultRow>(sql: string, ...values: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export async function serversOnPostgres(options: ServersOptions): Promise<ServersOnPostgres> {
  const { args, env = {}, address = (url) => url, nodeArgs = [[], []], patienceMs } = options;
  const postgres = await startPostgres();
  const url = await postgres.create();
  const home = makeHome({ ...env, TTS_DATABASE: address(url) });
  const started: ServeProcess[] = [];
  const start = async (more: readonly string[] = []) => {
    const server = await startServe(home, args, more);
    started.push(server);
    return server;
  };
  const servers = await Promise.all(nodeArgs.map(start));
  const store = await openPostgresStore(url, patienceMs === undefined ? {} : { patienceMs });
  return {
    postgres,
    url,
    home,
    servers,
    started,
    store,
    keyring: createKeyring(store),
    start,
    async query<Row extends pg.QueryResultRow>(sql: string, ...values: unknown[]) {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        return (await client.query<Row>(sql, values)).rows;
      } finally {
        await client.end();
      }
    },
    async close() {
      await store.close();
      await Promise.all(started.map((server) => server.kill('SIGKILL')));
      await postgres.close();
      home.remove();
    },
  };
}
