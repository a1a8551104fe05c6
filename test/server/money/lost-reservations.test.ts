/**
 * A reservation that is lost while its session speaks: nothing more leaves unpaid, and the ledger
 * tells what did.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Libsql from 'libsql';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../../../src/accounts/postgres/store.js';
import { openSqliteStore } from '../../../src/accounts/sqlite/store.js';
import { hasPostgres, type Postgres, startPostgres } from '../../../testkit/postgres.js';
import { startProxy, type TcpProxy } from '../../../testkit/proxy.js';
import { type TestServer, type TestServerOptions, until } from '../../../testkit/server.js';
import { StreamClient, startStreamServer } from '../../stream-input/client.js';

const LEASE_MS = 1_500;
const SENTENCE = 'A sentence of the writer. ';

/** Says it and hears all of it. */
async function sayAndHear(client: StreamClient, text: string): Promise<void> {
  const before = client.audioBytes;
  client.send({ text, flush: true });
  await client.untilAudio(before + 1);
}

const lostCount = async (server: TestServer, result: string): Promise<number> => {
  const found = new RegExp(`tts_lost_reservations_total\\{result="${result}"\\} (\\d+)`).exec(
    await server.metrics.text(),
  );
  return Number(found?.[1]);
};

/** The row of the only open reservation is gone, whichever database it was in. */
function losesItsRow(
  start: (options?: TestServerOptions) => Promise<{ server: TestServer; deleteRow: () => Promise<void> }>,
): void {
  it('is made anew with the next text, and debited whole', async () => {
    const { server, deleteRow } = await start();
    const key = await server.key({ credits: 500 });
    const client = await StreamClient.open(server, { key: key.key });
    await sayAndHear(client, SENTENCE);
    await deleteRow();
    await sayAndHear(client, SENTENCE);
    expect((await server.balance(key.id)).reserved).toBeGreaterThanOrEqual(2 * SENTENCE.length - 1);
    expect(await client.finish()).toMatchObject({ code: 1000, final: true });
    const chars = 2 * SENTENCE.length - 1;
    expect(await server.ledger(key.id)).toMatchObject([{ outcome: 'completed', characters: chars, credits: chars }]);
    expect((await server.balance(key.id)).credits).toBe(500 - chars);
    expect(await lostCount(server, 'renewed')).toBe(1);
  });

  it('ends the session where the limits of that moment do not allow it', async () => {
    const { server, deleteRow } = await start({ limits: { partnerConcurrency: 1 } });
    const key = await server.key({ credits: 500 });
    const client = await StreamClient.open(server, { key: key.key });
    await sayAndHear(client, SENTENCE);
    const heard = client.audioBytes;
    await deleteRow();
    const beside = await StreamClient.open(server, { key: key.key });
    client.send({ text: SENTENCE, flush: true });
    expect(await client.ended()).toMatchObject({ error: 'store_unavailable', code: 1013, final: false });
    expect(client.error?.message).toMatch(/lost what this session had reserved/);
    expect(client.audioBytes).toBe(heard);
    await until(async () => (await server.ledger(key.id)).length === 1);
    expect(await server.ledger(key.id)).toMatchObject([
      { outcome: 'failed', credits: 0, deliveredCharacters: SENTENCE.trim().length },
    ]);
    expect(await lostCount(server, 'refused')).toBe(1);
    await beside.finish();
  });

  it('is debited at the end all the same, with a row in the ledger, a line in the log and a count', async () => {
    const { server, deleteRow } = await start();
    const key = await server.key({ credits: 500 });
    const client = await StreamClient.open(server, { key: key.key });
    await sayAndHear(client, SENTENCE);
    await deleteRow();
    expect(await client.finish()).toMatchObject({ code: 1000 });
    const chars = SENTENCE.trim().length;
    expect(await server.ledger(key.id)).toMatchObject([
      { outcome: 'completed', characters: chars, credits: chars, requestId: client.requestId },
    ]);
    expect((await server.balance(key.id)).credits).toBe(500 - chars);
    expect(await lostCount(server, 'booked')).toBe(1);
  });

  it('is debited as far as it was delivered where that is billed', async () => {
    const { server, deleteRow } = await start({ billDelivered: true, limits: { partnerConcurrency: 1 } });
    const key = await server.key({ credits: 500 });
    const client = await StreamClient.open(server, { key: key.key });
    await sayAndHear(client, SENTENCE);
    await sleep(50);
    await deleteRow();
    const beside = await StreamClient.open(server, { key: key.key });
    client.send({ text: SENTENCE, flush: true });
    expect(await client.ended()).toMatchObject({ error: 'store_unavailable' });
    const chars = SENTENCE.trim().length;
    await until(async () => (await server.ledger(key.id)).length === 1);
    expect(await server.ledger(key.id)).toMatchObject([{ credits: chars, deliveredCharacters: chars }]);
    await beside.finish();
  });
}

