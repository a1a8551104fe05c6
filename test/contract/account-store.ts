/** What every account store must do, whatever database is behind it. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { drawKey } from '../../src/accounts/api-key.js';
import { tell } from '../../src/accounts/database.js';
import type { AccountStore, LedgerRow, NewReservation } from '../../src/accounts/store.js';
import type { Tier } from '../../src/accounts/types.js';
import type { ClockedDatabase } from '../support/database-clock.js';
import { requestLogContract } from './request-log.js';

export interface StoreFixture {
  /** Under the store. */
  readonly database: ClockedDatabase;
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
const FREE = { model: 'base-tts:free', charged: false } as const;
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
      await fixture.database.startAt(TIME);
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
      ({
        outcome: 'completed',
        time,
        audioMs: 0,
        characters: chars,
        deliveredCharacters: chars,
        credits: chars,
      }) as const;
    const balance = async (id: string) => {
      const key = await store.findKey(id);
      return { credits: key?.credits, reserved: key?.reserved };
    };
    const ledger = async (filter = {}): Promise<LedgerRow[]> => {
      const rows: LedgerRow[] = [];
      for await (const row of store.usage(filter)) rows.push(row);
      return rows;
    };

    requestLogContract(() => store);

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
      expect(await store.findKey(id)).toEqual({
        ...made,
        hash: Buffer.from(hash),
        reserved: 0,
        revoked: false,
        expired: true,
      });
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

    describe('what is shown in place of a key', () => {
      const hashOf = (n: number) => Buffer.alloc(32, n);
      const SESSION = Buffer.from('a session');
      const rows = async (table: string) =>
        (await fixture.database.read<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))[0]!.n;

      it('a ticket is taken once, however many ask at however many servers, and not after its time', async () => {
        const [one, two] = [store.passes, (await fixture.another()).passes];
        const ends = await one.addTicket({ hash: hashOf(1), keyId: 'k', session: SESSION, ttlMs: 30_000 });
        expect(Math.abs(ends - Date.parse(TIME) - 30_000)).toBeLessThan(30_000);
        const asked = Array.from({ length: AT_ONCE }, (_, n) => (n % 2 === 0 ? one : two).takeTicket(hashOf(1)));
        const taken = (await Promise.all(asked)).filter((ticket) => ticket !== undefined);
        expect(taken).toHaveLength(1);
        expect(taken[0]!.keyId).toBe('k');
        expect(Buffer.from(taken[0]!.session)).toEqual(SESSION);
        await one.addTicket({ hash: hashOf(2), keyId: 'k', session: SESSION, ttlMs: 30_000 });
        await fixture.database.startAt('2026-03-01T11:00:00.000Z');
        expect(await two.takeTicket(hashOf(2))).toBeUndefined();
        expect(await two.takeTicket(hashOf(3))).toBeUndefined();
      });

      it('a key has a thousand tickets that wait, of which the oldest make room', async () => {
        const { passes } = store;
        await fixture.database.write({ durable: false }, function* () {
          for (let n = 0; n < 1_002; n++) {
            const hash = Buffer.alloc(32, String(n).padStart(4, '0'));
            const ends = Date.parse(TIME) + 60_000 + n;
            const insert = 'INSERT INTO tickets (hash, key_id, session, expires_ms) VALUES (?, ?, ?, ?)';
            yield* tell(insert, hash, n < 1_001 ? 'k' : 'other', SESSION, ends);
          }
        });
        await passes.addTicket({ hash: hashOf(9), keyId: 'k', session: SESSION, ttlMs: 120_000 });
        expect(await rows("tickets WHERE key_id = 'k'")).toBe(1_000);
        expect(await passes.takeTicket(Buffer.alloc(32, '0001'))).toBeUndefined();
        for (const n of ['0002', '1001']) expect(await passes.takeTicket(Buffer.alloc(32, n))).toBeDefined();
        expect(await passes.takeTicket(hashOf(9))).toBeDefined();
      });

      it('a sign-in is seen by every server until it ends or is removed, and a hundred on one standing', async () => {
        const [one, two] = [store.passes, (await fixture.another()).passes];
        for (let n = 0; n < 101; n++) {
          await one.addSignIn({ hash: hashOf(n), role: 'key', standing: 'k', ttlMs: 60_000 + n });
        }
        await one.addSignIn({ hash: hashOf(200), role: 'admin', standing: 'ab12', ttlMs: 60_000 });
        expect(await two.findSignIn(hashOf(0))).toBeUndefined();
        expect(await two.findSignIn(hashOf(1))).toEqual({ role: 'key', standing: 'k' });
        expect(await two.findSignIn(hashOf(200))).toEqual({ role: 'admin', standing: 'ab12' });
        await two.removeSignIn(hashOf(200));
        expect(await one.findSignIn(hashOf(200))).toBeUndefined();
        await fixture.database.startAt('2026-03-01T11:00:00.000Z');
        expect(await one.findSignIn(hashOf(100))).toBeUndefined();
      });

      it('failures are counted by kind and address within a minute of the first, at all servers together', async () => {
        const [one, two] = [store.passes, (await fixture.another()).passes];
        const counted = await Promise.all(
          Array.from({ length: AT_ONCE }, (_, n) => (n % 2 === 0 ? one : two).countFailure('key', '192.0.2.1', 60_000)),
        );
        expect(counted.map(({ failures }) => failures).sort((a, b) => a - b)).toEqual(
          Array.from({ length: AT_ONCE }, (_, n) => n + 1),
        );
        expect(await two.failures('key', '192.0.2.1')).toMatchObject({ failures: AT_ONCE });
        expect(await two.failures('secret', '192.0.2.1')).toBeUndefined();
        expect((await one.countFailure('key', '192.0.2.2', 60_000)).failures).toBe(1);
        await fixture.database.startAt('2026-03-01T10:02:00.000Z');
        expect(await one.failures('key', '192.0.2.1')).toBeUndefined();
        const again = await two.countFailure('key', '192.0.2.1', 60_000);
        expect(again.failures).toBe(1);
        expect(again.leftMs).toBeGreaterThan(0);
        expect(again.leftMs).toBeLessThanOrEqual(60_000);
      });

      it('what has ended is deleted by one server of all, with the Free counts of days before', async () => {
        const [one, two] = [store.passes, (await fixture.another()).passes];
        await one.addTicket({ hash: hashOf(1), keyId: 'k', session: SESSION, ttlMs: 1_000 });
        await one.addTicket({ hash: hashOf(2), keyId: 'k', session: SESSION, ttlMs: 86_400_000 });
        await one.addSignIn({ hash: hashOf(3), role: 'key', standing: 'k', ttlMs: 1_000 });
        await one.countFailure('key', '192.0.2.1', 1_000);
        await fixture.database.write({ durable: false }, function* () {
          const insert = "INSERT INTO free_requests (key_id, day, model, requests) VALUES ('k', ?, 'base-tts:free', 3)";
          for (const day of ['2026-02-28', '2026-03-01', '2026-03-02']) yield* tell(insert, day);
        });
        await fixture.database.startAt('2026-03-01T10:10:00.000Z');
        expect(await one.purge(60_000)).toBe(true);
        expect(await two.purge(60_000)).toBe(false);
        expect([await rows('tickets'), await rows('sign_ins'), await rows('failed_attempts')]).toEqual([1, 0, 0]);
        expect(await fixture.database.read('SELECT day FROM free_requests ORDER BY day')).toEqual([
          { day: '2026-03-01' },
          { day: '2026-03-02' },
        ]);
        await fixture.database.startAt('2026-03-01T10:12:00.000Z');
        expect(await two.purge(60_000)).toBe(true);
      });
    });

    it('sums the ledger by day, key and model', async () => {
      const [one, two] = [await createKey(100), await createKey(100)];
      const say = async (keyId: string, chars: number, time: string, model = 'base-tts', done = true) => {
        const held = reservation(keyId, chars, { model });
        await store.reserve(held);
        const unfinished = {
          ...completed(chars, time),
          outcome: 'cancelled',
          audioMs: 10,
          deliveredCharacters: 1,
          credits: 0,
        } as const;
        await store.end(held, done ? { ...completed(chars, time), audioMs: 100 } : unfinished);
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

    it("lists keys in order of creation with the counts of the database's day", async () => {
      const ids = [await createKey(100), await createKey(0, 'free'), await createKey(5)];
      const spoken = reservation(ids[0]!, 7);
      await store.reserve(spoken);
      await store.end(spoken, completed(7));
      await store.reserve(reservation(ids[1]!, 3, { ...FREE, free: { limit: 9 } }));
      const list = await store.listKeys();
      expect(list.map((key) => key.id)).toEqual(ids);
      const none = { 'base-tts': 0, 'base-tts-fast': 0 };
      expect(list[0]!.today).toEqual({
        freeRequests: 0,
        freeRequestsByModel: none,
        requests: 1,
        characters: 7,
        credits: 7,
      });
      expect(list[1]!.today).toEqual({
        freeRequests: 1,
        freeRequestsByModel: { ...none, 'base-tts': 1 },
        requests: 0,
        characters: 0,
        credits: 0,
      });
      await fixture.database.freezeAt('2026-03-02T00:00:00.000Z');
      const next = await store.listKeys();
      expect(next.map(({ today }) => [today.requests, today.freeRequests])).toEqual(next.map(() => [0, 0]));
    });

    it('revokes a key, and says when there is none', async () => {
      const id = await createKey();
      expect(await store.revokeKey(id, TIME)).toBe(true);
      expect((await store.findKey(id))?.revoked).toBe(true);
      expect(await store.revokeKey('AAAAAAAA', TIME)).toBe(false);
    });

    it('adds granted credits to the balance, and says when there is no such key', async () => {
      const id = await createKey(5);
      expect(await store.grantCredits(id, 37, TIME)).toBe(true);
      expect(await balance(id)).toEqual({ credits: 42, reserved: 0 });
      expect(await store.grantCredits('AAAAAAAA', 1, TIME)).toBe(false);
    });

    it('holds a reservation without touching the balance', async () => {
      const id = await createKey(10);
      expect(await store.reserve(reservation(id, 4))).toMatchObject({ ok: true, freeRequests: 0 });
      expect(await balance(id)).toEqual({ credits: 10, reserved: 4 });
    });

    it('refuses a reservation beyond the free balance, and takes nothing', async () => {
      const id = await createKey(10);
      await store.reserve(reservation(id, 8));
      const refused = { ok: false, reason: 'insufficient_credits', balance: 2 };
      expect(await store.reserve(reservation(id, 3))).toEqual(refused);
      expect(await balance(id)).toEqual({ credits: 10, reserved: 8 });
    });

    it('refuses a key that was revoked since it was read, and still makes its lost reservations anew', async () => {
      const id = await createKey(10);
      const held = reservation(id, 4);
      await store.reserve(held);
      await (await fixture.another()).revokeKey(id, TIME);
      expect(await store.reserve(reservation(id, 1))).toEqual({ ok: false, reason: 'revoked' });
      expect(await store.reserve(reservation(id, 1, { ...FREE, free: { limit: 9 } }))).toMatchObject({ ok: false });
      await store.recover('all');
      expect(await store.reserve({ ...held, again: true })).toMatchObject({ ok: true });
      expect(await balance(id)).toEqual({ credits: 10, reserved: 4 });
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
      expect(await store.extend(held, 6, 6)).toEqual({ ok: true });
      expect(await store.extend(held, 5, 5)).toEqual({ ok: false, reason: 'insufficient_credits', balance: 4 });
      expect(await balance(id)).toEqual({ credits: 10, reserved: 6 });
      await store.end(held, completed(6));
      expect((await ledger())[0]).toMatchObject({ characters: 6, credits: 6 });
    });

    it('debits once at the end, however often it is ended', async () => {
      const id = await createKey(10);
      const held = reservation(id, 4);
      await store.reserve(held);
      const end = { ...completed(4), audioMs: 1234.4 };
      const ends = await Promise.all([store.end(held, end), store.end(held, end), store.end(held, end)]);
      expect(ends.sort()).toEqual(['ended', 'repeated', 'repeated']);
      expect([await store.drop(held), await store.end(held, end)]).toEqual([false, 'repeated']);
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
        await store.end(held, { ...completed(4), outcome, audioMs: 5, deliveredCharacters: 3, credits: 0 });
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
          characters: asked + 4,
          deliveredCharacters: asked,
          credits: asked,
        } as const;
        expect(await store.end(held, end)).toBe('ended');
      }
      const free = reservation(id, 4, { charged: false });
      await store.reserve(free);
      await store.end(free, completed(4));
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
      await store.end(held, { ...completed(5), characters: 5 });
      expect(await balance(id)).toEqual({ credits: 5, reserved: 0 });
      expect(await ledger()).toMatchObject([{ characters: 5, deliveredCharacters: 5, credits: 5 }]);
    });

    it('drops a reservation without a trace, the day count included', async () => {
      const id = await createKey(10, 'free');
      const held = reservation(id, 4, { ...FREE, free: { limit: 2 } });
      expect(await store.reserve(held)).toMatchObject({ ok: true, freeRequests: 1 });
      expect(await store.drop(held)).toBe(true);
      expect((await store.listKeys())[0]!.today.freeRequests).toBe(0);
      expect(await ledger()).toEqual([]);
    });

    it("counts Free requests a key, model and day of the database up to the limit, and tells the database's time", async () => {
      const id = await createKey(0, 'free');
      const ask = (model = 'base-tts:free') =>
        store.reserve(reservation(id, 1, { ...FREE, model, free: { limit: 2 } }));
      const late = '2026-03-01T23:59:59.000Z';
      await fixture.database.freezeAt(late);
      const nowMs = Date.parse(late);
      expect([await ask(), await ask(), await ask()]).toEqual([
        { ok: true, freeRequests: 1, nowMs },
        { ok: true, freeRequests: 2, nowMs },
        { ok: false, reason: 'daily_limit', nowMs },
      ]);
      expect(await ask('base-tts-fast:free')).toMatchObject({ ok: true, freeRequests: 1 });
      expect((await store.listKeys())[0]!.today).toMatchObject({
        freeRequests: 3,
        freeRequestsByModel: { 'base-tts': 2, 'base-tts-fast': 1 },
      });
      await fixture.database.freezeAt('2026-03-02T00:00:00.000Z');
      const next = { ok: true, freeRequests: 1, nowMs: nowMs + 1_000 };
      expect(await ask()).toEqual(next);
      // Dropped on the day after, it is given back to its own day.
      const held = reservation(id, 1, { ...FREE, free: { limit: 9 } });
      await store.reserve(held);
      await fixture.database.freezeAt('2026-03-03T00:00:00.000Z');
      await store.drop(held);
      expect((await store.listKeys())[0]!.today.freeRequests).toBe(0);
      await fixture.database.freezeAt('2026-03-02T12:00:00.000Z');
      expect((await store.listKeys())[0]!.today.freeRequests).toBe(1);
    });

    it('counts what a version without models had counted for every model, and shows it once', async () => {
      const id = await createKey(0, 'free');
      await fixture.database.write({ durable: true }, () =>
        tell("INSERT INTO free_requests (key_id, day, model, requests) VALUES (?, ?, '', 3)", id, DAY),
      );
      const ask = (model: string) => store.reserve(reservation(id, 1, { ...FREE, model, free: { limit: 5 } }));
      for (const model of ['base-tts:free', 'base-tts-fast:free']) {
        expect(await ask(model)).toMatchObject({ ok: true, freeRequests: 4 });
        expect(await ask(model)).toMatchObject({ ok: true, freeRequests: 5 });
        expect(await ask(model)).toMatchObject({ reason: 'daily_limit' });
      }
      expect((await store.listKeys())[0]!.today).toMatchObject({
        freeRequests: 7,
        freeRequestsByModel: { 'base-tts': 5, 'base-tts-fast': 5 },
      });
    });

    it('keeps limits of a key by model', async () => {
      const { id, hash } = drawKey();
      const limits = { concurrency: { 'base-tts-fast': 4 }, freeDaily: { 'base-tts': 0, 'base-tts-fast': 9 } } as const;
      const made = { id, hash, tier: 'free', name: null, credits: 0, createdAt: TIME, expiresAt: null } as const;
      await store.createKey({ ...made, limits });
      const limitsOf = async () => (await store.findKey(id))?.limits;
      expect(await limitsOf()).toEqual(limits);
      expect((await store.listKeys())[0]?.limits).toEqual(limits);
      expect((await store.findKeys([id]))[0]?.limits).toEqual(limits);
      await store.changeKey(id, { name: 'n', freeDaily: 7 });
      expect(await limitsOf()).toEqual({ concurrency: { 'base-tts-fast': 4 }, freeDaily: 7 });
      await store.changeKey(id, { concurrency: null, freeDaily: { 'base-tts': 1 } });
      expect(await limitsOf()).toEqual({ concurrency: null, freeDaily: { 'base-tts': 1 } });
      // By hand both may be there: the model's own limit goes before the key's.
      await fixture.database.write({ durable: true }, () => tell('UPDATE keys SET free_daily = 50 WHERE id = ?', id));
      expect((await limitsOf())?.freeDaily).toEqual({ 'base-tts': 1, 'base-tts-fast': 50 });
      await store.changeKey(id, { freeDaily: null });
      expect(await limitsOf()).toEqual(NO_LIMITS);
    });

    it('returns what a dead process held, once', async () => {
      const id = await createKey(10);
      await store.reserve(reservation(id, 4));
      await store.reserve(reservation(id, 3));
      expect(await store.recover('all')).toBe(2);
      expect(await store.recover('all')).toBe(0);
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
        await Promise.all(some.map(({ held, n }) => store.end(held, completed(1, time(n)))));
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
          if (result.ok) await via.end(held, completed(7));
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
      const free = { ...FREE, free: { limit: 99 } };
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
      await other.drop(held);
      expect((await store.reserve(reservation(id, 1, { ...free, sessions: 1 }))).ok).toBe(true);
      expect((await store.listKeys())[0]!.today.freeRequests).toBe(1);
      const fast = { ...free, model: 'base-tts-fast:free', sessions: 1 };
      expect((await other.reserve(reservation(id, 1, fast))).ok).toBe(true);
      expect(await store.reserve(reservation(id, 1, fast))).toMatchObject({ reason: 'concurrency' });
      await other.close();
    });

    it('counts the Free requests of a day exactly, over all connections and for a key it has no row of', async () => {
      const other = await fixture.another();
      const free = { ...FREE, free: { limit: 7 } };
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
      expect(await store.recover('lapsed')).toBe(3);
      expect(await store.recover('lapsed')).toBe(0);
      expect(await balance(id)).toEqual({ credits: 100, reserved: 1 });
      expect((await ledger()).map(({ requestId }) => requestId).sort()).toEqual(['gone', 'silent', 'unknown']);
      await store.renewLease('alive', 1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await store.recover('lapsed')).toBe(1);
    });

    it('returns nothing of a server that renewed its lease meanwhile, though it was seen without one', async () => {
      const id = await createKey(100);
      await store.renewLease('back', 1);
      const held = reservation(id, 5, { holder: 'back' });
      await store.reserve(held);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await store.holds(held)).toBe(true);
      const [, returned] = await Promise.all([store.renewLease('back', 60_000), store.recover('lapsed')]);
      expect(await store.holds(held)).toBe(returned === 0);
      expect(await balance(id)).toEqual({ credits: 100, reserved: returned === 0 ? 5 : 0 });
    });

    it('says of a reservation that was returned or deleted that it is lost, and changes nothing', async () => {
      const id = await createKey(10);
      const held = reservation(id, 4);
      await store.reserve(held);
      await store.recover('all');
      expect(await store.holds(held)).toBe(false);
      expect(await store.extend(held, 2, 2)).toEqual({ ok: false, reason: 'lost' });
      expect(await balance(id)).toEqual({ credits: 10, reserved: 0 });
    });

    it('makes a lost reservation anew under the limits of the moment, with one ledger row in the end', async () => {
      const id = await createKey(10);
      const held = reservation(id, 4, { sessions: 1 });
      await store.reserve(held);
      await store.recover('all');
      const other = reservation(id, 7, { sessions: 1 });
      await store.reserve(other);
      const again = { ...held, characters: 6, credits: 6, again: true };
      expect(await store.reserve(again)).toEqual({ ok: false, reason: 'concurrency' });
      expect(await store.reserve({ ...again, sessions: 2 })).toMatchObject({ reason: 'insufficient_credits' });
      await store.drop(other);
      expect(await store.reserve(again)).toMatchObject({ ok: true });
      expect(await balance(id)).toEqual({ credits: 10, reserved: 6 });
      expect(await store.end(held, completed(6))).toBe('ended');
      expect(await ledger()).toMatchObject([{ characters: 6, credits: 6, outcome: 'completed' }]);
      expect(await balance(id)).toEqual({ credits: 4, reserved: 0 });
      expect(await store.check()).toEqual([]);
    });

    it('counts a lost Free request that is made anew once for its day, and above the limit of the day', async () => {
      const id = await createKey(0, 'free');
      const held = reservation(id, 1, { ...FREE, free: { limit: 1 } });
      await store.reserve(held);
      await store.recover('all');
      expect(await store.reserve({ ...held, again: true })).toMatchObject({ ok: true });
      expect((await store.listKeys())[0]!.today.freeRequests).toBe(1);
    });

    it('leaves a ledger row for an end whose reservation is nowhere, and debits what the balance has', async () => {
      const id = await createKey(10);
      const [full, short] = [reservation(id, 6), reservation(id, 6)];
      expect(await store.end(full, { ...completed(6), audioMs: 7 })).toBe('unknown');
      expect(await store.end(full, completed(6))).toBe('repeated');
      expect(await store.end(short, completed(6))).toBe('unknown');
      expect((await ledger()).map(({ keyId, characters, credits }) => [keyId, characters, credits])).toEqual([
        [id, 6, 6],
        [id, 6, 4],
      ]);
      expect(await balance(id)).toEqual({ credits: 0, reserved: 0 });
      expect(await store.check()).toEqual([]);
    });

    it('books after all what was returned too early, once and never beyond the balance', async () => {
      const id = await createKey(10);
      const [one, two, three] = [reservation(id, 4), reservation(id, 4), reservation(id, 2, { charged: false })];
      for (const held of [one, two, three]) await store.reserve(held);
      expect(await store.recover('all')).toBe(3);
      const late = { ...completed(4), audioMs: 7 };
      expect((await Promise.all([store.end(one, late), store.end(one, late)])).sort()).toEqual(['late', 'repeated']);
      expect(await balance(id)).toEqual({ credits: 6, reserved: 0 });
      // Somebody else was let have what it had left.
      await store.reserve(reservation(id, 5));
      expect(await store.end(two, late)).toBe('late');
      expect(await store.end(three, { ...completed(2), credits: 0 })).toBe('late');
      expect(await balance(id)).toEqual({ credits: 5, reserved: 5 });
      expect((await ledger()).map(({ outcome, credits, audioMs }) => [outcome, credits, audioMs]).sort()).toEqual([
        ['completed', 0, 0],
        ['completed', 1, 7],
        ['completed', 4, 7],
      ]);
      expect(await store.check()).toEqual([]);
    });

    it('finds those of many keys that there are, as they are now', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 130; n++) ids.push(await createKey());
      for (const id of [ids[3]!, ids[125]!]) await store.revokeKey(id, TIME);
      const found = await store.findKeys(['local', ...ids]);
      expect(found.map(({ id }) => id).sort()).toEqual([...ids].sort());
      expect(found.filter(({ revoked }) => revoked).map(({ id }) => id)).toEqual([ids[3], ids[125]]);
      expect(found.filter((key) => 'hash' in key)).toEqual([]);
      expect(await store.findKeys([])).toEqual([]);
    });

    it('sees at once what another connection did', async () => {
      const id = await createKey(1);
      const other = await fixture.another();
      await other.grantCredits(id, 9, TIME);
      await other.revokeKey(id, TIME);
      expect(await store.findKey(id)).toMatchObject({ credits: 10, revoked: true });
      await other.close();
    });

    it('finds nothing wrong with balances that its own methods made', async () => {
      const id = await createKey(100);
      await store.grantCredits(id, 7, TIME);
      const ends = [completed(4), { ...completed(2), outcome: 'cancelled' } as const, undefined];
      for (const end of ends) {
        const held = reservation(id, 4);
        await store.reserve(held);
        await (end ? store.end(held, end) : store.drop(held));
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
