/** Accounts in PostgreSQL: a few connections, migrations under a lock, and transactions that give up rather than hang. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { TtsError } from '../../protocol/errors.js';
import { type AccountsDatabase, type Change, CommitUnknown, type Filling, type Read, type Value } from '../database.js';
import { createLanes } from '../lanes.js';
import { POSTGRES_MIGRATIONS as MIGRATIONS } from '../migrations/index.js';
import { isCollision, isStatementFailure, postgresError } from './failure.js';
import { beginOn, createPool, createTranslator } from './pool.js';
import { parsePostgresUrl } from './url.js';

export interface PostgresOptions {
  /** Most connections of this process. */
  readonly connections?: number;
  /** How long a statement may take, or a connection to come about, before the database counts as away. */
  readonly patienceMs?: number;
}

const CONNECTIONS = 10;
const PATIENCE_MS = 5_000;
/** Whatever the database's own default: each statement sees what was committed before it, and waits for locked rows. */
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';
/** Tries of a transaction that failed by a collision (40001, 40P01), all of them within the database's patience. */
const COLLISION_TRIES = 12;
/** Longest pause before the second try; it doubles with each further one, up to the maximum. */
const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 500;
/** Taken while the tables are made or changed; any number that nothing else in the database takes. */
const MIGRATION_LOCK = 7_787_001;
/** Of a query that may take as long as it takes; the driver reads it here as well, which its types do not say. */
const NO_TIME_LIMIT = { query_timeout: 86_400_000 } as object;
/** Ending connections asks for the server's answer, which may not come. */
const CLOSE_MS = 1_000;

/** Statements whose answers are waited for together. */
interface Sent {
  add(answer: Promise<unknown>): void;
  /** Rejects with the first failure. */
  answered(): Promise<void>;
}

function createSent(): Sent {
  const answers: Promise<unknown>[] = [];
  return {
    add(answer) {
      // It is told at the end, or never where something else failed first.
      answer.catch(() => undefined);
      answers.push(answer);
    },
    async answered() {
      // All of them, so that the connection is handed on with nothing under way.
      const failure = (await Promise.allSettled(answers)).find(({ status }) => status === 'rejected');
      if (failure) throw (failure as PromiseRejectedResult).reason;
    },
  };
}

/** Forward only. Two servers that start at once take turns, and the second finds the work done. */
async function migrate(client: pg.PoolClient, place: string): Promise<void> {
  const version = async () => {
    const { rows } = await client.query<{ there: boolean }>("SELECT to_regclass('tts_schema') IS NOT NULL AS there");
    if (!rows[0]!.there) return 0;
    return (await client.query<{ version: number }>('SELECT version FROM tts_schema')).rows[0]?.version ?? 0;
  };
  if ((await version()) < MIGRATIONS.length) {
    await client.query(BEGIN);
    try {
      await client.query('SET LOCAL statement_timeout = 0');
      await client.query({ text: `SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`, ...NO_TIME_LIMIT });
      await client.query('CREATE TABLE IF NOT EXISTS tts_schema (version INTEGER NOT NULL)');
      const from = await version();
      for (let next = from; next < MIGRATIONS.length; next++) {
        await client.query({ text: MIGRATIONS[next]!, ...NO_TIME_LIMIT });
      }
      await client.query('DELETE FROM tts_schema');
      await client.query('INSERT INTO tts_schema (version) VALUES ($1)', [Math.max(from, MIGRATIONS.length)]);
      await client.query('COMMIT');
    } catch (error) {
      if (isStatementFailure(error)) await client.query('ROLLBACK');
      throw error;
    }
  }
  if ((await version()) > MIGRATIONS.length) {
    throw new TtsError(
      'internal_error',
      `The accounts database ${place} was written by a newer version of tts. Update tts.`,
    );
  }
}

