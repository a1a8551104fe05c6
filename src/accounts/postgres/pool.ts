/**
 * Connections to PostgreSQL, straight to it or through a pooler. A pooler in transaction mode
 * (PgBouncer) gives every transaction another connection of the database: nothing of ours may
 * outlast a transaction there, neither settings nor prepared statements.
 */
import pg from 'pg';
import type { Query } from '../database.js';
import type { PostgresAddress } from './url.js';

/** A server that froze in the middle of a transaction keeps others from its keys for no longer. */
const IDLE_IN_TRANSACTION_MS = 10_000;

/**
 * Whatever the database's own default: each statement sees what was committed before it, and waits
 * for locked rows.
 */
export const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';
/**
 * For a query that may take as long as it takes; the driver reads the option here too, which its
 * types do not say.
 */
export const NO_TIME_LIMIT = { query_timeout: 86_400_000 } as object;

/** Balances and sums stay below 2^53 by the tables' own constraints. */
const NUMERIC = [pg.types.builtins.INT8, pg.types.builtins.NUMERIC];
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    NUMERIC.includes(oid) && format !== 'binary'
      ? Number
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};

/** Connections that end at a pooler, each with the settings that its transactions begin with. */
const pooled = new WeakMap<pg.ClientBase, string>();

const settings = (set: string, patienceMs: number): string =>
  `${set} statement_timeout = ${patienceMs}; ${set} idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`;

/**
 * A pooler has no process in the database, and says a number of its own where the database says
 * that of its process.
 */
async function prepare(client: pg.ClientBase, patienceMs: number): Promise<void> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  if (rows[0]!.pid === (client as pg.ClientBase & { processID: number }).processID) {
    // Single statements are transactions without a BEGIN.
    await client.query(`${settings('SET', patienceMs)}; SET default_transaction_isolation = 'read committed'`);
  } else {
    pooled.set(client, settings('SET LOCAL', patienceMs));
  }
}

export const isPooled = (client: pg.ClientBase): boolean => pooled.has(client);

/** What a transaction begins with on this connection: one message, whatever is set. */
export function beginOn(client: pg.ClientBase, begin: string): string {
  const limits = pooled.get(client);
  return limits === undefined ? begin : `${begin}; ${limits}`;
}

/**
 * A statement with `?` as PostgreSQL wants it: `$1`, and under a name by which the database keeps
 * its plan, where it may.
 */
export function createTranslator() {
  const known = new Map<string, { name: string; text: string }>();
  return (client: pg.ClientBase, { sql, values }: Query) => {
    let found = known.get(sql);
    if (found === undefined) {
      let n = 0;
      found = { name: `tts${known.size}`, text: sql.replaceAll('?', () => `$${++n}`) };
      known.set(sql, found);
    }
    const { name, text } = found;
    return { text, values: values as unknown[], ...(!pooled.has(client) && { name }) };
  };
}

export function createPool(address: PostgresAddress, connections: number, patienceMs: number): pg.Pool {
  const { place: _place, ...where } = address;
  const pool = new pg.Pool({
    ...where,
    types,
    max: connections,
    application_name: 'tts',
    keepAlive: true,
    pipeline: true,
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
    idleTimeoutMillis: 60_000,
    // Waited for before the connection is handed out.
    onConnect: (client) => prepare(client, patienceMs) as unknown as undefined,
  });
  // A connection that breaks while nobody uses it is simply gone; one in use fails its statement,
  // and the event means nothing more.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
