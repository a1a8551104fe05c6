/** Servers that share a store hold what they reserved by leases: the dead lose theirs, the silent get the benefit of the doubt. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAccounts, DEFAULT_LIMITS } from '../../src/accounts/accounts.js';
import { createKeyring } from '../../src/accounts/keyring.js';
import { openPostgresStore } from '../../src/accounts/postgres/store.js';
import type { AccountStore, LedgerRow } from '../../src/accounts/store.js';
import type { Accounts } from '../../src/accounts/types.js';
import { hasPostgres, type Postgres, startPostgres } from '../../testkit/postgres.js';
import { until } from '../../testkit/server.js';

const LEASE_MS = 3_000;

if (!hasPostgres()) {
  it('leaves PostgreSQL out: postgresql is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  describe('a lease', () => {
    let postgres: Postgres;
    let url: string;
    let store: AccountStore;
    let opened: Accounts[];
    beforeAll(async () => {
      postgres = await startPostgres();
    });
    afterAll(() => postgres.close());
    beforeEach(async () => {
      url = await postgres.create();
      store = await openPostgresStore(url);
      opened = [];
    });
    afterEach(async () => {
      await Promise.all(opened.map((accounts) => accounts.close()));
      await store.close();
    });

    const server = async () => {
      const shared = await openPostgresStore(url, { connections: 3, patienceMs: 1_000 });
      const accounts = await createAccounts({ store: shared, limits: DEFAULT_LIMITS, leaseMs: LEASE_MS });
      opened.push(accounts);
      return accounts;
    };
    const rows = async () => {
      const found: LedgerRow[] = [];
      for await (const row of store.usage({})) found.push(row);
      return found.map(({ outcome, credits }) => [outcome, credits]);
    };
    const speech = { requestId: 'r', model: 'base-tts', voice: 'v', chars: 10 } as const;

    it('outlives an outage that was longer than itself: what was delivered is booked by its own server', async () => {
      const key = await createKeyring(store).create({ tier: 'partner', credits: 100 });
      const [one, two] = [await server(), await server()];
      const kept = [await one.admit({ key, ...speech }), await two.admit({ key, ...speech })];
      // Long enough to be the judge of others.
      await sleep(LEASE_MS * 1.5);
      await postgres.stop();
      await Promise.all(kept.map((admission) => admission.settle({ audioMs: 1 })));
      const refused = { code: 'store_unavailable' };
      await expect(one.admit({ key, ...speech })).rejects.toMatchObject(refused);
      await sleep(LEASE_MS * 1.5);
      await postgres.start();
      await until(async () => (await rows()).length === 2);
      expect(await rows()).toEqual([
        ['completed', 10],
        ['completed', 10],
      ]);
      expect(await store.findKey(key.id)).toMatchObject({ credits: 80, reserved: 0 });
      await until(async () => {
        const admitted = await two.admit({ key, ...speech }).catch(() => undefined);
        await admitted?.settle({ audioMs: 1 });
        return admitted !== undefined;
      });
      expect(await store.check()).toEqual([]);
    });

    it('holds a little more than a growing session needs, far from the end of the balance, and gives it back', async () => {
      const keyring = createKeyring(store);
      const [rich, poor] = [
        await keyring.create({ tier: 'partner', credits: 100_000 }),
        await keyring.create({ tier: 'partner', credits: 10 }),
      ];
      const accounts = await server();
      const session = await accounts.admit({ key: rich, ...speech, chars: 0 });
      for (let word = 0; word < 100; word++) await session.extend(5);
      expect(session.chars).toBe(500);
      const { reserved } = (await store.findKey(rich.id))!;
      expect(reserved).toBeGreaterThanOrEqual(500);
      expect(reserved).toBeLessThan(500 + 2 * 256);
      await session.settle({ audioMs: 1 });
      expect(await store.findKey(rich.id)).toMatchObject({ credits: 99_500, reserved: 0 });
      const short = await accounts.admit({ key: poor, ...speech, chars: 0 });
      await short.extend(10);
      await expect(short.extend(1)).rejects.toMatchObject({ code: 'insufficient_credits' });
      await short.settle({ audioMs: 1 });
      expect(await store.findKey(poor.id)).toMatchObject({ credits: 0, reserved: 0 });
      const rows: number[] = [];
      for await (const row of store.usage({})) rows.push(row.characters);
      expect(rows).toEqual([500, 10]);
    });

    it('that is given back leaves what was still open to the others at once', async () => {
      const key = await createKeyring(store).create({ tier: 'partner', credits: 100 });
      const [leaves, stays] = [await server(), await server()];
      await leaves.admit({ key, ...speech });
      const other = await stays.admit({ key, ...speech });
      await leaves.close();
      await until(async () => (await store.findKey(key.id))?.reserved === 10);
      expect(await rows()).toEqual([['interrupted', 0]]);
      await other.settle({ audioMs: 1 });
      expect(await store.findKey(key.id)).toMatchObject({ credits: 90, reserved: 0 });
    });
  });
}
