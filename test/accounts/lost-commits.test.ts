/**
 * A connection that breaks at a commit, which was made or was not: every credit is spent once, and
 * nothing stays reserved.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAccounts, DEFAULT_LIMITS } from '../../src/accounts/accounts.js';
import { createKeyring } from '../../src/accounts/keyring.js';
import { openPostgresStore } from '../../src/accounts/postgres/store.js';
import type { AccountStore, LedgerRow } from '../../src/accounts/store.js';
import type { Accounts, KeyRecord } from '../../src/accounts/types.js';
import { hasPostgres, type Postgres, startPostgres } from '../../testkit/postgres.js';
import { startProxy, type TcpProxy } from '../../testkit/proxy.js';
import { until } from '../../testkit/server.js';

const LEASE_MS = 1_500;
/**
 * Commits that touch a reservation take this long: long enough to break the connection under one.
 */
const COMMIT_MS = 600;
const SLOW_COMMITS = `
  CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_sleep(${COMMIT_MS / 1000}); RETURN NULL; END $$;
  CREATE CONSTRAINT TRIGGER slow AFTER INSERT OR UPDATE OR DELETE ON reservations
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow()`;
const FAST_COMMITS = 'DROP TRIGGER slow ON reservations; DROP FUNCTION slow()';
/** The trigger sleeps inside a commit, and nothing else sleeps in the database. */
const IN_COMMIT = `FROM pg_stat_activity WHERE state = 'active' AND wait_event = 'PgSleep'`;

