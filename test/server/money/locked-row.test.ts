/**
 * A key whose row is locked in the database, by a long transaction of somebody else: only that key
 * waits.
 */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../../../src/accounts/postgres/store.js';
import { hasPostgres, type Postgres, startPostgres } from '../../../testkit/postgres.js';
import { errorOf, startTestServer, type TestServer, until } from '../../../testkit/server.js';

const LEASE_MS = 2_000;
const INPUT = { model: 'base-tts', input: 'Well said.' };

if (!hasPostgres()) {
  it('leaves PostgreSQL out: postgresql is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  describe("a key's row that is locked", () => {
    let postgres: Postgres;
    let url: string;
    let server: TestServer;
    let locker: pg.Client;
    beforeAll(async () => {
      postgres = await startPostgres();
    });
    afterAll(() => postgres.close());
    beforeEach(async () => {
      url = await postgres.create();
      const store = await openPostgresStore(url, { patienceMs: 1_000 });
      server = await startTestServer({ store, leaseMs: LEASE_MS, limits: { partnerConcurrency: 100 } });
      locker = new pg.Client(url);
      await locker.connect();
    });
    afterEach(async () => {
      await locker.end();
      await server.close();
    });
    const lock = async (id: string) => {
      await locker.query('BEGIN');
      await locker.query('SELECT 1 FROM keys WHERE id = $1 FOR UPDATE', [id]);
    };

    it('holds up its own requests and nobody else, though many of them wait', async () => {
      const [locked, other] = [await server.key(), await server.key()];
      await lock(locked.id);
      // More than there are connections.
      const waiting = Array.from({ length: 40 }, () => server.speak(INPUT, { key: locked.key }));
      for (let i = 0; i < 10; i++) expect((await server.speak(INPUT, { key: other.key })).status).toBe(200);
      for (const answer of await Promise.all(waiting)) {
        expect(await errorOf(answer)).toMatchObject({ status: 503, code: 'store_unavailable' });
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      await locker.query('ROLLBACK');
      await until(async () => (await server.speak(INPUT, { key: locked.key })).status === 200);
    });

    it('leaves an end of its own unwritten, and others are admitted and settled meanwhile', async () => {
      const [locked, other] = [await server.key({ credits: 100 }), await server.key({ credits: 100 })];
      const admission = await server.accounts.admit({
        key: locked,
        requestId: 'r',
        model: 'base-tts',
        voice: 'v',
        chars: 10,
      });
      await lock(locked.id);
      await admission.settle({ audioMs: 1 });
      expect(await errorOf(await server.speak(INPUT, { key: locked.key }))).toMatchObject({
        code: 'store_unavailable',
      });
      for (let i = 0; i < 5; i++) await (await server.speak(INPUT, { key: other.key })).arrayBuffer();
      await until(async () => (await server.balance(other.id)).credits === 50);
      expect(await server.ledger(locked.id)).toEqual([]);
      await locker.query('ROLLBACK');
      await until(async () => (await server.balance(locked.id)).credits === 90);
      expect(await server.store.check()).toEqual([]);
    });

    it('does not cost the server its lease, nor keep it from returning what others left', async () => {
      const [locked, other] = [await server.key({ credits: 100 }), await server.key({ credits: 100 })];
      const own = await server.accounts.admit({
        key: other,
        requestId: 'own',
        model: 'base-tts',
        voice: 'v',
        chars: 7,
      });
      for (const [n, { id }] of [locked, other].entries()) {
        const left = {
          id: `left${n}`,
          keyId: id,
          requestId: 'left',
          model: 'm',
          voice: 'v',
          characters: 10,
          credits: 10,
        };
        await server.store.reserve({ ...left, charged: true, holder: 'a server that is gone' });
      }
      await lock(locked.id);
      await until(async () => (await server.balance(other.id)).reserved === 7);
      // Longer than a lease, with the row locked all the while.
      await new Promise((resolve) => setTimeout(resolve, LEASE_MS * 1.5));
      expect(own.held).toBe(true);
      expect((await server.balance(locked.id)).reserved).toBe(10);
      await locker.query('ROLLBACK');
      await until(async () => (await server.balance(locked.id)).reserved === 0);
      await own.settle({ audioMs: 1 });
      expect(await server.balance(other.id)).toEqual({ credits: 93, reserved: 0 });
    });
  });
}
