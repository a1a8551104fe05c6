/**
 * Two real servers on one PostgreSQL: limits hold over both, one may be killed, and the database
 * may go away.
 */
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { KeyOptions } from '../../../src/accounts/keyring.js';
import type { LedgerRow } from '../../../src/accounts/store.js';
import { LEASE_MS } from '../../../src/accounts/tuning.js';
import { hasPostgres } from '../../../testkit/postgres.js';
import { until } from '../../../testkit/server.js';
import { type ServersOnPostgres, serversOnPostgres } from '../../support/processes/servers-on-postgres.js';

const PASSWORD = 'hunter2-in-the-address';
const SHORT = 'A sentence that takes its time. And another one after it, just as slow.';
const LONG = `${SHORT} `.repeat(12).trim();
/** Node's arguments for a server whose clock is a day ahead of the database's. */
const DAY_AHEAD = [
  '--import',
  `data:text/javascript,${encodeURIComponent(`
    const True = Date;
    const now = () => True.now() + 86_400_000;
    globalThis.Date = class extends True {
      static now = now;
      constructor(...given) {
        super(...(given.length === 0 ? [now()] : given));
      }
    };
  `)}`,
];

if (!hasPostgres()) {
  it('leaves PostgreSQL out: postgresql is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  describe('two servers on one database', () => {
    let shared: ServersOnPostgres;
    let { postgres, home, servers, store, keyring } = {} as ServersOnPostgres;
    beforeAll(async () => {
      shared = await serversOnPostgres({
        args: ['--free-daily', '5', '--free-concurrency', '100'],
        env: { TTS_SINE_OPTIONS: JSON.stringify({ pace: 10, msPerChar: 200 }) },
        address: (url) => url.replace('tts@', `tts:${PASSWORD}@`),
        nodeArgs: [[], DAY_AHEAD],
        patienceMs: 2_000,
      });
      ({ postgres, home, servers, store, keyring } = shared);
    });
    afterEach(() => postgres.thaw());
    afterAll(() => shared.close());

    const partner = (more: Partial<KeyOptions> = {}) => keyring.create({ tier: 'partner', credits: 10_000, ...more });
    const speak = (n: number, key: string, input: string, model = 'base-tts') =>
      fetch(`${servers[n % 2]!.baseUrl}/v1/audio/speech`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, input, stream: true }),
      });
    const codeOf = async (response: Response) => ((await response.json()) as { error: { code: string } }).error.code;
    const balance = async (id: string) => {
      const { credits, reserved } = (await store.findKey(id))!;
      return { credits, reserved };
    };
    const rows = async (keyId: string) => {
      const found: LedgerRow[] = [];
      for await (const row of store.usage({ keyId })) found.push(row);
      return found;
    };

    it('give a key as many sessions at once as one would, and free them for both', async () => {
      const { key, id } = await partner({ limits: { concurrency: 3 } });
      const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => speak(n, key, SHORT)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
      for (const answer of answers) {
        if (answer.status !== 200) expect(await codeOf(answer)).toBe('concurrency_limit_exceeded');
      }
      await Promise.all(answers.filter(({ status }) => status === 200).map((answer) => answer.arrayBuffer()));
      await until(async () => (await balance(id)).reserved === 0);
      for (const n of [0, 1, 0]) {
        const again = await speak(n, key, 'Well.');
        expect(again.status).toBe(200);
        // A client that comes back to the same server at once finds its own slot free.
        await again.arrayBuffer();
      }
      await until(async () => (await rows(id)).length === 6);
      expect(await balance(id)).toEqual({ credits: 10_000 - 3 * SHORT.length - 15, reserved: 0 });
    });

    it("count the Free requests of the database's day together, though the clock of one is a day ahead", async () => {
      const { key, id } = await keyring.create({ tier: 'free' });
      const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => speak(n, key, 'Well.', 'base-tts:free')));
      let spoken = 0;
      const refused = new Set<string>();
      const count = async (answer: Response) => {
        if (answer.status === 200) {
          spoken++;
          await answer.arrayBuffer();
        } else refused.add(await codeOf(answer));
      };
      await Promise.all(answers.map(count));
      // A slow machine turns some away for want of engines, which count for nothing: they may come
      // again.
      for (let again = 0; again < 10; again++) await count(await speak(again, key, 'Well.', 'base-tts:free'));
      expect(spoken).toBe(5);
      expect(refused).toContain('daily_limit_exceeded');
      await until(async () => (await rows(id)).length === 5);
      // One clock gives the reset as well: by the other model's, which has a day of its own.
      const other = await Promise.all([0, 1].map((n) => speak(n, key, 'Well.', 'base-tts-fast:free')));
      for (const answer of other) await answer.arrayBuffer();
      const resets = other.map(({ headers }) => Number(headers.get('x-ratelimit-reset-requests')));
      expect(Math.abs(resets[0]! - resets[1]!)).toBeLessThan(30);
    });

    it.each([
      ['revoked', async (id: string): Promise<void> => void (await home.run('keys', 'revoke', id))],
      [
        'expired',
        async (id: string): Promise<void> =>
          void (await shared.query('UPDATE keys SET expires_at = now()::text WHERE id = $1', id)),
      ],
    ] as const)('end the work of a key within a second or two that was %s elsewhere', async (how, refuse) => {
      // The server whose clock is ahead would take this key for expired, if it asked its own clock.
      const { key, id } = await partner({ expiresAt: new Date(Date.now() + 3_600_000) });
      for (const n of [0, 1]) {
        const { ok } = await speak(n, key, 'Well.');
        expect(ok).toBe(true);
      }
      const answers = await Promise.all([speak(0, key, LONG), speak(1, key, LONG)]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      await refuse(id);
      for (const answer of answers) await expect(answer.arrayBuffer()).rejects.toThrow();
      await until(async () => (await balance(id)).reserved === 0);
      for (const n of [0, 1]) expect(await codeOf(await speak(n, key, 'Well.'))).toBe(`${how}_api_key`);
    });

    it("return a killed one's reservations when its lease has run out, and leave the other's alone", async () => {
      const { key, id } = await partner();
      // Longer than a server looks on, for the time of a lease, before it takes another for dead.
      const longer = `${LONG} ${SHORT} ${SHORT}`;
      const [dies, lives] = await Promise.all([speak(0, key, SHORT), speak(1, key, longer)]);
      expect([dies.status, lives.status]).toEqual([200, 200]);
      expect((await balance(id)).reserved).toBe(SHORT.length + longer.length);
      await servers[0]!.kill('SIGKILL');
      await expect(dies.arrayBuffer()).rejects.toThrow();
      // The lease has 15 s at most to go, which nobody waits for here.
      const [ended] = await shared.query<{ leftMs: string }>(
        `UPDATE leases SET expires_ms = expires_ms - ${LEASE_MS}
          WHERE holder = (SELECT holder FROM reservations WHERE key_id = $1 AND characters = $2)
          RETURNING expires_ms - extract(epoch FROM now()) * 1000 AS "leftMs"`,
        ...[id, SHORT.length],
      );
      expect(Number(ended!.leftMs)).toBeLessThanOrEqual(0);
      await until(async () => (await balance(id)).reserved === longer.length, 'the return');
      expect(await rows(id)).toMatchObject([{ outcome: 'interrupted', credits: 0, characters: SHORT.length }]);
      await lives.arrayBuffer();
      await until(async () => (await balance(id)).reserved === 0);
      expect((await balance(id)).credits).toBe(10_000 - longer.length);
      expect(servers[1]!.output.stderr).toMatch(/"returned":1/);
      servers[0] = await shared.start();
    });

    it('while the database is down or frozen: refuse Partner work, finish what runs, and book it once', async () => {
      for (const outage of ['down', 'frozen'] as const) {
        const { key, id } = await partner();
        const running = await Promise.all([speak(0, key, SHORT), speak(1, key, SHORT)]);
        if (outage === 'down') await postgres.stop();
        else postgres.freeze();
        for (const answer of running) expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(10_000);
        const refused = await speak(0, key, SHORT);
        expect(refused.status).toBe(503);
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(await codeOf(refused)).toBe('store_unavailable');
        if (outage === 'down') await postgres.start();
        else postgres.thaw();
        await until(async () => (await rows(id)).length === 2, 'the settlements');
        expect((await rows(id)).map(({ outcome, credits }) => [outcome, credits])).toEqual([
          ['completed', SHORT.length],
          ['completed', SHORT.length],
        ]);
        await until(async () => (await speak(1, key, 'Well.')).status === 200, 'new work');
        await until(async () => (await balance(id)).credits === 10_000 - 2 * SHORT.length - 5);
      }
      expect(await store.check()).toEqual([]);
    });

    it('say nothing of the password, in no log, list or message', async () => {
      const shown = [await home.run('config'), await home.run('keys', 'list'), await home.run('db', 'check')];
      expect(shown.map(({ code }) => code)).toEqual([0, 0, 0]);
      expect(shown[2]!.stderr).toMatch(/127\.0\.0\.1:\d+\/test1 is whole/);
      const lists = servers.map(({ child }) => readFileSync(`/proc/${child.pid}/cmdline`, 'utf8'));
      await postgres.stop();
      shown.push(await home.run('keys', 'list'));
      expect(shown[3]).toMatchObject({ code: 1, stderr: expect.stringMatching(/refuses connections/) });
      const refused = await home.run('serve', '--database', `postgres://tts:${PASSWORD}@127.0.0.1:1/tts`);
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('TTS_DATABASE') });
      const outputs = shared.started.map(({ output }) => output.stdout + output.stderr);
      const all = JSON.stringify([shown, refused, lists, outputs]);
      expect(all).not.toContain(PASSWORD);
      await postgres.start();
      for (const server of servers) expect(await server.kill('SIGTERM')).toBe(0);
    });
  });
}
