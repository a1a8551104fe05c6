/** The SQLite store under the contract of all stores, and what is SQLite's own. */
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Libsql from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SQLITE_MIGRATIONS } from '../../src/accounts/migrations/index.js';
import { openSqliteStore } from '../../src/accounts/sqlite-store.js';
import { accountStoreContract } from '../contract/account-store.js';

accountStoreContract('SQLite', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'tts-store-'));
  const file = path.join(folder, 'data', 'accounts.db');
  const store = await openSqliteStore(file);
  return {
    store,
    another: () => openSqliteStore(file),
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

  it('is opened by many at the same moment', async () => {
    const fresh = path.join(folder, 'fresh.db');
    const stores = await Promise.all(Array.from({ length: 8 }, () => openSqliteStore(fresh)));
    const lists = await Promise.all(stores.map((store) => store.listKeys('2026-01-01')));
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
    expect(await store.listKeys('2026-01-01')).toEqual([]);
    await store.close();
  });
});
