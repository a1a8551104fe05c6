/** Ends of requests while the database cannot be written: kept, tried again, debited once. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Libsql from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAccounts, DEFAULT_LIMITS } from '../../src/accounts/accounts.js';
import { createKeyring } from '../../src/accounts/keyring.js';
import { openSqliteStore } from '../../src/accounts/sqlite/store.js';
import type { AccountStore, LedgerRow } from '../../src/accounts/store.js';
import type { Accounts } from '../../src/accounts/types.js';
import { until } from '../../testkit/server.js';

describe('an end that cannot be written', () => {
  let folder: string;
  let file: string;
  let store: AccountStore;
  let accounts: Accounts;
  let foreign: Libsql.Database;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'tts-settlements-'));
    file = path.join(folder, 'accounts.db');
    store = await openSqliteStore(file, { busyLimitMs: 200 });
    accounts = await createAccounts({ store, limits: DEFAULT_LIMITS });
    foreign = new Libsql(file);
  });
  afterEach(async () => {
    foreign.close();
    await accounts.close();
    await rm(folder, { recursive: true });
  });

  const partner = () => createKeyring(store).create({ tier: 'partner', credits: 1000 });
  const balance = async (id: string) => {
    const { credits, reserved } = (await store.findKey(id))!;
    return { credits, reserved };
  };
  const rows = async (from = store) => {
    const found: LedgerRow[] = [];
    for await (const row of from.usage({})) found.push(row);
    return found;
  };

  it('is kept and debited once when the other program lets go; Partner work is refused until then', async () => {
    const key = await partner();
    const free = await createKeyring(store).create({ tier: 'free' });
    const request = { requestId: 'r', voice: 'v', chars: 10 } as const;
    const [settled, released, rejected] = await Promise.all(
      [1, 2, 3].map(() => accounts.admit({ key, model: 'base-tts', ...request })),
    );
    const early = await accounts.admit({ key: free, model: 'base-tts:free', ...request });
    foreign.exec('BEGIN IMMEDIATE');
    await Promise.all([
      settled!.settle({ audioMs: 5 }),
      released!.release('cancelled', { audioMs: 5, deliveredChars: 3, byClient: true }),
      rejected!.reject(),
    ]);
    await settled!.settle({ audioMs: 5 });
    expect(accounts.active).toBe(1);
    await expect(accounts.admit({ key, model: 'base-tts', ...request })).rejects.toMatchObject({
      code: 'store_unavailable',
      retryAfterS: 5,
      message: expect.not.stringContaining(folder),
    });
    expect(accounts.active).toBe(1);
    foreign.exec('ROLLBACK');
    await until(async () => (await balance(key.id)).reserved === 0);
    await until(async () => (await rows()).length === 2);
    expect(await balance(key.id)).toEqual({ credits: 990, reserved: 0 });
    expect((await rows()).map((row) => row.credits).sort()).toEqual([0, 10]);
    await early.settle({ audioMs: 1 });
    await (await accounts.admit({ key, model: 'base-tts', ...request })).settle({ audioMs: 1 });
    expect(await balance(key.id)).toEqual({ credits: 980, reserved: 0 });
    expect(await store.check()).toEqual([]);
  });

  it('is written by the last try when the accounts are closed', async () => {
    const key = await partner();
    const admission = await accounts.admit({ key, requestId: 'r', model: 'base-tts', voice: 'v', chars: 10 });
    foreign.exec('BEGIN IMMEDIATE');
    await admission.settle({ audioMs: 5 });
    foreign.exec('ROLLBACK');
    await accounts.close();
    const again = await openSqliteStore(file);
    expect(await rows(again)).toMatchObject([{ outcome: 'completed', credits: 10 }]);
    await again.close();
  });

  it('does not hold up the close for ever, and comes back as interrupted', async () => {
    const key = await partner();
    const admission = await accounts.admit({ key, requestId: 'r', model: 'base-tts', voice: 'v', chars: 10 });
    foreign.exec('BEGIN IMMEDIATE');
    await admission.settle({ audioMs: 5 });
    await accounts.close();
    foreign.exec('ROLLBACK');
    const again = await openSqliteStore(file);
    await createAccounts({ store: again, limits: DEFAULT_LIMITS });
    expect(await rows(again)).toMatchObject([{ outcome: 'interrupted', credits: 0 }]);
    expect(await again.findKey(key.id)).toMatchObject({ credits: 1000, reserved: 0 });
    await again.close();
  });

  it('waits once for the other program, not once for each of those that came together', async () => {
    const key = await partner();
    const reserve = (n: number) =>
      store.reserve({
        id: `r${n}`,
        keyId: key.id,
        requestId: 'r',
        model: 'm',
        voice: 'v',
        characters: 1,
        credits: 1,
        charged: true,
        holder: '',
      });
    foreign.exec('BEGIN IMMEDIATE');
    const writes = Array.from({ length: 6 }, (_, n) => reserve(n));
    // Whoever is still waiting when the first gives up would get through now.
    await Promise.race(writes).catch(() => foreign.exec('ROLLBACK'));
    const results = await Promise.allSettled(writes);
    expect(results.map(({ status }) => status)).toEqual(writes.map(() => 'rejected'));
    expect(await balance(key.id)).toEqual({ credits: 1000, reserved: 0 });
  });
});
