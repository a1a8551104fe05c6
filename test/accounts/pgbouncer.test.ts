/**
 * Accounts behind PgBouncer in transaction mode: the contract of all stores, two servers, and what
 * it says where it is set up wrong.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createKeyring } from '../../src/accounts/keyring.js';
import { openPostgresStore } from '../../src/accounts/postgres/store.js';
import { hasPostgres, type Postgres, startPostgres } from '../../testkit/postgres.js';
import { until } from '../../testkit/server.js';
import { accountStoreContract } from '../contract/account-store.js';
import { VOICE } from '../stream-input/client.js';
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../support/processes/pgbouncer.js';
import { type PostgresFixtures, postgresFixtures } from '../support/processes/postgres-fixtures.js';
import { makeHome, startServe } from '../support/processes/serve-process.js';

/** Fewer than a gateway alone opens: transactions of all of them take turns on these. */
const POOL_SIZE = 4;

if (!hasPostgres() || !hasPgBouncer()) {
  it('leaves PgBouncer out: postgresql or pgbouncer is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  let postgres: Postgres;
  let pooler: PgBouncer;
  let fixtures: PostgresFixtures;
  let folder: string;
  let files = 0;
  beforeAll(async () => {
    postgres = await startPostgres();
    const settings = { pool_mode: 'transaction', default_pool_size: POOL_SIZE, max_client_conn: 500 };
    const url = await postgres.create();
    pooler = await startPgBouncer(url, settings);
    folder = await mkdtemp(path.join(tmpdir(), 'tts-pgbouncer-store-'));
    const backupFile = () => path.join(folder, `file-${++files}.db`);
    fixtures = await postgresFixtures({ url, through: pooler.through(url), backupFile });
  });
  afterAll(async () => {
    await fixtures.close();
    await pooler.close();
    await postgres.close();
    await rm(folder, { recursive: true });
  });
  const query = async <Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  };

  accountStoreContract('PostgreSQL behind PgBouncer', () => fixtures.open());

  describe('behind PgBouncer', () => {
    it('stores leave nothing in the connections that others are given', async () => {
      const url = pooler.through(await postgres.create());
      const stores = await Promise.all([openPostgresStore(url), openPostgresStore(url)]);
      const { id } = await createKeyring(stores[0]!).create({ tier: 'partner', credits: 1_000 });
      await Promise.all(
        Array.from({ length: 20 }, (_, n) => stores[n % 2]!.grantCredits(id, 1, new Date().toISOString())),
      );
      // As many at once as there are connections, so that each of those is looked at.
      const look =
        "SELECT current_setting('statement_timeout') AS timeout, pid, count(name) AS statements, pg_sleep(0.2)";
      const looked = await Promise.all(
        Array.from({ length: POOL_SIZE }, () =>
          query(url, `${look} FROM pg_backend_pid() AS pid LEFT JOIN pg_prepared_statements ON true GROUP BY pid`),
        ),
      );
      for (const [row] of looked) expect(row).toMatchObject({ timeout: '0', statements: '0' });
      await Promise.all(stores.map((store) => store.close()));
    });

    it('a transaction has a time limit, and one that waits for a row gives up', async () => {
      const url = await postgres.create();
      const store = await openPostgresStore(pooler.through(url), { patienceMs: 1_000 });
      const { id } = await createKeyring(store).create({ tier: 'partner', credits: 10 });
      const holder = new pg.Client({ connectionString: url });
      await holder.connect();
      await holder.query('BEGIN');
      await holder.query('UPDATE keys SET credits = credits');
      await expect(store.grantCredits(id, 1, new Date().toISOString())).rejects.toMatchObject({
        code: 'store_unavailable',
      });
      const waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
      await until(async () => (await query(url, waiting)).length === 0, 'the end of what waited');
      await holder.query('ROLLBACK');
      await holder.end();
      expect(await store.grantCredits(id, 1, new Date().toISOString())).toBe(true);
      expect((await store.findKey(id))!.credits).toBe(11);
      await store.close();
    });

    it('two servers make the tables, keep limits together, and let a ticket be used once', async () => {
      const url = pooler.through(await postgres.create());
      const home = makeHome({ TTS_DATABASE: url, TTS_SINE_OPTIONS: JSON.stringify({ pace: 10, msPerChar: 200 }) });
      const servers = await Promise.all([startServe(home), startServe(home)]);
      const store = await openPostgresStore(url);
      const sockets: WebSocket[] = [];
      try {
        const keyring = createKeyring(store);
        const { key, id } = await keyring.create({ tier: 'partner', credits: 10_000, limits: { concurrency: 3 } });
        const post = (n: number, where: string, body: object) =>
          fetch(`${servers[n % 2]!.baseUrl}${where}`, {
            method: 'POST',
            headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
            body: JSON.stringify(body),
          });
        const input = 'A sentence that takes its time. And another one after it, just as slow.';
        const speech = { model: 'base-tts', input, stream: true };
        const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => post(n, '/v1/audio/speech', speech)));
        const spoken = answers.filter(({ status }) => status === 200);
        expect(spoken).toHaveLength(3);
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
        for (const answer of spoken) expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(10_000);
        await until(async () => (await store.findKey(id))!.reserved === 0);
        expect((await store.findKey(id))!.credits).toBe(10_000 - 3 * input.length);

        const { ticket } = (await (await post(0, '/v1/stream-tickets', { voice: VOICE })).json()) as { ticket: string };
        const use = (n: number) =>
          new Promise<number>((resolve) => {
            const address = `${servers[n % 2]!.baseUrl.replace('http', 'ws')}/v1/text-to-speech/${VOICE}/stream-input`;
            const socket = new WebSocket(address, ['tts.v1', `tts.ticket.${ticket}`]);
            sockets.push(socket);
            socket.once('open', () => resolve(101));
            socket.once('unexpected-response', (_request, response) => resolve(response.statusCode!));
            socket.on('error', () => undefined);
          });
        const statuses = await Promise.all(Array.from({ length: 20 }, (_, n) => use(n)));
        expect(statuses.filter((status) => status === 101)).toHaveLength(1);
        for (const socket of sockets) socket.terminate();
        await until(async () => (await store.findKey(id))!.reserved === 0);
        expect(await store.check()).toEqual([]);
        for (const server of servers) {
          expect(await server.kill('SIGTERM')).toBe(0);
          expect(server.output.stderr).not.toMatch(/"level":50/);
        }
      } finally {
        for (const socket of sockets) socket.terminate();
        await store.close();
        await Promise.all(servers.map((server) => server.kill('SIGKILL')));
        home.remove();
      }
    });

    it.each([
      ['pool_mode', { pool_mode: 'statement' }],
      ['max_client_conn', { pool_mode: 'transaction', max_client_conn: 1 }],
      ['default_pool_size', { pool_mode: 'transaction', default_pool_size: 1, query_wait_timeout: 1 }],
    ] as const)('one that is set up wrong is told the setting that mends it: %s', async (name, settings) => {
      const url = await postgres.create();
      const wrong = await startPgBouncer(url, settings);
      const holder = new pg.Client({ connectionString: wrong.through(url) });
      holder.on('error', () => undefined);
      await holder.connect();
      if (name === 'default_pool_size') await holder.query('BEGIN');
      const error = await openPostgresStore(wrong.through(url)).catch((e) => e);
      expect(error).toMatchObject({ code: 'store_unavailable', message: expect.stringContaining(name) });
      expect(error.message).toContain('pgbouncer.ini');
      await holder.end().catch(() => undefined);
      await wrong.close();
    });
  });
}
