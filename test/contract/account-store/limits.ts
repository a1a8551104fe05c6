/** Limits on the number of requests, as every account store must keep them. */
import { beforeEach, expect, it } from 'vitest';
import { tell } from '../../../src/accounts/database.js';
import type { AccountStore } from '../../../src/accounts/store.js';
import { DAY, FREE, type StoreFixture, type StoreTools } from './tools.js';

export function limitsContract(tools: StoreTools): void {
  let store: AccountStore;
  let fixture: StoreFixture;
  beforeEach(() => {
    ({ store, fixture } = tools);
  });
  const { createKey, reservation } = tools;

  it("counts Free requests a key, model and day of the database up to the limit, and tells the database's time", async () => {
    const id = await createKey(0, 'free');
    const ask = (model = 'base-tts:free') => store.reserve(reservation(id, 1, { ...FREE, model, free: { limit: 2 } }));
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

  it('counts a lost Free request that is made anew once for its day, and above the limit of the day', async () => {
    const id = await createKey(0, 'free');
    const held = reservation(id, 1, { ...FREE, free: { limit: 1 } });
    await store.reserve(held);
    await store.recover('all');
    expect(await store.reserve({ ...held, again: true })).toMatchObject({ ok: true });
    expect((await store.listKeys())[0]!.today.freeRequests).toBe(1);
  });
}