export async function openPostgresDatabase(
  url: string,
  { connections = CONNECTIONS, patienceMs = PATIENCE_MS }: PostgresOptions = {},
): Promise<AccountsDatabase> {
  const address = parsePostgresUrl(url);
  const { place } = address;
  const pool = createPool(address, connections, patienceMs);
  /** A connection of its own for the lease, which work that waits for rows or connections must not hold up. */
  const leasePool = createPool(address, 1, patienceMs);
  const lanes = createLanes(patienceMs, place);
  const translated = createTranslator();
  let ending: Promise<void> | undefined;

  /** One connection for a while. One that failed in any way but by a statement is not used again. */
  const connected = async <T>(use: (client: pg.PoolClient) => Promise<T>, from = pool): Promise<T> => {
    const client = await from.connect();
    try {
      const result = await use(client);
      client.release();
      return result;
    } catch (error) {
      client.release(!(error instanceof TtsError) && !isStatementFailure(error));
      throw error;
    }
  };

  /** What needs no answer travels with what does: a reservation takes three round trips, an end two. */
  const transaction = <T>(
    begin: string,
    use: (client: pg.PoolClient, sent: Sent) => Promise<T>,
    from = pool,
  ): Promise<T> =>
    connected(async (client) => {
      const sent = createSent();
      const begun = client.query(beginOn(client, begin));
      sent.add(begun);
      let result: T;
      try {
        result = await use(client, sent);
      } catch (error) {
        // Where even that fails the connection ends, and the transaction with it.
        if (error instanceof TtsError || isStatementFailure(error)) await client.query('ROLLBACK');
        // A pooler that allows no transaction says so to the first statement, and hangs up.
        else await begun;
        throw error;
      }
      // After a statement that failed this is a rollback, which the server does not call a failure: the statement does.
      sent.add(client.query('COMMIT'));
      try {
        await sent.answered();
        return result;
      } catch (cause) {
        throw isStatementFailure(cause) ? cause : new CommitUnknown('it broke off at a commit', { cause });
      }
    }, from);

  /** Tries collisions again after a random pause: transactions that met once would meet again in step. */
  const told = async <T>(work: () => Promise<T>): Promise<T> => {
    const lastTryMs = performance.now() + patienceMs;
    for (let tries = 1; ; tries++) {
      try {
        return await work();
      } catch (error) {
        const pauseMs = Math.random() * Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1));
        const isLast = tries === COLLISION_TRIES || performance.now() + pauseMs > lastTryMs;
        if (!isCollision(error) || isLast) throw postgresError(error, place);
        await sleep(pauseMs);
      }
    }
  };

  const run = async <T>(client: pg.PoolClient, sent: Sent, course: Change<T>): Promise<T> => {
    let step = course.next();
    while (!step.done) {
      const answer = client.query(translated(client, step.value));
      if (step.value.told) sent.add(answer);
      step = course.next(step.value.told ? [] : (await answer).rows);
    }
    return step.value;
  };
  const reader =
    (client: pg.PoolClient, more: object = {}): Read =>
    async <Row>(sql: string, ...values: Value[]) =>
      (await client.query({ ...translated(client, { sql, values }), ...more })).rows as Row[];

  /** Rows as JSON: one statement however many columns there are. */
  const insertInto =
    (client: pg.PoolClient): Filling['insert'] =>
    async (table, rows) => {
      const [first] = rows;
      if (first === undefined) return;
      const columns = Object.keys(first).join(', ');
      const json = JSON.stringify(rows, (_key, value) =>
        value?.type === 'Buffer' ? `\\x${Buffer.from(value.data).toString('hex')}` : value,
      );
      const sql = `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1)`;
      await client.query({ text: sql, values: [json], ...NO_TIME_LIMIT });
      if ('seq' in first) {
        await client.query(`SELECT setval(pg_get_serial_sequence('${table}', 'seq'), (SELECT max(seq) FROM ${table}))`);
      }
    };

  const snapshot = <T>(use: (read: Read) => Promise<T>): Promise<T> =>
    told(() =>
      transaction('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', async (client) => {
        await client.query('SET LOCAL statement_timeout = 0');
        await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
        return use(reader(client, NO_TIME_LIMIT));
      }),
    );

  const database: AccountsDatabase = {
    dialect: {
      forUpdate: ' FOR UPDATE',
      nowMs: 'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)',
      dayOf: (ms) => `to_char(to_timestamp(${ms} / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD')`,
    },
    shared: true,
    read: (sql, ...values) => told(() => connected((client) => reader(client)(sql, ...values))),
    // Always to the disk: a server outlives its database, and would go on with reservations that are no more.
    write({ keyId, lease = false }, change) {
      const changed = () =>
        told(() => transaction(BEGIN, (client, sent) => run(client, sent, change()), lease ? leasePool : pool));
      return keyId === undefined ? changed() : lanes.run(keyId, changed);
    },
    damage: async () => [],
    snapshot,
    fill: (use) =>
      told(() =>
        transaction(BEGIN, async (client) => {
          await client.query('SET LOCAL statement_timeout = 0');
          await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
          await client.query(
            'LOCK TABLE keys, free_limits, secrets, reservations, free_requests, grants, ledger, request_log IN EXCLUSIVE MODE',
          );
          return use({ read: reader(client, NO_TIME_LIMIT), insert: insertInto(client) });
        }),
      ),
    async backup(file) {
      const [{ copyAccounts }, { openSqliteDatabase }] = await Promise.all([
        import('../copy.js'),
        import('../sqlite/database.js'),
      ]);
      const target = await openSqliteDatabase(file);
      try {
        await copyAccounts(database, target);
      } finally {
        await target.close();
      }
    },
    async close() {
      let giveUp: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        giveUp = setTimeout(resolve, CLOSE_MS);
      });
      ending ??= Promise.all([pool.end(), leasePool.end()]).then(() => undefined);
      await Promise.race([ending, late]);
      clearTimeout(giveUp);
    },
  };
  try {
    await told(() => connected((client) => migrate(client, place)));
    return database;
  } catch (error) {
    await Promise.all([pool.end(), leasePool.end()]);
    throw error;
  }
}