if (!hasPostgres()) {
  it('leaves PostgreSQL out: postgresql is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  describe('a commit whose answer is lost', () => {
    let postgres: Postgres;
    let url: string;
    let proxy: TcpProxy;
    let operator: pg.Client;
    let store: AccountStore;
    let accounts: Accounts;
    let key: KeyRecord;
    /** Has the tables, which take longer to make than to copy. */
    let prepared: string;
    beforeAll(async () => {
      postgres = await startPostgres();
      prepared = await postgres.create();
      await (await openPostgresStore(prepared)).close();
    });
    afterAll(() => postgres.close());
    beforeEach(async () => {
      url = await postgres.create(prepared);
      proxy = await startProxy({ port: Number(new URL(url).port) });
      store = await openPostgresStore(url);
      const shared = await openPostgresStore(url.replace(/:\d+\//, `:${proxy.port}/`), { patienceMs: 3_000 });
      accounts = await createAccounts({ store: shared, limits: DEFAULT_LIMITS, leaseMs: LEASE_MS });
      key = await createKeyring(store).create({ tier: 'partner', credits: 100 });
      operator = new pg.Client(url);
      await operator.connect();
    });
    afterEach(async () => {
      await accounts.close();
      await operator.end();
      await store.close();
      await proxy.close();
    });

    const admit = (chars: number) => accounts.admit({ key, requestId: 'r', model: 'base-tts', voice: 'v', chars });
    const rows = async () => {
      const found: LedgerRow[] = [];
      for await (const row of store.usage({})) found.push(row);
      return found.map(({ outcome, characters, credits }) => [outcome, characters, credits]);
    };
    const nothingReserved = () => until(async () => (await store.findKey(key.id))?.reserved === 0);
    /** The server's connections break while one of them commits. */
    const breakCommit = async (made: boolean, work: () => Promise<unknown>, behind?: () => Promise<unknown>) => {
      await operator.query(SLOW_COMMITS);
      const done = work().then(
        () => undefined,
        (error: unknown) => error,
      );
      await until(async () => (await operator.query(`SELECT 1 ${IN_COMMIT}`)).rowCount === 1);
      const followed = behind?.();
      // A server whose client is gone finishes what it is at; one that is told to go rolls back.
      if (made) proxy.reset();
      else await operator.query(`SELECT pg_terminate_backend(pid) ${IN_COMMIT}`);
      await until(async () => (await operator.query(`SELECT 1 ${IN_COMMIT}`)).rowCount === 0);
      await followed;
      await operator.query(FAST_COMMITS);
      return done;
    };
    /** As after a fail-over, or after another server returned it. */
    const lose = async () => {
      await operator.query('UPDATE keys SET reserved = 0');
      await operator.query('DELETE FROM reservations');
    };

    for (const made of [true, false]) {
      describe(made ? 'and that was made' : 'and that was not made', () => {
        it('leaves nothing of a request that was not admitted', async () => {
          expect(await breakCommit(made, () => admit(10))).toMatchObject({ code: 'store_unavailable' });
          await nothingReserved();
          await sleep(LEASE_MS);
          expect((await operator.query('SELECT 1 FROM reservations')).rowCount).toBe(0);
          expect([await rows(), await store.check()]).toEqual([[], []]);
        });

        it('ends a session at more text, which costs what was delivered at most', async () => {
          const session = await admit(10);
          expect(await breakCommit(made, () => session.extend(5))).toMatchObject({ code: 'store_unavailable' });
          await session.release('failed', { audioMs: 1, deliveredChars: 10, byClient: false });
          await nothingReserved();
          expect([await rows(), await store.check()]).toEqual([[['failed', 10, 0]], []]);
        });

        it('debits a completed request once', async () => {
          const session = await admit(10);
          expect(await breakCommit(made, () => session.settle({ audioMs: 1 }))).toBeUndefined();
          await until(async () => (await rows()).length > 0);
          await nothingReserved();
          expect([await rows(), await store.check()]).toEqual([[['completed', 10, 10]], []]);
          expect(await store.findKey(key.id)).toMatchObject({ credits: 90, reserved: 0 });
        });

        it('leaves nothing of a reservation that was being made anew', async () => {
          const session = await admit(10);
          await lose();
          expect(await breakCommit(made, () => session.extend(5))).toMatchObject({ code: 'store_unavailable' });
          await session.release('failed', { audioMs: 1, deliveredChars: 10, byClient: false });
          await nothingReserved();
          expect((await operator.query('SELECT 1 FROM reservations')).rowCount).toBe(0);
          expect([await rows(), await store.check()]).toEqual([[['failed', 10, 0]], []]);
        });
      });
    }

    it('is waited for by the end of its request, which then finds the reservation', async () => {
      const session = await admit(10);
      await lose();
      await operator.query(SLOW_COMMITS);
      const more = session.extend(5).catch((error: unknown) => error);
      await until(async () => (await operator.query(`SELECT 1 ${IN_COMMIT}`)).rowCount === 1);
      proxy.reset();
      expect(await more).toMatchObject({ code: 'store_unavailable' });
      // While the commit is under way.
      await session.release('failed', { audioMs: 1, deliveredChars: 10, byClient: false });
      await nothingReserved();
      expect((await operator.query('SELECT 1 FROM reservations')).rowCount).toBe(0);
      expect([await rows(), await store.check()]).toEqual([[['failed', 10, 0]], []]);
    });

    it('of a key whose row is locked keeps nobody from what other keys have reserved on servers that are gone', async () => {
      const other = await createKeyring(store).create({ tier: 'partner', credits: 100 });
      const left = { id: 'left', keyId: other.id, requestId: 'left', model: 'm', voice: 'v' };
      const locker = new pg.Client(url);
      await locker.connect();
      await locker.query('BEGIN');
      await breakCommit(
        true,
        () => admit(10),
        // It waits for the commit, and has the lock before the reservation can be dropped.
        () => locker.query('SELECT 1 FROM keys WHERE id = $1 FOR UPDATE', [key.id]),
      );
      await store.reserve({ ...left, characters: 10, credits: 10, charged: true, holder: 'a server that is gone' });
      await until(async () => (await store.findKey(other.id))?.reserved === 0);
      expect(await store.findKey(key.id)).toMatchObject({ reserved: 10 });
      await locker.end();
      await nothingReserved();
    });

    it('of a lease counts: a sweep that waited for the row leaves what belongs to a running lease', async () => {
      const left = { id: 'left', keyId: key.id, requestId: 'left', model: 'm', voice: 'v' };
      await store.renewLease('back', 1);
      await store.reserve({ ...left, characters: 10, credits: 10, charged: true, holder: 'back' });
      await sleep(20);
      await operator.query('BEGIN');
      await operator.query("SELECT 1 FROM reservations WHERE id = 'left' FOR UPDATE");
      const swept = store.recover('lapsed');
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
      await until(async () => (await operator.query(waiting)).rowCount! > 0);
      await store.renewLease('back', 60_000);
      await operator.query('COMMIT');
      expect(await swept).toBe(0);
      expect(await store.holds(left)).toBe(true);
      await store.drop(left);
    });
  });
}
