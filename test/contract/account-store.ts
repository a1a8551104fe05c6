/** What every account store must do, whatever database is behind it. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { drawKey } from '../../src/accounts/api-key.js';
import type { AccountStore, LedgerRow, NewReservation } from '../../src/accounts/store.js';
import type { Tier } from '../../src/accounts/types.js';

export interface StoreFixture {
  readonly store: AccountStore;
  /** A second, independent connection to the same data. */
  readonly another: () => Promise<AccountStore>;
  /** Opens a copy that `backup` made. */
  readonly openBackup: (file: string) => Promise<AccountStore>;
  /** Where a backup may be written. */
  readonly backupFile: string;
  readonly dispose: () => Promise<void>;
}

const TIME = '2026-03-01T10:00:00.000Z';
const DAY = '2026-03-01';
const NO_LIMITS = { concurrency: null, freeDaily: null };
/** Calls that wait for a store together: few enough to be answered within its patience on a machine that hardly gets its turn. */
const AT_ONCE = 20;

export function accountStoreContract(name: string, open: () => Promise<StoreFixture>): void {
  describe(`${name} as an account store`, () => {
    let fixture: StoreFixture;
    let store: AccountStore;
    beforeEach(async () => {
      fixture = await open();
      store = fixture.store;
    });
    afterEach(() => fixture.dispose());

    const createKey = async (credits = 0, tier: Tier = 'partner'): Promise<string> => {
      const { id, hash } = drawKey();
      await store.createKey({ id, hash, tier, name: 'n', credits, createdAt: TIME, expiresAt: null });
      return id;
    };
    const reservation = (keyId: string, chars: number, more: Partial<NewReservation> = {}): NewReservation => ({
      id: randomUUID(),
      keyId,
      requestId: 'req_1',
      model: 'base-tts',
      voice: 'v',
      characters: chars,
      credits: chars,
      charged: true,
      holder: 'server',
      ...more,
    });
    const completed = (chars: number, time = TIME) =>
      ({ outcome: 'completed', time, audioMs: 0, deliveredCharacters: chars, credits: chars }) as const;
    const balance = async (id: string) => {
      const key = await store.findKey(id);
      return { credits: key?.credits, reserved: key?.reserved };
    };
    const ledger = async (filter = {}): Promise<LedgerRow[]> => {
      const rows: LedgerRow[] = [];
      for await (const row of store.usage(filter)) rows.push(row);
      return rows;
    };

    it('finds a key as it was made, and nothing under another id', async () => {
      const { id, hash } = drawKey();
      const made = {
        id,
        tier: 'free',
        name: null,
        credits: 0,
        createdAt: TIME,
        expiresAt: DAY,
        limits: NO_LIMITS,
      } as const;
      expect(await store.createKey({ ...made, hash })).toBe(true);
      expect(await store.findKey(id)).toEqual({ ...made, hash: Buffer.from(hash), reserved: 0, revoked: false });
      expect(await store.findKey('AAAAAAAA')).toBeUndefined();
    });

    it('refuses a second key with the same id', async () => {
      const { id, hash } = drawKey();
      const made = { id, tier: 'free', name: null, credits: 0, createdAt: TIME, expiresAt: null } as const;
      await store.createKey({ ...made, hash });
      expect(await store.createKey({ ...made, hash: drawKey().hash })).toBe(false);
    });

    it('changes what it is told of a key and leaves the rest', async () => {
      const id = await createKey(3);
      expect(await store.findKey(id)).toMatchObject({ name: 'n', limits: NO_LIMITS });
      expect(await store.changeKey(id, { concurrency: 4, freeDaily: 0 })).toBe(true);
      expect(await store.changeKey(id, { name: 'phone' })).toBe(true);
      const limits = { concurrency: 4, freeDaily: 0 };
      expect(await store.findKey(id)).toMatchObject({ name: 'phone', credits: 3, limits });
      expect(await store.changeKey(id, { name: null, freeDaily: null })).toBe(true);
      expect(await store.findKey(id)).toMatchObject({ name: null, limits: { concurrency: 4, freeDaily: null } });
      expect(await store.changeKey('AAAAAAAA', { name: 'nobody' })).toBe(false);
    });

    it('keeps the hash of a secret, and the first of two that were only to be kept', async () => {
      expect(await store.secretHash('admin')).toBeUndefined();
      expect(await store.putSecretHash('admin', Buffer.from('one'), { keep: true })).toBe(true);
      expect(await store.putSecretHash('admin', Buffer.from('two'), { keep: true })).toBe(false);
      expect(Buffer.from((await store.secretHash('admin'))!).toString()).toBe('one');
      expect(await store.putSecretHash('admin', Buffer.from('three'))).toBe(true);
      expect(Buffer.from((await (await fixture.another()).secretHash('admin'))!).toString()).toBe('three');
    });

    it('sums the ledger by day, key and model', async () => {
      const [one, two] = [await createKey(100), await createKey(100)];
      const say = async (keyId: string, chars: number, time: string, model = 'base-tts', done = true) => {
        const held = reservation(keyId, chars, { model });
        await store.reserve(held);
        const unfinished = { outcome: 'cancelled', time, audioMs: 10, deliveredCharacters: 1, credits: 0 } as const;
        await store.end(held.id, done ? { ...completed(chars, time), audioMs: 100 } : unfinished);
      };
      await say(one, 5, '2026-03-01T10:00:00.000Z');
      await say(one, 7, '2026-03-01T23:59:59.999Z', 'base-tts', false);
      await say(one, 2, '2026-03-01T11:00:00.000Z', 'base-tts-fast');
      await say(one, 3, '2026-03-02T00:00:00.000Z');
      await say(two, 4, '2026-03-02T00:00:00.000Z');
      const all = await store.usageByDay({});
      expect(all).toHaveLength(4);
      expect(all[0]).toEqual({
        day: '2026-03-01',
        keyId: one,
        model: 'base-tts',
        requests: 2,
        unfinished: 1,
        characters: 12,
        deliveredCharacters: 6,
        credits: 5,
        audioMs: 110,
      });
      expect(all.map(({ day }) => day)).toEqual(['2026-03-01', '2026-03-01', '2026-03-02', '2026-03-02']);
      const since = '2026-03-02T00:00:00.000Z';
      expect(await store.usageByDay({ keyId: two, since })).toMatchObject([{ keyId: two, characters: 4 }]);
    });

    it('lists keys in order of creation with the counts of the day asked for', async () => {
      const ids = [await createKey(100), await createKey(0, 'free'), await createKey(5)];
      const spoken = reservation(ids[0]!, 7);
      await store.reserve(spoken);
      await store.end(spoken.id, completed(7));
      await store.reserve(reservation(ids[1]!, 3, { charged: false, free: { day: DAY, limit: 9 } }));
      const list = await store.listKeys(DAY);
      expect(list.map((key) => key.id)).toEqual(ids);
      expect(list[0]!.today).toEqual({ freeRequests: 0, requests: 1, characters: 7, credits: 7 });
      expect(list[1]!.today).toEqual({ freeRequests: 1, requests: 0, characters: 0, credits: 0 });
      expect((await store.listKeys('2026-03-02'))[0]!.today.requests).toBe(0);
    });

    it('revokes a key, and says when there is none', async () => {
      const id = await createKey();
      expect(await store.revokeKey(id, TIME)).toBe(true);
      expect((await store.findKey(id))?.revoked).toBe(true);
      expect(await store.revokeKey('AAAAAAAA', TIME)).toBe(false);
    });

    it('adds granted credits to the balance, and says when there is no such key', async () => {
      const id = await createKey(5);
      expect(await store.grant(id, 37, TIME)).toBe(true);
      expect(await balance(id)).toEqual({ credits: 42, reserved: 0 });
      expect(await store.grant('AAAAAAAA', 1, TIME)).toBe(false);
    });

    it('holds a reservation without touching the balance', async () => {
      const id = await createKey(10);
      expect(await store.reserve(reservation(id, 4))).toEqual({ ok: true, freeRequests: 0 });
      expect(await balance(id)).toEqual({ credits: 10, reserved: 4 });
    });

    it('refuses a reservation beyond the free balance, and takes nothing', async () => {
      const id = await createKey(10);
      await store.reserve(reservation(id, 8));
      const refused = { ok: false, reason: 'insufficient_credits', balance: 2 };
      expect(await store.reserve(reservation(id, 3))).toEqual(refused);
      expect(await balance(id)).toEqual({ credits: 10, reserved: 8 });
    });

    it('refuses a charged reservation of nothing where the free balance is zero', async () => {
      const id = await createKey(3);
      await store.reserve(reservation(id, 3));
      expect(await store.reserve(reservation(id, 0))).toMatchObject({ ok: false, reason: 'insufficient_credits' });
    });

    it('extends a reservation up to the balance and not beyond', async () => {
      const id = await createKey(10);
      const held = reservation(id, 0);
      await store.reserve(held);
      expect(await store.extend(held.id, 6, 6)).toBeUndefined();
      expect(await store.extend(held.id, 5, 5)).toBe(4);
      expect(await balance(id)).toEqual({ credits: 10, reserved: 6 });
      await store.end(held.id, completed(6));
      expect((await ledger())[0]).toMatchObject({ characters: 6, credits: 6 });
    });

    it('debits once at the end, however often it is ended', async () => {
      const id = await createKey(10);
      const held = reservation(id, 4);
      await store.reserve(held);
      const end = { ...completed(4), audioMs: 1234.4 };
      const ends = await Promise.all([store.end(held.id, end), store.end(held.id, end), store.end(held.id, end)]);
      expect(ends.sort()).toEqual([false, false, true]);
      expect([await store.drop(held.id), await store.end(held.id, end)]).toEqual([false, false]);
      expect(await balance(id)).toEqual({ credits: 6, reserved: 0 });
      expect(await ledger()).toEqual([
        {
          time: TIME,
          requestId: 'req_1',
          keyId: id,
          model: 'base-tts',
          voice: 'v',
          characters: 4,
          credits: 4,
          audioMs: 1234,
          outcome: 'completed',
          deliveredCharacters: 4,
        },
      ]);
    });

    it('returns the credits of a failed or cancelled request and books it with none', async () => {
      const id = await createKey(10);
      for (const outcome of ['failed', 'cancelled'] as const) {
        const held = reservation(id, 4);
        await store.reserve(held);
        await store.end(held.id, { outcome, time: TIME, audioMs: 5, deliveredCharacters: 3, credits: 0 });
      }
      expect(await balance(id)).toEqual({ credits: 10, reserved: 0 });
      expect((await ledger()).map((row) => [row.outcome, row.credits, row.deliveredCharacters])).toEqual([
        ['failed', 0, 3],
        ['cancelled', 0, 3],
      ]);
    });

    it('debits a part of a reservation and returns the rest, never more of either than was reserved', async () => {
      const id = await createKey(10);
      for (const asked of [3, 99]) {
        const held = reservation(id, 4);
        await store.reserve(held);
        const end = {
          outcome: 'cancelled',
          time: TIME,
          audioMs: 5,
          deliveredCharacters: asked,
          credits: asked,
        } as const;
        expect(await store.end(held.id, end)).toBe(true);
      }
      const free = reservation(id, 4, { charged: false });
      await store.reserve(free);
      await store.end(free.id, completed(4));
      expect(await balance(id)).toEqual({ credits: 3, reserved: 0 });
      expect((await ledger()).map((row) => [row.characters, row.deliveredCharacters, row.credits])).toEqual([
        [4, 3, 3],
        [4, 4, 4],
        [4, 4, 0],
      ]);
    });

    it('books the characters that were needed of those reserved, where it is told', async () => {
      const id = await createKey(10);
      const held = reservation(id, 8);
      await store.reserve(held);
      await store.end(held.id, { ...completed(5), characters: 5 });
      expect(await balance(id)).toEqual({ credits: 5, reserved: 0 });
      expect(await ledger()).toMatchObject([{ characters: 5, deliveredCharacters: 5, credits: 5 }]);
    });

    it('drops a reservation without a trace, the day count included', async () => {
      const id = await createKey(10, 'free');
      const held = reservation(id, 4, { charged: false, free: { day: DAY, limit: 2 } });
      expect(await store.reserve(held)).toEqual({ ok: true, freeRequests: 1 });
      expect(await store.drop(held.id)).toBe(true);
      expect((await store.listKeys(DAY))[0]!.today.freeRequests).toBe(0);
      expect(await ledger()).toEqual([]);
    });

    it('counts Free requests a key and day up to the limit', async () => {
      const id = await createKey(0, 'free');
      const free = { day: DAY, limit: 2 };
      const ask = (more = {}) => store.reserve(reservation(id, 1, { charged: false, free, ...more }));
      expect([await ask(), await ask(), await ask()]).toEqual([
        { ok: true, freeRequests: 1 },
        { ok: true, freeRequests: 2 },
        { ok: false, reason: 'daily_limit' },
      ]);
      expect(await ask({ free: { day: '2026-03-02', limit: 2 } })).toEqual({ ok: true, freeRequests: 1 });
      expect((await store.listKeys(DAY))[0]!.today.freeRequests).toBe(2);
    });

    it('returns what a dead process held, once', async () => {
      const id = await createKey(10);
      await store.reserve(reservation(id, 4));
      await store.reserve(reservation(id, 3));
      expect(await store.recover(TIME, 'all')).toBe(2);
      expect(await store.recover(TIME, 'all')).toBe(0);
      expect(await balance(id)).toEqual({ credits: 10, reserved: 0 });
      expect((await ledger()).map(({ outcome, credits }) => [outcome, credits])).toEqual([
        ['interrupted', 0],
        ['interrupted', 0],
      ]);
    });

    it('reports usage in order, by key and by time, over many pages', async () => {
      const [a, b] = [await createKey(10_000), await createKey(10_000)];
      const all = Array.from({ length: 1203 }, (_, n) => reservation(n % 2 ? a : b, 1, { requestId: `r${n}` }));
      for (let at = 0; at < all.length; at += AT_ONCE) {
        await Promise.all(all.slice(at, at + AT_ONCE).map((held) => store.reserve(held)));
      }
      const time = (n: number) => new Date(Date.parse(TIME) + n * 1000).toISOString();
      // Ended in another order than told of, as happens between servers: the time decides.
      const backwards = all.map((held, n) => ({ held, n })).reverse();
      for (let at = 0; at < all.length; at += AT_ONCE) {
        const some = backwards.slice(at, at + AT_ONCE);
        await Promise.all(some.map(({ held, n }) => store.end(held.id, completed(1, time(n)))));
      }
      expect((await ledger()).map((row) => row.requestId)).toEqual(all.map((held) => held.requestId));
      expect(await ledger({ keyId: a })).toHaveLength(601);
      expect((await ledger({ since: time(1200) })).map((row) => row.requestId)).toEqual(['r1200', 'r1201', 'r1202']);
    });

    it('keeps many charges at once within the balance', async () => {
      const id = await createKey(100);
      const other = await fixture.another();
      const asked = await Promise.all(
        Array.from({ length: 60 }, async (_, n) => {
          const via = n % 2 ? store : other;
          const held = reservation(id, 7);
          const result = await via.reserve(held);
          if (result.ok) await via.end(held.id, completed(7));
          return result.ok;
        }),
      );
      await other.close();
      expect(asked.filter(Boolean)).toHaveLength(14);
      expect(await balance(id)).toEqual({ credits: 2, reserved: 0 });
    });

    it('counts what is open of a key and kind of access, over all connections, and refuses one more', async () => {
      const id = await createKey(1000);
      const other = await fixture.another();
      const free = { charged: false, free: { day: DAY, limit: 99 } };
      const asked = await Promise.all(
        Array.from({ length: 20 }, (_, n) => (n % 2 ? store : other).reserve(reservation(id, 1, { sessions: 3 }))),
      );
      expect(asked.filter(({ ok }) => ok)).toHaveLength(3);
      expect(asked.find(({ ok }) => !ok)).toEqual({ ok: false, reason: 'concurrency' });
      const held = reservation(id, 1, { ...free, sessions: 1 });
      expect((await store.reserve(held)).ok).toBe(true);
      expect(await other.reserve(reservation(id, 1, { ...free, sessions: 1 }))).toMatchObject({
        reason: 'concurrency',
      });
      await other.drop(held.id);
      expect((await store.reserve(reservation(id, 1, { ...free, sessions: 1 }))).ok).toBe(true);
      expect((await store.listKeys(DAY))[0]!.today.freeRequests).toBe(1);
      await other.close();
    });

    it('counts the Free requests of a day exactly, over all connections and for a key it has no row of', async () => {
      const other = await fixture.another();
      const free = { charged: false, free: { day: DAY, limit: 7 } };
      for (const id of [await createKey(0, 'free'), 'local']) {
        const asked = await Promise.all(
          Array.from({ length: 20 }, (_, n) => (n % 2 ? store : other).reserve(reservation(id, 1, free))),
        );
        expect(asked.filter(({ ok }) => ok)).toHaveLength(7);
      }
      await other.close();
    });

    it('returns what is held without a lease that runs, and leaves the rest', async () => {
      const id = await createKey(100);
      await store.renewLease('alive', 60_000);
      await store.renewLease('silent', 1);
      await store.renewLease('gone', 60_000);
      for (const holder of ['alive', 'silent', 'gone', 'unknown']) {
        await store.reserve(reservation(id, 1, { holder, requestId: holder }));
      }
      await store.endLease('gone');
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await store.recover(TIME, 'lapsed')).toBe(3);
      expect(await store.recover(TIME, 'lapsed')).toBe(0);
      expect(await balance(id)).toEqual({ credits: 100, reserved: 1 });
      expect((await ledger()).map(({ requestId }) => requestId).sort()).toEqual(['gone', 'silent', 'unknown']);
      await store.renewLease('alive', 1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await store.recover(TIME, 'lapsed')).toBe(1);
    });

    it('books after all what was returned too early, once and never beyond the balance', async () => {
      const id = await createKey(10);
      const [one, two, three] = [reservation(id, 4), reservation(id, 4), reservation(id, 2, { charged: false })];
      for (const held of [one, two, three]) await store.reserve(held);
      expect(await store.recover(TIME, 'all')).toBe(3);
      const late = { ...completed(4), audioMs: 7 };
      expect((await Promise.all([store.end(one.id, late), store.end(one.id, late)])).sort()).toEqual([false, true]);
      expect(await balance(id)).toEqual({ credits: 6, reserved: 0 });
      // Somebody else was let have what it had left.
      await store.reserve(reservation(id, 5));
      expect(await store.end(two.id, late)).toBe(true);
      expect(await store.end(three.id, { ...completed(2), credits: 0 })).toBe(true);
      expect(await balance(id)).toEqual({ credits: 5, reserved: 5 });
      expect((await ledger()).map(({ outcome, credits, audioMs }) => [outcome, credits, audioMs]).sort()).toEqual([
        ['completed', 0, 0],
        ['completed', 1, 7],
        ['completed', 4, 7],
      ]);
      expect(await store.check()).toEqual([]);
    });

    it('tells those of many keys that were revoked', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 130; n++) ids.push(await createKey());
      for (const id of [ids[3]!, ids[125]!]) await store.revokeKey(id, TIME);
      expect((await store.revokedAmong(['local', ...ids])).sort()).toEqual([ids[3]!, ids[125]!].sort());
      expect(await store.revokedAmong([])).toEqual([]);
    });

    it('sees at once what another connection did', async () => {
      const id = await createKey(1);
      const other = await fixture.another();
      await other.grant(id, 9, TIME);
      await other.revokeKey(id, TIME);
      expect(await store.findKey(id)).toMatchObject({ credits: 10, revoked: true });
      await other.close();
    });

    it('finds nothing wrong with balances that its own methods made', async () => {
      const id = await createKey(100);
      await store.grant(id, 7, TIME);
      const ends = [completed(4), { ...completed(2), outcome: 'cancelled' } as const, undefined];
      for (const end of ends) {
        const held = reservation(id, 4);
        await store.reserve(held);
        await (end ? store.end(held.id, end) : store.drop(held.id));
      }
      await store.reserve(reservation(id, 9));
      expect(await balance(id)).toEqual({ credits: 101, reserved: 9 });
      expect(await store.check()).toEqual([]);
    });

    it('backs up while it is being written to', async () => {
      const id = await createKey(1000);
      const writes = Array.from({ length: 50 }, () => store.reserve(reservation(id, 1)));
      await store.backup(fixture.backupFile);
      await Promise.all(writes);
      const copy = await fixture.openBackup(fixture.backupFile);
      expect((await copy.findKey(id))?.credits).toBe(1000);
      await copy.close();
    });
  });
}
