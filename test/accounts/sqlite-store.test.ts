/** The SQLite store under the contract of all stores, and what is SQLite's own. */
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Libsql from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStore } from '../../src/accounts/database-store.js';
import { SQLITE_MIGRATIONS } from '../../src/accounts/migrations/index.js';
import { openSqliteDatabase } from '../../src/accounts/sqlite/database.js';
import { openSqliteStore } from '../../src/accounts/sqlite/store.js';
import { accountStoreContract } from '../contract/account-store.js';
import { withClock } from '../support/processes/database-clock.js';

accountStoreContract('SQLite', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'tts-store-'));
  const file = path.join(folder, 'data', 'accounts.db');
  const database = await withClock(await openSqliteDatabase(file));
  const store = createStore(database);
  return {
    database,
    store,
    another: async () => createStore(await withClock(await openSqliteDatabase(file))),
    openBackup: openSqliteStore,
    backupFile: path.join(folder, 'backup.db'),
    async dispose() {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
});

describe('the SQLite file', () => {
  let folder: string;
  let file: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'tts-sqlite-'));
    file = path.join(folder, 'accounts.db');
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('is readable by its owner alone', async () => {
    await (await openSqliteStore(file)).close();
    expect((await stat(file)).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o600);
  });

  it('adds up a long ledger page by page, and leaves the process to others in between', async () => {
    const long = path.join(folder, 'long.db');
    await (await openSqliteStore(long)).close();
    const direct = new Libsql(long);
    direct.exec(
      `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4499)
       INSERT INTO ledger (reservation_id, time, request_id, key_id, model, voice, characters, credits, audio_ms, outcome)
       SELECT 'r' || i, '2026-03-0' || (1 + i % 2) || 'T10:00:00.000Z', 'q', 'key' || (i % 3), 'base-tts', 'v', 2, 1, 10,
         'completed' FROM n`,
    );
    direct.close();
    const store = await openSqliteStore(long);
    let turns = 0;
    let over = false;
    const count = () => {
      turns++;
      if (!over) setImmediate(count);
    };
    setImmediate(count);
    const all = await store.usageByDay({});
    over = true;
    expect(turns).toBeGreaterThan(4);
    expect(all).toHaveLength(6);
    for (const sum of all)
      expect(sum).toMatchObject({ requests: 750, characters: 1_500, credits: 750, audioMs: 7_500 });
    const own = await store.usageByDay({ keyId: 'key1', since: '2026-03-02' });
    expect(own).toMatchObject([{ day: '2026-03-02', keyId: 'key1', requests: 750 }]);
    await store.close();
  });

  it('opens again with what it held, migrations run once', async () => {
    const first = await openSqliteStore(file);
    const hash = Buffer.alloc(32, 1);
    await first.createKey({
      id: 'abcdefgh',
      hash,
      tier: 'free',
      name: null,
      credits: 0,
      createdAt: '',
      expiresAt: null,
    });
    await first.close();
    const second = await openSqliteStore(file);
    expect((await second.findKey('abcdefgh'))?.tier).toBe('free');
    await second.close();
  });

  it('brings a database of the first version up to date: what completed was delivered whole', async () => {
    const old = path.join(folder, 'old.db');
    const raw = new Libsql(old);
    raw.exec(SQLITE_MIGRATIONS[0]!);
    raw.exec(`PRAGMA user_version = 1;
      INSERT INTO ledger (reservation_id, time, request_id, key_id, model, voice, characters, credits, audio_ms, outcome)
      VALUES ('a', 't1', 'r', 'k', 'm', 'v', 7, 7, 10, 'completed'), ('b', 't2', 'r', 'k', 'm', 'v', 9, 0, 10, 'cancelled');`);
    raw.close();
    const store = await openSqliteStore(old);
    const rows = [];
    for await (const row of store.usage({})) rows.push([row.outcome, row.characters, row.deliveredCharacters]);
    expect(rows).toEqual([
      ['completed', 7, 7],
      ['cancelled', 9, 0],
    ]);
    await store.close();
  });

  it('of the version before Free limits by model keeps its keys, counts, reservations and ledger', async () => {
    const old = path.join(folder, 'pooled.db');
    const raw = new Libsql(old);
    for (const sql of SQLITE_MIGRATIONS.slice(0, 4)) raw.exec(sql);
    const today = new Date().toISOString().slice(0, 10);
    raw.exec(`PRAGMA user_version = 4;
      INSERT INTO keys (id, hash, tier, credits, reserved, created_at, concurrency, free_daily)
      VALUES ('k', x'01', 'partner', 9, 4, 't', 3, 5), ('other', x'02', 'free', 0, 0, 't', NULL, NULL);
      INSERT INTO grants (time, key_id, credits) VALUES ('t', 'k', 9);
      INSERT INTO free_requests VALUES ('k', '${today}', 4), ('k', '2020-01-01', 7), ('other', '${today}', 1);
      INSERT INTO reservations (id, key_id, request_id, model, voice, characters, credits, free_day)
      VALUES ('a', 'k', 'r', 'base-tts', 'v', 4, 4, NULL), ('b', 'k', 'r', 'base-tts:free', 'v', 4, 0, '${today}');`);
    raw.close();
    const database = await openSqliteDatabase(old);
    const store = createStore(database);
    expect(await database.read('SELECT * FROM free_requests ORDER BY key_id, day')).toEqual([
      { key_id: 'k', day: '2020-01-01', model: '', requests: 7 },
      { key_id: 'k', day: today, model: '', requests: 4 },
      { key_id: 'other', day: today, model: '', requests: 1 },
    ]);
    const [k, other] = await store.listKeys();
    expect(k).toMatchObject({ credits: 9, reserved: 4, limits: { concurrency: 3, freeDaily: 5 } });
    expect(k!.today.freeRequests).toBe(4);
    expect(other).toMatchObject({ limits: { concurrency: null, freeDaily: null }, today: { freeRequests: 1 } });
    const ask = (id: string, model: string) =>
      store.reserve({
        ...{ id, keyId: 'k', requestId: 'r', model, voice: 'v', characters: 1, credits: 1, charged: false, holder: '' },
        free: { limit: 5 },
        sessions: 2,
      });
    // One of base-tts:free still runs; four of the day's five are used, on either model.
    expect(await ask('c', 'base-tts:free')).toMatchObject({ ok: true, freeRequests: 5 });
    expect(await ask('d', 'base-tts:free')).toMatchObject({ reason: 'daily_limit' });
    expect(await ask('e', 'base-tts-fast:free')).toMatchObject({ ok: true, freeRequests: 5 });
    expect(await ask('f', 'base-tts-fast:free')).toMatchObject({ reason: 'daily_limit' });
    expect(await store.check()).toEqual([]);
    await store.close();
  });

  it('is opened by many at the same moment', async () => {
    const fresh = path.join(folder, 'fresh.db');
    const stores = await Promise.all(Array.from({ length: 8 }, () => openSqliteStore(fresh)));
    const lists = await Promise.all(stores.map((store) => store.listKeys()));
    expect(lists).toEqual(stores.map(() => []));
    await Promise.all(stores.map((store) => store.close()));
  });

  it('refuses by its own constraints what the rules would never ask for', async () => {
    const guarded = path.join(folder, 'guarded.db');
    const store = await openSqliteStore(guarded);
    const hash = Buffer.alloc(32, 2);
    const key = { id: 'k', hash, tier: 'partner', name: null, credits: 5, createdAt: '', expiresAt: null } as const;
    await store.createKey(key);
    const raw = new Libsql(guarded);
    expect(() => raw.exec("UPDATE keys SET credits = -1 WHERE id = 'k'")).toThrow(/CHECK/);
    expect(() => raw.exec("UPDATE keys SET reserved = 6 WHERE id = 'k'")).toThrow(/CHECK/);
    expect(() => raw.exec("UPDATE keys SET reserved = -1 WHERE id = 'k'")).toThrow(/CHECK/);
    raw.close();
    await store.close();
  });

  it('finds keys whose balance does not follow from grants, ledger and open requests', async () => {
    const tampered = path.join(folder, 'tampered.db');
    const store = await openSqliteStore(tampered);
    const key = { tier: 'partner', name: null, credits: 5, createdAt: '', expiresAt: null } as const;
    for (const n of [3, 4, 5]) await store.createKey({ ...key, id: `key${n}`, hash: Buffer.alloc(32, n) });
    expect(await store.check()).toEqual([]);
    const raw = new Libsql(tampered);
    raw.exec("UPDATE keys SET credits = 50 WHERE id = 'key3'; UPDATE keys SET reserved = 2 WHERE id = 'key4'");
    raw.close();
    expect(await store.check()).toEqual([
      expect.stringMatching(/^key key3 has 50 credits and 0 reserved.* 5 and 0$/),
      expect.stringMatching(/^key key4 has 5 credits and 2 reserved.* 5 and 0$/),
    ]);
    await store.close();
  });

  it('refuses a database of a newer version', async () => {
    const newer = path.join(folder, 'newer.db');
    const raw = new Libsql(newer);
    raw.exec('PRAGMA user_version = 999');
    raw.close();
    await expect(openSqliteStore(newer)).rejects.toMatchObject({ message: expect.stringContaining('newer version') });
  });

  it('says which file is at fault when it is no database', async () => {
    const broken = path.join(folder, 'broken.db');
    await writeFile(broken, 'this is no database, only words, and enough of them to fill a header'.repeat(20));
    await expect(openSqliteStore(broken)).rejects.toMatchObject({
      code: 'internal_error',
      message: expect.stringContaining(broken),
    });
  });

  it('lives in memory for a server that keeps nothing', async () => {
    const store = await openSqliteStore(':memory:');
    expect(await store.listKeys()).toEqual([]);
    await store.close();
  });
});
