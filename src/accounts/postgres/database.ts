/** Accounts in PostgreSQL: a few connections, and transactions that give up rather than hang. */
import type pg from 'pg';
import type { AccountsDatabase, Change, Filling, Read, Value, WriteOptions } from '../database.js';
import { Lanes } from '../lanes.js';
import { migrate } from './migrate.js';
import { BEGIN, createPool, NO_TIME_LIMIT } from './pool.js';
import { connected, Statements, transaction, withRetries } from './transactions.js';
import { parsePostgresUrl } from './url.js';

export interface PostgresOptions {
  /** Most connections of this process. */
  readonly connections?: number;
  /**
   * How long a statement may take, or a connection to come about, before the database counts as
   * away.
   */
  readonly patienceMs?: number;
}

const CONNECTIONS = 10;
const PATIENCE_MS = 5_000;
/** Ending connections waits for the database's answer, which may not come. */
const CLOSE_MS = 1_000;
/** Copies of whole tables take as long as they take. */
const WITHOUT_TIME_LIMIT = ['SET LOCAL statement_timeout = 0', 'SET LOCAL idle_in_transaction_session_timeout = 0'];
const LOCK_ALL =
  'LOCK TABLE keys, free_limits, secrets, reservations, free_requests, grants, ledger, request_log IN EXCLUSIVE MODE';

/** Rows as JSON: one statement however many columns there are. */
async function insertRows(client: pg.PoolClient, table: string, rows: readonly Record<string, Value>[]): Promise<void> {
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
}

class PostgresDatabase implements AccountsDatabase {
  readonly dialect = {
    forUpdate: ' FOR UPDATE',
    nowMs: 'tts_now_ms()',
    dayOf: (ms: string) => `tts_day(${ms})`,
    functions: true,
  };
  readonly shared = true;
  readonly #place: string;
  readonly #patienceMs: number;
  readonly #pool: pg.Pool;
  /**
   * A connection of its own for the lease, which work that waits for rows or connections must not
   * hold up.
   */
  readonly #leasePool: pg.Pool;
  readonly #lanes: Lanes;
  readonly #statements = new Statements();
  #ending: Promise<unknown> | undefined;

  constructor(url: string, { connections = CONNECTIONS, patienceMs = PATIENCE_MS }: PostgresOptions) {
    const address = parsePostgresUrl(url);
    this.#place = address.place;
    this.#patienceMs = patienceMs;
    this.#pool = createPool(address, connections, patienceMs);
    this.#leasePool = createPool(address, 1, patienceMs);
    this.#lanes = new Lanes(patienceMs, address.place);
  }

  async open(): Promise<void> {
    try {
      await this.#retried(() => connected(this.#pool, (client) => migrate(client, this.#place)));
    } catch (error) {
      await Promise.all([this.#pool.end(), this.#leasePool.end()]);
      throw error;
    }
  }

  read<Row>(sql: string, ...values: Value[]): Promise<Row[]> {
    const query = { sql, values };
    return this.#retried(() => connected(this.#pool, (client) => this.#statements.read(client, query))) as Promise<
      Row[]
    >;
  }

  write<T>(options: WriteOptions, change: () => Change<T>): Promise<T> {
    return this.#written(options, (pool) =>
      transaction(pool, BEGIN, (client, sent) => this.#statements.run(client, sent, change())),
    );
  }

  writeOne<Row>(options: WriteOptions, sql: string, ...values: Value[]): Promise<Row[]> {
    return this.#written(options, (pool) => this.#statements.single(pool, { sql, values })) as Promise<Row[]>;
  }

  async damage(): Promise<string[]> {
    return [];
  }

  snapshot<T>(use: (read: Read) => Promise<T>): Promise<T> {
    return this.#alone('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', (_client, read) => use(read));
  }

  fill<T>(use: (filling: Filling) => Promise<T>): Promise<T> {
    return this.#alone(BEGIN, async (client, read) => {
      await client.query(LOCK_ALL);
      return use({ read, insert: (table, rows) => insertRows(client, table, rows) });
    });
  }

  async backup(file: string): Promise<void> {
    const [{ copyAccounts }, { openSqliteDatabase }] = await Promise.all([
      import('../copy.js'),
      import('../sqlite/database.js'),
    ]);
    const target = await openSqliteDatabase(file);
    try {
      await copyAccounts(this, target);
    } finally {
      await target.close();
    }
  }

  async close(): Promise<void> {
    let giveUp: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      giveUp = setTimeout(resolve, CLOSE_MS);
    });
    this.#ending ??= Promise.all([this.#pool.end(), this.#leasePool.end()]);
    await Promise.race([this.#ending, late]);
    clearTimeout(giveUp);
  }

  #retried<T>(work: () => Promise<T>): Promise<T> {
    return withRetries(this.#place, this.#patienceMs, work);
  }

  /**
   * Always to the disk: a server outlives its database, and would go on with reservations that are
   * no more.
   */
  #written<T>({ keyId, lease = false }: WriteOptions, work: (pool: pg.Pool) => Promise<T>): Promise<T> {
    const written = () => this.#retried(() => work(lease ? this.#leasePool : this.#pool));
    return keyId === undefined ? written() : this.#lanes.run(keyId, written);
  }

  /** A transaction on whole tables. */
  #alone<T>(begin: string, use: (client: pg.PoolClient, read: Read) => Promise<T>): Promise<T> {
    return this.#retried(() =>
      transaction(this.#pool, begin, async (client) => {
        for (const setting of WITHOUT_TIME_LIMIT) await client.query(setting);
        const read = <Row>(sql: string, ...values: Value[]) =>
          this.#statements.read(client, { sql, values }, NO_TIME_LIMIT) as Promise<Row[]>;
        return use(client, read);
      }),
    );
  }
}

/** Connects, and where needed makes the tables or brings them up to date. */
export async function openPostgresDatabase(url: string, options: PostgresOptions = {}): Promise<AccountsDatabase> {
  const database = new PostgresDatabase(url, options);
  await database.open();
  return database;
}