describe('a reservation deleted in SQLite', () => {
  let folder: string;
  const servers: TestServer[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'tts-lost-'));
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
    await rm(folder, { recursive: true });
  });

  losesItsRow(async (options = {}) => {
    const file = path.join(folder, 'accounts.db');
    const server = await startStreamServer({ ...options, store: await openSqliteStore(file) });
    servers.push(server);
    const deleteRow = async () => {
      const other = new Libsql(file);
      other.exec('UPDATE keys SET reserved = 0; DELETE FROM reservations');
      other.close();
    };
    return { server, deleteRow };
  });
});

if (!hasPostgres()) {
  it('leaves PostgreSQL out: postgresql is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  describe('with PostgreSQL', () => {
    let postgres: Postgres;
    const opened: { close(): Promise<void> }[] = [];
    beforeAll(async () => {
      postgres = await startPostgres();
    });
    afterAll(() => postgres.close());
    afterEach(async () => {
      for (const each of opened.splice(0).reverse()) await each.close();
    });
    const start = async (url: string, options: TestServerOptions = {}) => {
      const store = await openPostgresStore(url, { patienceMs: 600 });
      const server = await startStreamServer({ ...options, store, leaseMs: LEASE_MS });
      opened.push(server);
      return server;
    };

    describe('a reservation deleted as by a fail-over', () => {
      losesItsRow(async (options = {}) => {
        const url = await postgres.create();
        const deleteRow = async () => {
          const other = new pg.Client(url);
          await other.connect();
          await other.query('UPDATE keys SET reserved = 0');
          await other.query('DELETE FROM reservations');
          await other.end();
        };
        return { server: await start(url, options), deleteRow };
      });
    });

    describe('a server cut off from the database for longer than its lease', () => {
      let proxy: TcpProxy;
      let cutOff: TestServer;
      let beside: TestServer;
      beforeEach(async () => {
        const url = await postgres.create();
        proxy = await startProxy({ port: Number(new URL(url).port) });
        opened.push(proxy);
        const limits = { partnerConcurrency: 1 };
        cutOff = await start(url.replace(/:\d+\//, `:${proxy.port}/`), { limits, sine: { pace: 4 } });
        beside = await start(url, { limits });
      });
      /** Until the other server has returned what was reserved. */
      const cut = async (keyId: string) => {
        proxy.cut();
        await until(async () => (await beside.balance(keyId)).reserved === 0);
      };

      it('goes on where nobody took its place, and debits everything once', async () => {
        // Rich enough to reserve ahead: what was reserved ahead is lost as well.
        const key = await beside.key({ credits: 100_000 });
        const client = await StreamClient.open(cutOff, { key: key.key });
        await sayAndHear(client, SENTENCE);
        await cut(key.id);
        proxy.heal();
        await sayAndHear(client, SENTENCE);
        expect((await beside.balance(key.id)).reserved).toBeGreaterThanOrEqual(2 * SENTENCE.length - 1);
        expect(await client.finish()).toMatchObject({ code: 1000, final: true });
        const chars = 2 * SENTENCE.length - 1;
        expect(await beside.ledger(key.id)).toMatchObject([
          { outcome: 'completed', characters: chars, credits: chars },
        ]);
        expect(await beside.balance(key.id)).toEqual({ credits: 100_000 - chars, reserved: 0 });
        expect(await beside.store.check()).toEqual([]);
      });

      it('says nothing more while it is cut off, and ends where a session beside it has its place', async () => {
        const key = await beside.key({ credits: 500 });
        const client = await StreamClient.open(cutOff, { key: key.key });
        await sayAndHear(client, SENTENCE);
        await cut(key.id);
        const heard = client.audioBytes;
        const other = await StreamClient.open(beside, { key: key.key });
        await sayAndHear(other, SENTENCE);
        proxy.heal();
        for (let i = 0; i < 20; i++) client.send({ text: SENTENCE, flush: true });
        expect(await client.ended()).toMatchObject({ error: 'store_unavailable', code: 1013, final: false });
        expect(client.audioBytes).toBe(heard);
        expect(await other.finish()).toMatchObject({ code: 1000 });
        const chars = SENTENCE.trim().length;
        await until(async () => (await beside.ledger(key.id)).every(({ outcome }) => outcome !== 'interrupted'));
        const rows = await beside.ledger(key.id);
        expect(
          rows.map(({ outcome, credits, deliveredCharacters }) => [outcome, credits, deliveredCharacters]),
        ).toEqual(
          expect.arrayContaining([
            ['failed', 0, chars],
            ['completed', chars, chars],
          ]),
        );
        expect(await beside.balance(key.id)).toEqual({ credits: 500 - chars, reserved: 0 });
        expect(await beside.store.check()).toEqual([]);
      });

      it('completes nothing whose credits another session has spent meanwhile', async () => {
        const key = await beside.key({ credits: 2 * SENTENCE.length });
        const client = await StreamClient.open(cutOff, { key: key.key });
        await sayAndHear(client, SENTENCE);
        await cut(key.id);
        const other = await StreamClient.open(beside, { key: key.key });
        await sayAndHear(other, SENTENCE.repeat(2));
        expect(await other.finish()).toMatchObject({ code: 1000 });
        proxy.heal();
        expect(await client.finish()).toMatchObject({ error: 'store_unavailable', code: 1013, final: false });
        await until(async () => (await beside.ledger(key.id)).every(({ outcome }) => outcome !== 'interrupted'));
        const rows = await beside.ledger(key.id);
        expect(rows.map(({ outcome, characters, credits }) => [outcome, characters, credits])).toEqual(
          expect.arrayContaining([
            ['failed', SENTENCE.trim().length, 0],
            ['completed', 2 * SENTENCE.length - 1, 2 * SENTENCE.length - 1],
          ]),
        );
        expect(await beside.store.check()).toEqual([]);
      });

      it('sends no more of a text that was reserved before its lease ran out', async () => {
        const key = await beside.key({ credits: 5_000 });
        const input = SENTENCE.repeat(60).trim();
        const answer = await cutOff.speak({ model: 'base-tts', input, stream: true }, { key: key.key });
        expect(answer.status).toBe(200);
        await cut(key.id);
        await expect(answer.arrayBuffer()).rejects.toThrow();
        proxy.heal();
        await until(async () => (await beside.ledger(key.id)).some(({ outcome }) => outcome === 'failed'));
        const [row] = await beside.ledger(key.id);
        expect(row).toMatchObject({ credits: 0, outcome: 'failed' });
        expect(row!.deliveredCharacters).toBeGreaterThan(0);
        expect(row!.deliveredCharacters).toBeLessThan(row!.characters);
      });
    });
  });
}
