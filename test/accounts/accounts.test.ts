/** Who may do what, how often, and what it costs: every rule of accounts, on the real database. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAccounts, DEFAULT_LIMITS } from '../../src/accounts/accounts.js';
import { createKeyring, type Keyring } from '../../src/accounts/keyring.js';
import type { AccountStore, LedgerRow } from '../../src/accounts/store.js';
import type { Accounts, KeyRecord } from '../../src/accounts/types.js';
import type { SpeechModel } from '../../src/protocol/contract.js';
import { code, NOW, openAccounts, STILL } from '../support/accounts.js';
import type { ClockedDatabase } from '../support/processes/database-clock.js';

const AUDIO = { audioMs: 100 };
const UNHEARD = { audioMs: 100, deliveredChars: 0, byClient: true };

describe('accounts', () => {
  let store: AccountStore;
  let keys: Keyring;
  let accounts: Accounts;
  let database: ClockedDatabase;
  beforeEach(async () => {
    ({ database, store, keys, accounts } = await openAccounts());
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

  it("keep to a key's own limits where it was given some, from the next request on", async () => {
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
          time: NOW.toISOString(),
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
      const billing = await createAccounts({ store, limits: DEFAULT_LIMITS, billDelivered: true, clock: STILL });
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
