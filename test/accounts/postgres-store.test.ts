/** The PostgreSQL store under the contract of all stores, and what is PostgreSQL's own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyAccounts } from '../../src/accounts/copy.js';
import { createKeyring } from '../../src/accounts/keyring.js';
import { POSTGRES_MIGRATIONS } from '../../src/accounts/migrations/index.js';
import { openPostgresDatabase } from '../../src/accounts/postgres/database.js';
import { openPostgresStore } from '../../src/accounts/postgres/store.js';
import { parsePostgresUrl } from '../../src/accounts/postgres/url.js';
import { openSqliteDatabase } from '../../src/accounts/sqlite/database.js';
import { openSqliteStore } from '../../src/accounts/sqlite/store.js';
import { hasPostgres, type Postgres, startPostgres } from '../../testkit/postgres.js';
import { accountStoreContract } from '../contract/account-store.js';
import { requestRow } from '../contract/request-log.js';
import { type PostgresFixtures, postgresFixtures } from '../support/processes/postgres-fixtures.js';

const TIME = '2026-03-01T10:00:00.000Z';

if (!hasPostgres()) {
  it('leaves PostgreSQL out: postgresql is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  let postgres: Postgres;
  let fixtures: PostgresFixtures;
  let folder: string;
  beforeAll(async () => {
    postgres = await startPostgres();
    fixtures = await postgresFixtures({ url: await postgres.create(), backupFile: file });
    folder = await mkdtemp(path.join(tmpdir(), 'tts-postgres-store-'));
  });
  afterAll(async () => {
    await fixtures.close();
    await postgres.close();
    await rm(folder, { recursive: true });
  });
  let files = 0;
  const file = () => path.join(folder, `file-${++files}.db`);

  accountStoreContract('PostgreSQL', () => fixtures.open());

  describe('the PostgreSQL database', () => {
    const query = async (url: string, sql: string) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        return (await client.query(sql)).rows;
      } finally {
        await client.end();
      }
    };
    const key = (n: number, credits = 5) =>
      ({
        id: `key${n}`,
        hash: Buffer.alloc(32, n),
        tier: 'partner',
        name: null,
        credits,
        createdAt: TIME,
        expiresAt: null,
      }) as const;

    const held = (id: string, keyId: string, credits: number) =>
      ({
        id,
        keyId,
        requestId: id,
        model: 'm',
        voice: 'v',
        characters: credits,
        credits,
        charged: true,
        holder: 'h',
      }) as const;
    const ENDED = { outcome: 'completed', time: TIME, audioMs: 1, characters: 7, deliveredCharacters: 4 } as const;

    it('is made by many that start at the same moment, once', async () => {
      const url = await postgres.create();
      const stores = await Promise.all(Array.from({ length: 8 }, () => openPostgresStore(url, { connections: 1 })));
      expect(await query(url, 'SELECT version FROM tts_schema')).toEqual([{ version: POSTGRES_MIGRATIONS.length }]);
      await stores[0]!.createKey(key(1));
      expect((await stores[7]!.findKey('key1'))?.credits).toBe(5);
      await Promise.all(stores.map((store) => store.close()));
      const again = await openPostgresStore(url);
      expect(await again.listKeys()).toHaveLength(1);
      await again.close();
    });

    it('of the version before Free limits by model keeps its keys, counts, reservations and ledger', async () => {
      const url = await postgres.create();
      const today = new Date().toISOString().slice(0, 10);
      await query(url, POSTGRES_MIGRATIONS[0]!);
      await query(
        url,
        `CREATE TABLE tts_schema (version INTEGER NOT NULL);
         INSERT INTO tts_schema VALUES (1);
         INSERT INTO keys (id, hash, tier, credits, reserved, created_at, concurrency, free_daily)
         VALUES ('k', '\\x01', 'partner', 9, 4, 't', 3, 5), ('other', '\\x02', 'free', 0, 0, 't', NULL, NULL);
         INSERT INTO grants (time, key_id, credits) VALUES ('t', 'k', 9);
         INSERT INTO free_requests VALUES ('k', '${today}', 4), ('k', '2020-01-01', 7), ('other', '${today}', 1);
         INSERT INTO reservations (id, key_id, request_id, model, voice, characters, credits, free_day)
         VALUES ('a', 'k', 'r', 'base-tts', 'v', 4, 4, NULL), ('b', 'k', 'r', 'base-tts:free', 'v', 4, 0, '${today}');`,
      );
      const store = await openPostgresStore(url);
      expect(await query(url, 'SELECT * FROM free_requests ORDER BY key_id, day')).toMatchObject([
        { key_id: 'k', day: '2020-01-01', model: '', requests: '7' },
        { key_id: 'k', day: today, model: '', requests: '4' },
        { key_id: 'other', day: today, model: '', requests: '1' },
      ]);
      const [k, other] = await store.listKeys();
      expect(k).toMatchObject({ credits: 9, reserved: 4, limits: { concurrency: 3, freeDaily: 5 } });
      expect(k!.today.freeRequests).toBe(4);
      expect(other).toMatchObject({ limits: { concurrency: null, freeDaily: null }, today: { freeRequests: 1 } });
      const ask = (id: string, model: string) =>
        store.reserve({ ...held(id, 'k', 1), model, charged: false, free: { limit: 5 }, sessions: 2 });
      expect(await ask('c', 'base-tts:free')).toMatchObject({ ok: true, freeRequests: 5 });
      expect(await ask('d', 'base-tts:free')).toMatchObject({ reason: 'daily_limit' });
      expect(await ask('e', 'base-tts-fast:free')).toMatchObject({ ok: true, freeRequests: 5 });
      expect(await ask('f', 'base-tts-fast:free')).toMatchObject({ reason: 'daily_limit' });
      expect(await store.check()).toEqual([]);
      await store.close();
    });

    it('is asked one statement to admit a request, to extend it and to settle it', async () => {
      const url = await postgres.create();
      const store = await openPostgresStore(url, { connections: 1 });
      await store.createKey(key(1, 100));
      const lastQuery = async () => {
        const [row] = await query(
          url,
          "SELECT query FROM pg_stat_activity WHERE application_name = 'tts' AND datname = current_database()",
        );
        return row.query;
      };
      // After a transaction of several statements it would be COMMIT.
      await store.reserve(held('a', 'key1', 7));
      expect(await lastQuery()).toMatch(/^SELECT \* FROM tts_reserve\(/);
      await store.extend(held('a', 'key1', 7), 2, 2);
      expect(await lastQuery()).toMatch(/^SELECT \* FROM tts_extend\(/);
      await store.end(held('a', 'key1', 7), { ...ENDED, credits: 7 });
      expect(await lastQuery()).toMatch(/^SELECT tts_end\(/);
      await store.drop(held('a', 'key1', 7));
      expect(await lastQuery()).toMatch(/^SELECT tts_drop\(/);
      await store.close();
    });

    it('of a newer version is refused', async () => {
      const url = await postgres.create();
      await (await openPostgresStore(url)).close();
      await query(url, 'UPDATE tts_schema SET version = 999');
      await expect(openPostgresStore(url)).rejects.toMatchObject({ message: expect.stringContaining('newer version') });
    });

    /** A database whose transactions are serialisable unless they say otherwise. */
    const createSerialisable = async () => {
      const url = await postgres.create();
      const name = new URL(url).pathname.slice(1);
      await query(url, `ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
      expect(await query(url, 'SHOW default_transaction_isolation')).toEqual([
        { default_transaction_isolation: 'serializable' },
      ]);
      return url;
    };

    it('is made and used where its default isolation level is serialisable, a hot key included', async () => {
      const url = await createSerialisable();
      const stores = await Promise.all(Array.from({ length: 4 }, () => openPostgresStore(url, { connections: 5 })));
      await stores[0]!.createKey(key(1, 700));
      const admitted = await Promise.all(
        Array.from({ length: 120 }, async (_, n) => {
          const store = stores[n % stores.length]!;
          const { ok } = await store.reserve(held(`r${n}`, 'key1', 7));
          if (ok) await store.extend(held(`r${n}`, 'key1', 7), 0, 0);
          if (ok) await store.end(held(`r${n}`, 'key1', 7), { ...ENDED, credits: 7 });
          return ok;
        }),
      );
      expect(admitted.filter(Boolean)).toHaveLength(100);
      expect(await stores[1]!.findKey('key1')).toMatchObject({ credits: 0, reserved: 0 });
      expect(await stores[2]!.check()).toEqual([]);
      await Promise.all(stores.map((store) => store.close()));
    });

    it('is asked again after serialisation failures and deadlocks, and not for ever', async () => {
      const url = await postgres.create();
      const store = await openPostgresStore(url);
      await store.createKey(key(1, 100));
      await query(
        url,
        `CREATE SEQUENCE failures;
         CREATE TABLE failing (up_to BIGINT);
         INSERT INTO failing VALUES (8);
         CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
           DECLARE n BIGINT := nextval('failures');
           BEGIN
             IF n <= (SELECT up_to FROM failing) THEN
               RAISE EXCEPTION 'in the way' USING ERRCODE = CASE n % 2 WHEN 0 THEN '40001' ELSE '40P01' END;
             END IF;
             RETURN NEW;
           END $$;
         CREATE TRIGGER fail BEFORE INSERT ON reservations FOR EACH ROW EXECUTE FUNCTION fail();`,
      );
      expect((await store.reserve(held('a', 'key1', 4))).ok).toBe(true);
      expect(await query(url, 'SELECT last_value FROM failures')).toEqual([{ last_value: '9' }]);
      expect(await store.findKey('key1')).toMatchObject({ reserved: 4 });
      await query(url, 'UPDATE failing SET up_to = 1000000');
      await expect(store.reserve(held('b', 'key1', 4))).rejects.toMatchObject({
        code: 'store_unavailable',
        message: expect.stringMatching(/in each other's way/),
      });
      expect(await store.findKey('key1')).toMatchObject({ reserved: 4 });
      await store.close();
    });

    it('refuses by its own constraints what the rules would never ask for, and check finds what follows from nothing', async () => {
      const url = await postgres.create();
      const store = await openPostgresStore(url);
      for (const n of [1, 2, 3]) await store.createKey(key(n));
      await expect(query(url, "UPDATE keys SET credits = -1 WHERE id = 'key1'")).rejects.toThrow(/check/);
      await expect(query(url, "UPDATE keys SET reserved = 6 WHERE id = 'key1'")).rejects.toThrow(/check/);
      expect(await store.check()).toEqual([]);
      await query(url, "UPDATE keys SET credits = 50 WHERE id = 'key1'");
      expect(await store.check()).toEqual([
        expect.stringMatching(/^key key1 has 50 credits and 0 reserved.* 5 and 0$/),
      ]);
      await store.close();
    });

    it('that is not there is told of without its user and password', async () => {
      const wrong = 'postgres://someone:hunter2secret@127.0.0.1:1/tts';
      const refused = await openPostgresStore(wrong).catch((error: Error) => error);
      expect(refused).toMatchObject({ code: 'store_unavailable', message: expect.stringContaining('127.0.0.1:1/tts') });
      const told = JSON.stringify([refused, (refused as Error).cause], Object.getOwnPropertyNames(Error.prototype));
      expect(`${told}${(refused as Error).stack}${(refused as Error).message}`).not.toMatch(/hunter2|someone/);
      const url = (await postgres.create()).replace(/test\d+$/, 'nobody-made-it');
      await expect(openPostgresStore(url)).rejects.toMatchObject({ message: expect.stringContaining('createdb') });
    });

    it('refuses work while it is away and goes on when it is back, without a restart of the server', async () => {
      const url = await postgres.create();
      const store = await openPostgresStore(url, { patienceMs: 1_000 });
      await store.createKey(key(1, 100));
      const reservation = (id: string) =>
        ({
          id,
          keyId: 'key1',
          requestId: id,
          model: 'm',
          voice: 'v',
          characters: 4,
          credits: 4,
          charged: true,
          holder: 'h',
        }) as const;
      const end = {
        outcome: 'completed',
        time: TIME,
        audioMs: 1,
        characters: 4,
        deliveredCharacters: 4,
        credits: 4,
      } as const;
      await store.reserve(reservation('a'));
      await postgres.stop();
      await expect(store.reserve(reservation('b'))).rejects.toMatchObject({ code: 'store_unavailable' });
      await expect(store.end(reservation('a'), end)).rejects.toMatchObject({ code: 'store_unavailable' });
      await postgres.start();
      expect(await store.end(reservation('a'), end)).toBe('ended');
      postgres.freeze();
      await expect(store.findKey('key1')).rejects.toMatchObject({ code: 'store_unavailable' });
      await expect(store.reserve(reservation('c'))).rejects.toMatchObject({
        message: expect.stringMatching(/does not answer/),
      });
      postgres.thaw();
      expect((await store.reserve(reservation('d'))).ok).toBe(true);
      expect(await store.end(reservation('d'), end)).toBe('ended');
      expect(await store.findKey('key1')).toMatchObject({ credits: 92, reserved: 0 });
      expect(await store.check()).toEqual([]);
      await store.close();
    });
  });

  describe('a connection over TLS', () => {
    const TLS = path.resolve(import.meta.dirname, '../support/tls');
    const cert = path.join(TLS, 'test-only-cert.pem');
    let secure: Postgres;
    beforeAll(async () => {
      secure = await startPostgres({ tls: { cert, key: path.join(TLS, 'test-only-key.pem') } });
    });
    afterAll(() => secure.close());

    it('is made as its address says, and to nobody else than the one it names', async () => {
      const url = await secure.create();
      const encrypted = async (query: string) => {
        const store = await openPostgresDatabase(`${url}?${query}`, { connections: 1 });
        const [row] = await store.read<{ ssl: boolean }>('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
        await store.close();
        return row?.ssl;
      };
      expect(await encrypted('sslmode=disable')).toBe(false);
      expect(await encrypted('sslmode=require')).toBe(true);
      expect(await encrypted(`sslmode=verify-full&sslrootcert=${cert}`)).toBe(true);
      await expect(encrypted('sslmode=verify-full')).rejects.toMatchObject({
        message: expect.stringMatching(/sslrootcert/),
      });
      await expect(encrypted('sslmode=sometimes')).rejects.toMatchObject({ code: 'config_invalid' });
      const plain = await postgres.create();
      await expect(openPostgresStore(`${plain}?sslmode=require`)).rejects.toMatchObject({
        message: expect.stringMatching(/offers no TLS/),
      });
    });
  });

  describe('an address', () => {
    it('is encrypted and checked by itself where it leaves the machine', () => {
      expect(parsePostgresUrl('postgres://db.example.org/tts').ssl).toMatchObject({ rejectUnauthorized: true });
      expect(parsePostgresUrl('postgres://localhost/tts').ssl).toBe(false);
      expect(parsePostgresUrl('postgresql:///tts?host=/var/run/postgresql')).toMatchObject({
        host: '/var/run/postgresql',
        ssl: false,
      });
      expect(parsePostgresUrl('postgres://a%40b:p%3Aw@[::1]:6543/tts?sslmode=disable')).toEqual({
        host: '::1',
        port: 6543,
        database: 'tts',
        user: 'a@b',
        password: 'p:w',
        ssl: false,
        place: '[::1]:6543/tts',
      });
    });

    it('that is none is refused without being repeated', () => {
      for (const wrong of [
        'hunter2',
        'mysql://u:hunter2@h/d',
        'postgres://u:hunter2@h',
        'postgres://u:hunter2@h/d?x=1',
        'postgres://u:hunter2%@h/d',
        'postgres://u:hunter2@h/d?sslrootcert=/nowhere&sslmode=require',
      ]) {
        let told: unknown;
        try {
          parsePostgresUrl(wrong);
        } catch (error) {
          told = error;
        }
        expect(told).toMatchObject({ code: 'config_invalid', message: expect.not.stringContaining('hunter2') });
        expect(String((told as Error).cause)).not.toContain('hunter2');
      }
    });
  });

  describe('a copy of the accounts', () => {
    it('comes to the same in PostgreSQL and back, and is refused where there is something already', async () => {
      const source = await openSqliteStore(file());
      await source.close();
      const from = path.join(folder, `file-${files}.db`);
      const sqlite = await openSqliteStore(from);
      const keyring = createKeyring(sqlite);
      const made = await keyring.create({
        tier: 'partner',
        credits: 9_007_199_254_740_991,
        name: 'büro 𝄞',
        limits: { concurrency: 3 },
      });
      const byModel = { freeDaily: { 'base-tts': 4, 'base-tts-fast': 40 }, concurrency: { 'base-tts-fast': 2 } };
      const free = await keyring.create({ tier: 'free', limits: byModel });
      await sqlite.putSecretHash('admin', Buffer.from('secret'));
      await sqlite.logRequests([requestRow(1), requestRow(2, { error: 'overloaded', outcome: 'refused' })]);
      const hold = (id: string, keyId: string) =>
        ({
          id,
          keyId,
          requestId: 'r',
          model: 'm',
          voice: 'v',
          characters: 3,
          credits: 3,
          charged: keyId === made.id,
          holder: '',
        }) as const;
      for (let n = 0; n < 1100; n++) {
        await sqlite.reserve(hold(`r${n}`, n % 2 ? made.id : free.id));
        if (n % 100 !== 0) {
          const credits = n % 2 ? 3 : 0;
          const end = {
            outcome: 'completed',
            time: TIME,
            audioMs: n,
            characters: 3,
            deliveredCharacters: 3,
            credits,
          } as const;
          await sqlite.end(hold(`r${n}`, n % 2 ? made.id : free.id), end);
        }
      }
      await sqlite.reserve({ ...hold('today', free.id), model: 'base-tts:free', free: { limit: 9 } });
      await keyring.revoke(free.id);
      await sqlite.close();

      const url = await postgres.create();
      const [old, fresh] = [await openSqliteDatabase(from), await openPostgresDatabase(url)];
      const copied = await copyAccounts(old, fresh);
      expect(copied).toEqual({
        keys: 2,
        free_limits: 2,
        secrets: 1,
        grants: 1,
        free_requests: 1,
        reservations: 12,
        ledger: 1089,
        request_log: 2,
        jobs: 0,
        kept: 0,
        dictionaries: 0,
        comparisons: 0,
      });
      await expect(copyAccounts(old, fresh)).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringMatching(/holds accounts already/),
      });
      await old.close();
      await fresh.close();

      const store = await openPostgresStore(url);
      expect(await store.check()).toEqual([]);
      const { key: _key, ...record } = made;
      expect(await store.findKey(made.id)).toMatchObject({ ...record, credits: record.credits - 3 * 550, reserved: 0 });
      expect(await store.findKey(free.id)).toMatchObject({ revoked: true, limits: byModel });
      expect((await store.listKeys())[1]!.today.freeRequestsByModel).toEqual({ 'base-tts': 1, 'base-tts-fast': 0 });
      expect(Buffer.from((await store.secretHash('admin'))!).toString()).toBe('secret');
      // What the old server held is nobody's here, and numbers go on behind those that were copied.
      expect(await store.recover('lapsed')).toBe(12);
      expect((await createKeyring(store).create({ tier: 'free' })).id).toHaveLength(8);
      const back = file();
      await store.backup(back);
      const restored = await openSqliteStore(back);
      expect(await restored.check()).toEqual([]);
      expect(await restored.listKeys()).toEqual(await store.listKeys());
      await store.logRequests([requestRow(3)]);
      expect((await restored.requestLog({ limit: 9 })).map(({ requestId }) => requestId)).toEqual(['req_2', 'req_1']);
      await restored.close();
      await store.close();
    });
  });
}
