/** Who may do what, how often, and what it costs: every rule of accounts, on the real database. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAccounts, DEFAULT_LIMITS } from '../../src/accounts/accounts.js';
import { tell } from '../../src/accounts/database.js';
import { createStore } from '../../src/accounts/database-store.js';
import { createKeyring, type Keyring } from '../../src/accounts/keyring.js';
import { openSqliteDatabase } from '../../src/accounts/sqlite/database.js';
import type { AccountStore, LedgerRow } from '../../src/accounts/store.js';
import type { Accounts, KeyRecord } from '../../src/accounts/types.js';
import { systemClock } from '../../src/clock.js';
import type { SpeechModel } from '../../src/protocol/contract.js';
import { type ClockedDatabase, withClock } from '../support/processes/database-clock.js';

const code = (expected: string) => expect.objectContaining({ code: expected });
const AUDIO = { audioMs: 100 };
const UNHEARD = { audioMs: 100, deliveredChars: 0, byClient: true };

describe('accounts', () => {
  let store: AccountStore;
  let keys: Keyring;
  let accounts: Accounts;
  let database: ClockedDatabase;
  const clock = new Date('2026-03-01T23:59:30.000Z');
  const now = () => clock;
  /** Times in the ledger go on from the database's with this clock, which stands still as well. */
  const still = { ...systemClock, now: () => 1000 };
  beforeEach(async () => {
    database = await withClock(await openSqliteDatabase(':memory:'));
    await database.freezeAt(clock.toISOString());
    store = createStore(database);
    keys = createKeyring(store, now);
    accounts = await createAccounts({ store, limits: DEFAULT_LIMITS, localKey: 'local-secret', clock: still });
  });
  afterEach(() => accounts.close());
  afterEach(() => void vi.useRealTimers());

  const admit = (key: KeyRecord, chars = 10, model: SpeechModel = 'base-tts') =>
    accounts.admit({ key, requestId: 'req_1', model, voice: 'v', chars });
  const balance = async (id: string) => {
    const key = await store.findKey(id);
    return [key?.credits, key?.reserved];
  };
  const ledger = async () => {
    const rows: LedgerRow[] = [];
    for await (const row of store.usage({})) rows.push(row);
    return rows;
  };

  describe('keys', () => {
    it('have the decided shape, an id from their beginning, and are stored as a hash alone', async () => {
      for (let i = 0; i < 200; i++) {
        const { key, id } = await keys.create({ tier: 'free' });
        expect(key).toMatch(/^tts_[A-Za-z0-9][A-Za-z0-9_-]{42}$/);
        expect(id).toBe(key.slice(4, 12));
        expect(JSON.stringify(await store.findKey(id))).not.toContain(key.slice(12));
      }
    });

    it('open the door to whoever shows them', async () => {
      const { key, ...made } = await keys.create({ tier: 'partner', credits: 7, name: 'n' });
      expect(await accounts.authenticate(key)).toEqual(made);
    });

    it('are refused when missing, unknown, misshapen, altered, revoked or expired', async () => {
      const revoked = await keys.create({ tier: 'free' });
      await keys.revoke(revoked.id);
      const expired = await keys.create({ tier: 'free', expiresAt: new Date('2026-03-01T23:59:30.000Z') });
      const { key } = await keys.create({ tier: 'free' });
      const altered = key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A');
      const unknown = `tts_${'A'.repeat(43)}`;
      await expect(accounts.authenticate(undefined)).rejects.toEqual(code('missing_api_key'));
      await expect(accounts.authenticate('')).rejects.toEqual(code('missing_api_key'));
      for (const bad of [unknown, 'x', `${key} `, key.slice(4), altered, 'tts_', `tts_${'é'.repeat(43)}`]) {
        await expect(accounts.authenticate(bad)).rejects.toEqual(code('invalid_api_key'));
      }
      await expect(accounts.authenticate(revoked.key)).rejects.toEqual(code('revoked_api_key'));
      await expect(accounts.authenticate(expired.key)).rejects.toEqual(code('expired_api_key'));
    });

    it('have limits of their own where they were given some, from the next request on', async () => {
      const { key, id } = await keys.create({ tier: 'free', limits: { concurrency: 1, freeDaily: 2 } });
      const record = await accounts.authenticate(key);
      const first = await admit(record, 1, 'base-tts:free');
      expect(first.rateLimit).toMatchObject({ limit: 2, remaining: 1 });
      await expect(admit(record, 1, 'base-tts:free')).rejects.toEqual(code('concurrency_limit_exceeded'));
      await first.settle(AUDIO);
      await (await admit(record, 1, 'base-tts:free')).settle(AUDIO);
      await expect(admit(record, 1, 'base-tts:free')).rejects.toEqual(code('daily_limit_exceeded'));
      await keys.change(id, { freeDaily: null });
      await (await admit(await accounts.authenticate(key), 1, 'base-tts:free')).settle(AUDIO);
    });

    it("work until the moment they expire, by the database's clock and no server's", async () => {
      const { key, id } = await keys.create({ tier: 'free', expiresAt: new Date('2026-03-01T23:59:31.000Z') });
      expect(await accounts.authenticate(key)).toMatchObject({ tier: 'free', expired: false });
      for (const time of ['2026-02-27T00:00:00.000Z', '2026-03-04T00:00:00.000Z']) {
        vi.useFakeTimers({ toFake: ['Date'], now: new Date(time) });
        expect(await accounts.authenticate(key)).toMatchObject({ id });
        expect((await accounts.refusedAmong([{ id, rotations: 0 }])).size).toBe(0);
      }
      vi.useRealTimers();
      await database.freezeAt('2026-03-01T23:59:31.000Z');
      await expect(accounts.authenticate(key)).rejects.toEqual(code('expired_api_key'));
      expect((await keys.list())[0]).toMatchObject({ id, expired: true });
    });

    it('are asked for anew while they work: revoked, expired or gone since then', async () => {
      const [valid, revoked, expiring, deleted] = [
        await keys.create({ tier: 'partner', credits: 1 }),
        await keys.create({ tier: 'partner' }),
        await keys.create({ tier: 'partner', expiresAt: new Date('2026-03-01T23:59:31.000Z') }),
        await keys.create({ tier: 'partner' }),
      ];
      const local = await accounts.authenticate('local-secret');
      const all = [local, valid, revoked, expiring, deleted];
      expect((await accounts.refusedAmong(all)).size).toBe(0);
      await keys.grantCredits(valid.id, 4);
      await keys.revoke(revoked.id);
      await database.freezeAt('2026-03-01T23:59:31.000Z');
      await database.write({ durable: true }, () => tell('DELETE FROM keys WHERE id = ?', deleted.id));
      const refused = await accounts.refusedAmong(all);
      expect([...refused].map(([{ id }, error]) => [id, error.code])).toEqual([
        [revoked.id, 'revoked_api_key'],
        [expiring.id, 'expired_api_key'],
        [deleted.id, 'invalid_api_key'],
      ]);
      for (const key of [revoked, expiring, deleted]) {
        await expect(accounts.renew(key)).rejects.toEqual(code(refused.get(key)!.code));
      }
      expect(await accounts.renew(local)).toBe(local);
      expect(await accounts.renew(valid)).toMatchObject({ id: valid.id, credits: 5 });
    });

    it('get another secret: the one before ends at once or later, and what it began ends with it', async () => {
      const first = await keys.create({ tier: 'partner', credits: 9, name: 'kiosk' });
      const began = await accounts.authenticate(first.key);
      const second = await keys.rotate(first.id, 60_000);
      expect(second).toMatchObject({ id: first.id, name: 'kiosk', credits: 9 });
      expect(second.key.slice(0, 12)).toBe(first.key.slice(0, 12));
      expect(second.key).not.toBe(first.key);
      expect(await accounts.authenticate(first.key)).toMatchObject({ id: first.id, rotations: 0 });
      const newer = await accounts.authenticate(second.key);
      expect(newer).toMatchObject({ id: first.id, rotations: 1 });
      expect((await accounts.refusedAmong([began, newer])).size).toBe(0);
      await database.freezeAt('2026-03-03T00:00:00.000Z');
      await expect(accounts.authenticate(first.key)).rejects.toEqual(code('revoked_api_key'));
      expect([...(await accounts.refusedAmong([began, newer])).keys()]).toEqual([began]);
      const third = await keys.rotate(first.id, 0);
      await expect(accounts.authenticate(first.key)).rejects.toEqual(code('invalid_api_key'));
      await expect(accounts.authenticate(second.key)).rejects.toEqual(code('revoked_api_key'));
      expect([...(await accounts.refusedAmong([newer])).values()]).toEqual([code('revoked_api_key')]);
      expect(await accounts.authenticate(third.key)).toMatchObject({ id: first.id, rotations: 2 });
      await keys.revoke(first.id);
      await expect(keys.rotate(first.id, 0)).rejects.toEqual(code('key_revoked'));
      await expect(keys.rotate('AAAAAAAA', 0)).rejects.toEqual(code('key_not_found'));
    });

    it('expire when an operator says so by SQL, in the forms that SQL writes; a time that cannot be read has passed', async () => {
      const { key, id } = await keys.create({ tier: 'partner', expiresAt: new Date('2026-03-01T00:00:00.000Z') });
      const set = (time: string | null) =>
        database.write({ durable: true }, () => tell('UPDATE keys SET expires_at = ? WHERE id = ?', time, id));
      const later = [
        ...['2026-03-02', '2026-03-01T23:59:31Z', '2026-03-01 23:59:31', '2026-03-01 23:59:30.123456+00'],
        ...['2026-03-01 23:59:31+00:00', '2026-03-01T15:59:31-0800', '2026-03-02 01:29:31+01:30', null],
      ];
      for (const time of later) {
        await set(time);
        expect(await accounts.authenticate(key), String(time)).toMatchObject({ expired: false });
        expect((await accounts.refusedAmong([{ id, rotations: 0 }])).size, String(time)).toBe(0);
      }
      const passed = [
        ...['2026-03-01', '2026-03-01T23:59:30Z', '2026-03-01 23:59:29', '2026-03-01 23:59:29.9+00', '', 'tomorrow'],
        ...['2026-03-02 00:59:29+01', '2026-03-01T15:59:29-08:00', '2026-99-99'],
      ];
      for (const time of passed) {
        await set(time);
        await expect(accounts.authenticate(key), time).rejects.toEqual(code('expired_api_key'));
        const [refused] = await accounts.refusedAmong([{ id, rotations: 0 }]);
        expect(refused?.[1], time).toEqual(code('expired_api_key'));
      }
    });

    it('never show up in an error', async () => {
      const key = `tts_${'Q'.repeat(43)}`;
      await expect(accounts.authenticate(key)).rejects.toMatchObject({ message: expect.not.stringContaining('QQQQ') });
    });
  });

  describe('tiers', () => {
    it('keep a Free key away from Partner models', async () => {
      const key = await keys.create({ tier: 'free', credits: 1000 });
      await expect(admit(key)).rejects.toMatchObject({
        code: 'early_access_required',
        // True on every route: the stream has no Free model to be told of.
        message: expect.stringMatching(/a Free key .* base-tts:free over POST \/v1\/audio\/speech/),
      });
      await expect(admit(key, 10, 'base-tts-fast')).rejects.toEqual(code('early_access_required'));
      expect(accounts.active).toBe(0);
    });

    it('let a Partner key use Free access within its limits and for nothing', async () => {
      const key = await keys.create({ tier: 'partner' });
      const admission = await admit(key, 500, 'base-tts:free');
      expect(admission.rateLimit).toEqual({ limit: 200, remaining: 199, resetS: 30 });
      await admission.settle(AUDIO);
      expect((await ledger())[0]).toMatchObject({ characters: 500, credits: 0, outcome: 'completed' });
      const two = [await admit(key, 1, 'base-tts:free'), await admit(key, 1, 'base-tts:free')];
      await expect(admit(key, 1, 'base-tts:free')).rejects.toEqual(code('concurrency_limit_exceeded'));
      await Promise.all(two.map((one) => one.settle(AUDIO)));
    });
  });

  describe('the daily limit', () => {
    const use = async (key: KeyRecord, times: number, model: SpeechModel = 'base-tts:free') => {
      for (let i = 0; i < times; i++) await (await admit(key, 1, model)).settle(AUDIO);
    };

    it('is of each Free model by itself and ends at midnight UTC', async () => {
      const key = await keys.create({ tier: 'free' });
      await use(key, 200);
      await expect(admit(key, 1, 'base-tts:free')).rejects.toMatchObject({
        code: 'daily_limit_exceeded',
        message: expect.stringContaining('base-tts:free'),
        retryAfterS: 30,
      });
      expect((await admit(key, 1, 'base-tts-fast:free')).rateLimit).toEqual({ limit: 200, remaining: 199, resetS: 30 });
      expect((await keys.list())[0]!.today).toMatchObject({
        freeRequests: 201,
        freeRequestsByModel: { 'base-tts': 200, 'base-tts-fast': 1 },
      });
      await database.freezeAt('2026-03-02T00:00:00.000Z');
      expect((await admit(key, 1, 'base-tts:free')).rateLimit).toEqual({ limit: 200, remaining: 199, resetS: 86_400 });
    });

    it("follows the database's day, whatever a server's own clock says", async () => {
      const limits = { ...DEFAULT_LIMITS, freeDaily: 10 };
      const server = await createAccounts({ store, limits });
      const times = ['2026-02-28T12:00:00Z', '2026-03-01T12:00:00Z', '2026-03-02T12:00:00Z'];
      const key = await keys.create({ tier: 'free' });
      const asked = [];
      for (let n = 0; n < 30; n++) {
        const request = { key, requestId: 'r', model: 'base-tts:free', voice: 'v', chars: 1 } as const;
        vi.useFakeTimers({ toFake: ['Date'], now: new Date(times[n % 3]!) });
        try {
          const admission = await server.admit(request);
          await admission.settle(AUDIO);
          asked.push(admission.rateLimit);
        } catch (error) {
          expect(error).toMatchObject({ code: 'daily_limit_exceeded', retryAfterS: 30 });
        }
      }
      vi.useRealTimers();
      expect(asked).toEqual(Array.from({ length: 10 }, (_, n) => ({ limit: 10, remaining: 9 - n, resetS: 30 })));
      expect((await ledger()).every(({ time }) => time.startsWith('2026-03-01T23:59:3'))).toBe(true);
      expect((await createKeyring(store, () => new Date(0)).list())[0]!.today.freeRequests).toBe(10);
    });

    it('can be another for each model, of the server and of a key', async () => {
      const limits = { ...DEFAULT_LIMITS, freeDaily: { 'base-tts': 1, 'base-tts-fast': 3 } };
      const server = await createAccounts({ store, limits });
      const remaining = async (key: KeyRecord, model: SpeechModel) => {
        const admission = await server.admit({ key, requestId: 'r', model, voice: 'v', chars: 1 });
        await admission.settle(AUDIO);
        expect(admission.rateLimit?.limit).toBe(server.freeDaily(key, model));
        return admission.rateLimit?.remaining;
      };
      const usual = await keys.create({ tier: 'free' });
      expect(await remaining(usual, 'base-tts:free')).toBe(0);
      expect(await remaining(usual, 'base-tts-fast:free')).toBe(2);
      await expect(remaining(usual, 'base-tts:free')).rejects.toEqual(code('daily_limit_exceeded'));
      const own = await keys.create({ tier: 'free', limits: { freeDaily: { 'base-tts': 5 } } });
      expect(await remaining(own, 'base-tts:free')).toBe(4);
      expect(await remaining(own, 'base-tts-fast:free')).toBe(2);
      const both = await keys.create({ tier: 'free', limits: { freeDaily: 7 } });
      expect(await remaining(both, 'base-tts:free')).toBe(6);
      expect(await remaining(both, 'base-tts-fast:free')).toBe(6);
    });

    it('is of each key alone', async () => {
      const [one, other] = [await keys.create({ tier: 'free' }), await keys.create({ tier: 'free' })];
      await use(one, 3);
      expect((await admit(other, 1, 'base-tts:free')).rateLimit?.remaining).toBe(199);
    });

    it('counts a request that fails later, and not one that was turned away', async () => {
      const key = await keys.create({ tier: 'free' });
      await (await admit(key, 1, 'base-tts:free')).release('failed', UNHEARD);
      await (await admit(key, 1, 'base-tts:free')).reject();
      expect((await admit(key, 1, 'base-tts:free')).rateLimit?.remaining).toBe(198);
    });

    it('is named before the concurrency limit where both are reached', async () => {
      const key = await keys.create({ tier: 'free' });
      await use(key, 198);
      await admit(key, 1, 'base-tts:free');
      await admit(key, 1, 'base-tts:free');
      await expect(admit(key, 1, 'base-tts:free')).rejects.toEqual(code('daily_limit_exceeded'));
    });
  });

  describe('concurrency', () => {
    it('gives a Free key two sessions and a Partner key eight, free again at any end', async () => {
      for (const [tier, model, limit] of [
        ['free', 'base-tts:free', 2],
        ['partner', 'base-tts', 8],
      ] as const) {
        const key = await keys.create({ tier, credits: 1000 });
        const running = await Promise.all(Array.from({ length: limit }, () => admit(key, 1, model)));
        await expect(admit(key, 1, model)).rejects.toMatchObject({
          code: 'concurrency_limit_exceeded',
          retryAfterS: expect.any(Number),
        });
        const ends = ['settle', 'release', 'reject'] as const;
        for (const end of ends) {
          const one = running.pop() ?? (await admit(key, 1, model));
          await (end === 'release'
            ? one.release('cancelled', UNHEARD)
            : end === 'settle'
              ? one.settle(AUDIO)
              : one.reject());
          running.push(await admit(key, 1, model));
        }
        await Promise.all(running.map((one) => one.settle(AUDIO)));
      }
      expect(accounts.active).toBe(0);
    });

    it('is of each Free model by itself, and of all Partner models together', async () => {
      const key = await keys.create({ tier: 'partner', credits: 100, limits: { concurrency: 1 } });
      const models = ['base-tts:free', 'base-tts-fast:free', 'base-tts'] as const;
      for (const model of models) await admit(key, 1, model);
      for (const model of [...models, 'base-tts-fast'] as const) {
        await expect(admit(key, 1, model)).rejects.toEqual(code('concurrency_limit_exceeded'));
      }
      const own = await keys.create({
        tier: 'partner',
        credits: 100,
        limits: { concurrency: { 'base-tts': 0, 'base-tts-fast': 3 } },
      });
      await expect(admit(own, 1, 'base-tts:free')).rejects.toMatchObject({
        code: 'concurrency_limit_exceeded',
        message: expect.stringContaining('base-tts:free'),
      });
      for (let i = 0; i < 3; i++) await admit(own, 1, 'base-tts-fast:free');
      await expect(admit(own, 1, 'base-tts-fast:free')).rejects.toEqual(code('concurrency_limit_exceeded'));
      // By model for Free access alone: Partner access keeps the server's limit.
      for (let i = 0; i < 8; i++) await admit(own, 1, 'base-tts');
      await expect(admit(own, 1, 'base-tts')).rejects.toEqual(code('concurrency_limit_exceeded'));
    });

    it('frees the slot when the end is called, not when it is written', async () => {
      const key = await keys.create({ tier: 'free' });
      const [first] = [await admit(key, 1, 'base-tts:free'), await admit(key, 1, 'base-tts:free')];
      const settled = first!.settle(AUDIO);
      expect(accounts.active).toBe(1);
      await settled;
    });

    it('is named before missing credits', async () => {
      const key = await keys.create({ tier: 'partner', credits: 8 });
      for (let i = 0; i < 8; i++) await admit(key, 1);
      await expect(admit(key, 1)).rejects.toEqual(code('concurrency_limit_exceeded'));
    });

    it('leaves the slot free when the reservation is refused', async () => {
      const key = await keys.create({ tier: 'partner', credits: 1 });
      await expect(admit(key, 2)).rejects.toEqual(code('insufficient_credits'));
      expect(accounts.active).toBe(0);
    });
  });

  describe('credits', () => {
    it('are reserved at admission and debited at the end, one a character', async () => {
      const key = await keys.create({ tier: 'partner', credits: 25 });
      const admission = await admit(key, 10);
      expect(await balance(key.id)).toEqual([25, 10]);
      await admission.settle({ audioMs: 1500 });
      expect(await balance(key.id)).toEqual([15, 0]);
      expect(await ledger()).toEqual([
        {
          time: clock.toISOString(),
          requestId: 'req_1',
          keyId: key.id,
          model: 'base-tts',
          voice: 'v',
          characters: 10,
          credits: 10,
          audioMs: 1500,
          outcome: 'completed',
          deliveredCharacters: 10,
        },
      ]);
    });

    it('come back when the request fails or is cancelled', async () => {
      const key = await keys.create({ tier: 'partner', credits: 25 });
      await (await admit(key)).release('failed', { ...UNHEARD, audioMs: 0 });
      await (await admit(key)).release('cancelled', { audioMs: 40, deliveredChars: 4, byClient: true });
      expect(await balance(key.id)).toEqual([25, 0]);
      expect((await ledger()).map((row) => [row.outcome, row.credits, row.audioMs])).toEqual([
        ['failed', 0, 0],
        ['cancelled', 0, 40],
      ]);
      expect((await ledger()).map((row) => row.deliveredCharacters)).toEqual([0, 4]);
    });

    it('pay for what was delivered where that is billed, unless the server is to blame or access was Free', async () => {
      const billing = await createAccounts({ store, limits: DEFAULT_LIMITS, billDelivered: true, clock: still });
      const key = await keys.create({ tier: 'partner', credits: 100 });
      const end = async (how: 'failed' | 'cancelled', byClient: boolean, deliveredChars: number, free = false) => {
        const model = free ? 'base-tts:free' : 'base-tts';
        const one = await billing.admit({ key, requestId: 'r', model, voice: 'v', chars: 10 });
        await one.release(how, { audioMs: 1, deliveredChars, byClient });
      };
      await end('cancelled', true, 4);
      await end('failed', true, 3);
      await end('failed', false, 9);
      await end('cancelled', true, 8, true);
      await end('cancelled', true, 50);
      expect((await ledger()).map((row) => [row.deliveredCharacters, row.credits])).toEqual([
        [4, 4],
        [3, 3],
        [9, 0],
        [8, 0],
        [10, 10],
      ]);
      expect(await balance(key.id)).toEqual([83, 0]);
    });

    it('must cover what is asked for beside what others hold', async () => {
      const key = await keys.create({ tier: 'partner', credits: 25 });
      await admit(key, 20);
      await expect(admit(key, 6)).rejects.toEqual(code('insufficient_credits'));
      expect((await admit(key, 5)).chars).toBe(5);
    });

    it('are reserved as a session grows; a step too far takes nothing', async () => {
      const key = await keys.create({ tier: 'partner', credits: 10 });
      const admission = await admit(key, 0);
      await admission.extend(6);
      await admission.extend(4);
      await expect(admission.extend(1)).rejects.toEqual(code('insufficient_credits'));
      expect(admission.chars).toBe(10);
      expect(await balance(key.id)).toEqual([10, 10]);
      await admission.settle(AUDIO);
      expect(await balance(key.id)).toEqual([0, 0]);
      await expect(admit(key, 0)).rejects.toEqual(code('insufficient_credits'));
    });

    it('are debited once whatever is called afterwards', async () => {
      const key = await keys.create({ tier: 'partner', credits: 25 });
      const admission = await admit(key, 10);
      await Promise.all([admission.settle(AUDIO), admission.settle(AUDIO), admission.release('failed', UNHEARD)]);
      await admission.reject();
      await admission.extend(5);
      expect(await balance(key.id)).toEqual([15, 0]);
      expect(await ledger()).toHaveLength(1);
      expect(accounts.active).toBe(0);
    });

    it('return at the next start when the process died', async () => {
      const key = await keys.create({ tier: 'partner', credits: 25 });
      await admit(key, 10);
      await createAccounts({ store, limits: DEFAULT_LIMITS });
      expect(await balance(key.id)).toEqual([25, 0]);
      expect((await ledger())[0]).toMatchObject({ outcome: 'interrupted', credits: 0, characters: 10 });
    });
  });

  describe("the machine's own key", () => {
    it('speaks without balance and without slots, and is booked', async () => {
      const key = await accounts.authenticate('local-secret');
      const running = await Promise.all(Array.from({ length: 20 }, () => admit(key, 2048)));
      await running[0]!.extend(1_000_000);
      await Promise.all(running.map((one) => one.settle(AUDIO)));
      expect((await ledger()).map((row) => [row.keyId, row.credits])).toEqual(running.map(() => ['local', 0]));
    });

    it('is no door where none was set', async () => {
      const closed = await createAccounts({ store, limits: DEFAULT_LIMITS });
      await expect(closed.authenticate('local-secret')).rejects.toEqual(code('invalid_api_key'));
    });
  });
});
