/** Jobs of gateways that share a PostgreSQL and a folder: any of them goes on with a job. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres } from '../../testkit/postgres.js';
import { until } from '../../testkit/server.js';
import { JobClient, longText } from '../support/books/job-client.js';
import { type ServersOnPostgres, serversOnPostgres } from '../support/processes/servers-on-postgres.js';

if (!hasPostgres()) {
  it('leaves PostgreSQL out: postgresql is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  describe('gateways on one PostgreSQL', () => {
    let fleet: ServersOnPostgres;
    let folder: string;
    beforeAll(async () => {
      // One of two jobs at a time for each, so that both gateways have some.
      const env = { TTS_SINE_OPTIONS: '{"msPerChar":20,"delayMs":30}' };
      folder = mkdtempSync(path.join(tmpdir(), 'tts-jobs-'));
      const args = ['--workers', '1', '--jobs-at-once', '1', '--jobs-dir', folder];
      fleet = await serversOnPostgres({ args, env });
    });
    afterAll(async () => {
      await fleet.close();
      rmSync(folder, { recursive: true, force: true });
    });

    it('take over the job of one that was killed, and settle it once', async () => {
      const { key, id: keyId } = await fleet.keyring.create({ tier: 'partner', credits: 1_000_000 });
      const clients = fleet.servers.map(({ baseUrl }) => new JobClient(baseUrl, key));
      const text = longText(100);
      const jobs = [await clients[0]!.order(text), await clients[0]!.order(text)];
      const [survivor] = [clients[1]!];
      await until(async () => {
        const found = await Promise.all(jobs.map(({ id }) => survivor.find(id)));
        return found.every(({ progress }) => progress.characters > 0);
      }, 'progress of both');
      await fleet.servers[0]!.kill('SIGKILL');
      // Its lease runs out at once, where it would take some seconds.
      await fleet.query("UPDATE jobs SET lease_ms = 0 WHERE state = 'running'");
      const ended = await Promise.all(jobs.map(({ id }) => survivor.ended(id)));
      expect(ended.map(({ status, credits }) => [status, credits])).toEqual(
        jobs.map(({ characters }) => ['completed', characters]),
      );
      expect(await survivor.digest(jobs[0]!.id)).toBe(await survivor.digest(jobs[1]!.id));
      const [found] = await fleet.store.findKeys([keyId]);
      expect(found).toMatchObject({ credits: 1_000_000 - 2 * jobs[0]!.characters, reserved: 0 });
      expect(await fleet.store.check()).toEqual([]);
      const rows = await fleet.query<{ outcome: string }>('SELECT outcome FROM ledger');
      expect(rows.map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
    }, 120_000);

    it('cancel a job that another one makes', async () => {
      const another = await fleet.start();
      const { key } = await fleet.keyring.create({ tier: 'partner', credits: 1_000_000 });
      const one = new JobClient(fleet.servers[1]!.baseUrl, key);
      const other = new JobClient(another.baseUrl, key);
      const { id } = await one.order(longText(400));
      await until(async () => (await other.find(id)).status === 'running', 'the job');
      const [a, b] = await Promise.all([one.cancel(id), other.cancel(id)]);
      expect([a.status, b.status]).toEqual(['cancelled', 'cancelled']);
      const next = await one.ended((await other.order('A short one.')).id);
      expect(next).toMatchObject({ status: 'completed', credits: 12 });
    });
  });
}
