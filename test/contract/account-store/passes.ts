/** Tickets, sign-ins and failed attempts, as every account store must keep them. */
import { beforeEach, describe, expect, it } from 'vitest';
import { tell } from '../../../src/accounts/database.js';
import type { AccountStore } from '../../../src/accounts/store.js';
import { AT_ONCE, type StoreFixture, type StoreTools, TIME } from './tools.js';

export function passesContract(tools: StoreTools): void {
  let store: AccountStore;
  let fixture: StoreFixture;
  beforeEach(() => {
    ({ store, fixture } = tools);
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
}
