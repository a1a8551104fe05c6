/**
 * Servers that share a store hold what they reserved by leases: the dead lose theirs, the silent
 * get the benefit of the doubt.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAccounts, DEFAULT_LIMITS } from '../../src/accounts/accounts.js';
import { createStore } from '../../src/accounts/database-store.js';
import { createKeyring } from '../../src/accounts/keyring.js';
import { openPostgresDatabase } from '../../src/accounts/postgres/database.js';
import type { AccountStore, LedgerRow } from '../../src/accounts/store.js';
import type { Accounts } from '../../src/accounts/types.js';
import { hasPostgres, type Postgres, startPostgres } from '../../testkit/postgres.js';
import { until } from '../../testkit/server.js';
import { VirtualClock } from '../../testkit/virtual-clock.js';
import { type ClockedDatabase, withClock } from '../support/processes/database-clock.js';

const LEASE_MS = 15_000;
const START_MS = Date.parse('2026-03-01T10:00:00.000Z');

if (!hasPostgres()) {
  it('leaves PostgreSQL out: postgresql is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  describe('a lease', () => {
    let postgres: Postgres;
    let url: string;
    let database: ClockedDatabase;
    let store: AccountStore;
    let clock: VirtualClock;
    let opened: Accounts[];
    /** Has the tables, which take longer to make than to copy. */
    let prepared: string;
    beforeAll(async () => {
      postgres = await startPostgres();
      prepared = await postgres.create();
      await (await openPostgresDatabase(prepared)).close();
    });
    afterAll(() => postgres.close());
    beforeEach(async () => {
      url = await postgres.create(prepared);
      database = await withClock(await openPostgresDatabase(url));
      store = createStore(database);
      clock = new VirtualClock();
      await database.freezeAt(new Date(START_MS).toISOString());
      opened = [];
    });
    afterEach(async () => {
      await Promise.all(opened.map((accounts) => accounts.close()));
      await store.close();
    });

    const server = async () => {
      const shared = createStore(await openPostgresDatabase(url, { connections: 3, patienceMs: 1_000 }));
      const accounts = await createAccounts({ store: shared, limits: DEFAULT_LIMITS, leaseMs: LEASE_MS, clock });
      opened.push(accounts);
      return accounts;
    };
    /** A fifth of a lease, in which each server renews once. The database's clock follows. */
    const beat = async () => {
      await clock.advance(LEASE_MS / 5);
      await database.freezeAt(new Date(START_MS + clock.now()).toISOString()).catch(() => undefined);
    };
    const untilBeaten = (isDone: () => Promise<boolean>) =>
      until(async () => {
        await beat();
        return isDone();
      });
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
      for (let n = 0; n < 8; n++) await beat();
      await postgres.stop();
      await Promise.all(kept.map((admission) => admission.settle({ audioMs: 1 })));
      const refused = { code: 'store_unavailable' };
      await expect(one.admit({ key, ...speech })).rejects.toMatchObject(refused);
      await clock.advance(LEASE_MS * 1.5);
      await postgres.start();
      await untilBeaten(async () => (await rows()).length === 2);
      expect(await rows()).toEqual([
        ['completed', 10],
        ['completed', 10],
      ]);
      expect(await store.findKey(key.id)).toMatchObject({ credits: 80, reserved: 0 });
      await untilBeaten(async () => {
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
      await untilBeaten(async () => (await store.findKey(key.id))?.reserved === 10);
      expect(await rows()).toEqual([['interrupted', 0]]);
      await other.settle({ audioMs: 1 });
      expect(await store.findKey(key.id)).toMatchObject({ credits: 90, reserved: 0 });
    });
  });
}
