/** Jobs as every store must keep them: taken once, ended once, and never without their credits. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { JOBS_HOLDER } from '../../../src/accounts/jobs-holder.js';
import type { AccountStore } from '../../../src/accounts/store.js';
import type { NewJob } from '../../../src/accounts/tables/job-rows.js';
import { AT_ONCE, type StoreFixture, type StoreTools, TIME } from './tools.js';

const MOST = { jobs: 100, bytes: 1_000_000, leaseMs: 15_000 };
const TAKES = { leaseMs: 15_000, runs: true };
const MADE = { outcome: 'completed', made_characters: 9, audio_ms: 90, result: '{}', error: null } as const;
const CANCELLED = { outcome: 'cancelled', made_characters: 0, audio_ms: 0, result: null, error: null } as const;

let jobs = 0;
const jobOf = (keyId: string, more: Partial<NewJob> = {}): NewJob => ({
  id: `job_${++jobs}`,
  key_id: keyId,
  reservation_id: randomUUID(),
  folder: 'here',
  speech: '{}',
  model: 'base-tts',
  voice: 'v',
  characters: 10,
  bytes: 10,
  webhook_url: null,
  webhook_secret: null,
  ...more,
});

export function jobsContract(tools: StoreTools): void {
  let store: AccountStore;
  let fixture: StoreFixture;
  const queued = async (keyId: string, more: Partial<NewJob> = {}): Promise<NewJob> => {
    const job = jobOf(keyId, more);
    expect(await store.jobs.add(job, MOST)).toBe('added');
    await store.jobs.queue(job.id);
    return job;
  };
  /** The clock stands so long after the beginning. */
  const at = (ms: number) => fixture.database.freezeAt(new Date(Date.parse(TIME) + ms).toISOString());
  beforeEach(() => {
    ({ store, fixture } = tools);
  });

  describe('jobs', () => {
    it('are bounded by key, in number and in bytes, also where they come at once', async () => {
      const keyId = await tools.createKey();
      const other = await fixture.another();
      const most = { ...MOST, jobs: 3 };
      const added = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, n) => (n % 2 === 0 ? store : other).jobs.add(jobOf(keyId), most)),
      );
      expect(added.filter((each) => each === 'added')).toHaveLength(3);
      expect(added).toContain('too_many');
      expect(await store.jobs.add(jobOf(keyId, { bytes: 71 }), { ...MOST, bytes: 100 })).toBe('no_room');
      expect(await store.jobs.sums(keyId)).toEqual({ open: 3, bytes: 30 });
      const before = await store.jobs.totals('here');
      await queued(await tools.createKey());
      const after = await store.jobs.totals('here');
      expect(after).toEqual({ ...before, queued: before.queued + 1, bytes: before.bytes + 10 });
      expect(await store.jobs.add(jobOf(await tools.createKey()), most)).toBe('added');
    });

    it('are taken by one server each, in turns between keys, of its own folder', async () => {
      const [a, b] = [await tools.createKey(), await tools.createKey()];
      const first = await queued(a);
      const second = await queued(a);
      const third = await queued(b);
      await queued(b, { folder: 'elsewhere' });
      await store.jobs.add(jobOf(b), MOST);
      const taken = [];
      for (let n = 0; n < 4; n++) taken.push((await store.jobs.claim('here', TAKES))?.id);
      expect(taken).toEqual([first.id, third.id, second.id, undefined]);
      expect(await store.jobs.claim('here', { ...TAKES, runs: false })).toBeUndefined();
    });

    it('are never taken twice by servers that ask at once', async () => {
      const keyId = await tools.createKey();
      for (let n = 0; n < 6; n++) await queued(keyId);
      const other = await fixture.another();
      const asked = Array.from({ length: AT_ONCE }, (_, n) => (n % 2 === 0 ? store : other).jobs.claim('here', TAKES));
      const taken = (await Promise.all(asked)).flatMap((job) => (job ? [job.id] : []));
      expect(new Set(taken).size).toBe(taken.length);
    });

    it('go to another server once theirs is silent, which then may not end them', async () => {
      const { id } = await queued(await tools.createKey());
      const first = (await store.jobs.claim('here', TAKES))!;
      expect(await store.jobs.beat(id, first.epoch, { leaseMs: 15_000, progress: '{"characters":5}' })).toBe(true);
      expect(await store.jobs.claim('here', TAKES)).toBeUndefined();
      await at(60_000);
      const second = (await store.jobs.claim('here', TAKES))!;
      expect(second).toMatchObject({ id, state: 'running', epoch: first.epoch + 1, progress: '{"characters":5}' });
      expect(await store.jobs.beat(id, first.epoch, { leaseMs: 15_000, progress: '{}' })).toBe(false);
      expect(await store.jobs.end(id, MADE, { epoch: first.epoch, leaseMs: 1 })).toBe(false);
      expect(await store.jobs.end(id, MADE, { epoch: second.epoch, leaseMs: 1 })).toBe(true);
    });

    it('end once, whoever ends them, and are cleared up by another where that broke off', async () => {
      const { id } = await queued(await tools.createKey());
      const { epoch } = (await store.jobs.claim('here', TAKES))!;
      const other = await fixture.another();
      const ends = await Promise.all([
        store.jobs.end(id, MADE, { epoch, leaseMs: 15_000 }),
        ...Array.from({ length: 5 }, () => other.jobs.end(id, CANCELLED, { leaseMs: 15_000 })),
      ]);
      expect(ends.filter(Boolean)).toHaveLength(1);
      await at(60_000);
      const left = await other.jobs.claim('here', { ...TAKES, runs: false });
      expect(left).toMatchObject({ id, state: 'ending', outcome: ends[0] ? 'completed' : 'cancelled' });
      await other.jobs.settled(id, { credits: 9, bytes: 3, keepMs: 1_000 });
      expect(await store.jobs.find(id)).toMatchObject({ state: 'ended', credits: 9, bytes: 3 });
      expect(await store.jobs.expired('here')).toEqual([]);
      await at(61_001);
      expect((await store.jobs.expired('here')).map((job) => job.id)).toEqual([id]);
    });

    it('keep what they reserved: no server returns it, and it takes no place of a session', async () => {
      const keyId = await tools.createKey(100);
      const held = { holder: JOBS_HOLDER };
      const reservation = tools.reservation(keyId, 40, held);
      expect(await store.reserve(reservation)).toMatchObject({ ok: true });
      expect([await store.recover('lapsed'), await store.recover('all')]).toEqual([0, 0]);
      expect(await store.reserve(tools.reservation(keyId, 10, { sessions: 1 }))).toMatchObject({ ok: true });
      expect(await store.reserve(tools.reservation(keyId, 10, { sessions: 1 }))).toMatchObject({
        reason: 'concurrency',
      });
      expect(await store.reserve(tools.reservation(keyId, 51))).toMatchObject({ reason: 'insufficient_credits' });
      expect((await store.findKeys([keyId]))[0]).toMatchObject({ credits: 100, reserved: 50 });
    });

    it('have webhooks that one server delivers at a time, until it is told', async () => {
      const url = 'https://example.com/hook';
      const { id } = await queued(await tools.createKey(), { webhook_url: url, webhook_secret: 'whsec_x' });
      expect(await store.jobs.claimWebhook(60_000)).toBeUndefined();
      await store.jobs.end(id, CANCELLED, { leaseMs: 15_000 });
      await store.jobs.settled(id, { credits: 0, bytes: 0, keepMs: 1_000_000 });
      const other = await fixture.another();
      expect(await store.jobs.claimWebhook(60_000)).toMatchObject({
        id,
        webhook_attempts: 1,
        webhook_secret: 'whsec_x',
      });
      expect(await other.jobs.claimWebhook(60_000)).toBeUndefined();
      await store.jobs.webhookDone(id, { isDelivered: false, error: 'status 500', againMs: 5_000 });
      expect(await other.jobs.claimWebhook(60_000)).toBeUndefined();
      await at(60_000);
      expect(await other.jobs.claimWebhook(60_000)).toMatchObject({ webhook_attempts: 2, webhook_error: 'status 500' });
      await other.jobs.webhookDone(id, { isDelivered: true, error: null });
      expect(await store.jobs.find(id)).toMatchObject({ webhook_state: 'delivered', webhook_secret: null });
    });
  });
}
