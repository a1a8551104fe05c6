/** Leases, retries and purges over time, which passes when the test says so. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createStore } from '../../src/accounts/database-store.js';
import { Lanes } from '../../src/accounts/lanes.js';
import { Lease } from '../../src/accounts/lease.js';
import { Settlements } from '../../src/accounts/money/settlements.js';
import { Purges } from '../../src/accounts/purges.js';
import { openSqliteDatabase } from '../../src/accounts/sqlite/database.js';
import type { AccountStore } from '../../src/accounts/store.js';
import { TtsError } from '../../src/protocol/errors.js';
import { VirtualClock } from '../../testkit/virtual-clock.js';
import { type ClockedDatabase, withClock } from '../support/processes/database-clock.js';

const LEASE_MS = 15_000;
const START_MS = Date.parse('2026-03-01T10:00:00.000Z');
const away = () => Promise.reject(new TtsError('store_unavailable', 'away'));

describe('time in the accounts', () => {
  let clock: VirtualClock;
  let database: ClockedDatabase;
  let store: AccountStore;
  beforeEach(async () => {
    clock = new VirtualClock();
    database = await withClock(await openSqliteDatabase(':memory:'));
    store = createStore(database);
    await database.freezeAt(new Date(START_MS).toISOString());
    await store.createKey({
      id: 'key1',
      hash: Buffer.alloc(32, 1),
      tier: 'partner',
      name: null,
      credits: 100,
      createdAt: new Date(START_MS).toISOString(),
      expiresAt: null,
    });
  });
  afterEach(() => store.close());

  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 1_000) {
      await database.freezeAt(new Date(START_MS + clock.now() + Math.min(1_000, left)).toISOString());
      await clock.advance(Math.min(1_000, left));
    }
  };
  const held = (id: string, holder: string) =>
    ({
      id,
      keyId: 'key1',
      requestId: id,
      model: 'base-tts',
      voice: 'v',
      characters: 5,
      credits: 5,
      charged: true,
      holder,
    }) as const;
  const reserved = async () => (await store.findKey('key1'))!.reserved;

  describe('a lease', () => {
    it('is renewed before it runs out, and stays in its epoch', async () => {
      const lease = await Lease.take({ store, leaseMs: LEASE_MS, clock });
      expect(lease.epoch).toBe(1);
      await pass(4 * LEASE_MS);
      expect(lease.epoch).toBe(1);
      await lease.close();
      expect(clock.timers).toBe(0);
    });

    it('has no epoch once it ran out, and another one when it is taken again', async () => {
      let isAway = false;
      const renewLease: AccountStore['renewLease'] = (...of) => (isAway ? away() : store.renewLease(...of));
      const lease = await Lease.take({ store: { ...store, renewLease }, leaseMs: LEASE_MS, clock });
      isAway = true;
      await pass(LEASE_MS - 1_000);
      expect(lease.epoch).toBe(1);
      await pass(1_000);
      expect(lease.epoch).toBeUndefined();
      isAway = false;
      expect(await lease.renew()).toBe(2);
      expect(lease.epoch).toBe(2);
      await lease.close();
    });

    it('is lost where the process slept through the answer', async () => {
      let taken = false;
      const renewLease: AccountStore['renewLease'] = async (...of) => {
        await store.renewLease(...of);
        if (taken) clock.skip(2 * LEASE_MS);
      };
      const lease = await Lease.take({ store: { ...store, renewLease }, leaseMs: LEASE_MS, clock });
      taken = true;
      expect(await lease.renew()).toBe(2);
      expect(lease.epoch).toBeUndefined();
      taken = false;
      await lease.close();
    });

    it('lets its server return what others left after the time of a whole lease, and not before', async () => {
      await store.reserve(held('left', 'a server that is gone'));
      const lease = await Lease.take({ store, leaseMs: LEASE_MS, clock });
      await pass(LEASE_MS - 1_000);
      expect(await reserved()).toBe(5);
      await pass(LEASE_MS / 5);
      expect(await reserved()).toBe(0);
      await lease.close();
    });

    it('gives a silent server that time again after an outage', async () => {
      let isAway = false;
      const renewLease: AccountStore['renewLease'] = (...of) => (isAway ? away() : store.renewLease(...of));
      const lease = await Lease.take({ store: { ...store, renewLease }, leaseMs: LEASE_MS, clock });
      await pass(2 * LEASE_MS);
      await store.renewLease('other', LEASE_MS);
      await store.reserve(held('kept', 'other'));
      isAway = true;
      await pass(2 * LEASE_MS);
      isAway = false;
      await pass(LEASE_MS);
      expect(await reserved()).toBe(5);
      await pass(LEASE_MS / 2);
      expect(await reserved()).toBe(0);
      await lease.close();
    });

    it('drops a disowned reservation whenever it appears within two leases', async () => {
      const lease = await Lease.take({ store, leaseMs: LEASE_MS, clock });
      const late = held('late', lease.holder);
      lease.disown(late);
      await pass(LEASE_MS);
      await store.reserve(late);
      await pass(LEASE_MS / 5);
      expect(await reserved()).toBe(0);
      await lease.close();
    });
  });

  it('an end that cannot be written is tried again after longer and longer pauses', async () => {
    const settlements = new Settlements(undefined, clock);
    const triedAtMs: number[] = [];
    let isAway = true;
    const end = async () => {
      triedAtMs.push(clock.now());
      if (isAway) await away();
    };
    await settlements.write('key1', end);
    expect([settlements.waiting, settlements.waitingOf('key1'), settlements.waitingOf('other')]).toEqual([1, 1, 0]);
    await clock.advance(60_000);
    expect(triedAtMs).toEqual([0, 200, 600, 1_400, 3_000, 6_200, 12_600, 22_600, 32_600, 42_600, 52_600]);
    isAway = false;
    await clock.advance(10_000);
    expect([settlements.waiting, clock.timers]).toEqual([0, 0]);
    await settlements.close();
  });

  it('rows that have ended are deleted, and days summed up, within half a minute of the start, and then every half minute', async () => {
    const purgedAtMs: number[] = [];
    const rolledAtMs: number[] = [];
    const store = {
      passes: { purge: async () => purgedAtMs.push(clock.now()) !== 2 },
      rollUsage: async () => rolledAtMs.push(clock.now()),
    };
    const purges = new Purges(store, undefined, clock);
    await clock.advance(120_000);
    expect(purgedAtMs[0]).toBeLessThanOrEqual(30_000);
    expect(purgedAtMs.slice(1).map((atMs, n) => Math.round(atMs - purgedAtMs[n]!))).toEqual(
      purgedAtMs.slice(1).map(() => 30_000),
    );
    // Another server was at it the second time.
    expect(rolledAtMs).toEqual(purgedAtMs.filter((_, n) => n !== 1));
    await purges.close();
    expect(clock.timers).toBe(0);
  });

  it('a call of a busy key gives up when its patience is over, and no other key waits', async () => {
    const lanes = new Lanes(5_000, 'here', clock);
    const ends: (() => void)[] = [];
    const long = () => new Promise<void>((resolve) => void ends.push(resolve));
    const running = [lanes.run('busy', long), lanes.run('busy', long)];
    const refused = expect(lanes.run('busy', long)).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(await lanes.run('other', async () => 'served')).toBe('served');
    await clock.advance(5_000);
    await refused;
    for (const end of ends) end();
    await Promise.all(running);
    expect(await lanes.run('busy', async () => 'served')).toBe('served');
  });
});
