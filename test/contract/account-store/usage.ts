/** The ledger and its sums, as every account store must give them. */
import { beforeEach, expect, it } from 'vitest';
import type { AccountStore } from '../../../src/accounts/store.js';
import type { UsageStep } from '../../../src/accounts/usage-sums.js';
import { AT_ONCE, FREE, type StoreFixture, type StoreTools, TIME } from './tools.js';

export function usageContract(tools: StoreTools): void {
  let store: AccountStore;
  let fixture: StoreFixture;
  beforeEach(() => {
    ({ store, fixture } = tools);
  });
  const { createKey, reservation, completed, ledger } = tools;

  it('sums the ledger by day, key and model', async () => {
    const [one, two] = [await createKey(100), await createKey(100)];
    const say = async (keyId: string, chars: number, time: string, model = 'base-tts', done = true) => {
      const held = reservation(keyId, chars, { model });
      await store.reserve(held);
      const unfinished = {
        ...completed(chars, time),
        outcome: 'cancelled',
        audioMs: 10,
        deliveredCharacters: 1,
        credits: 0,
      } as const;
      await store.end(held, done ? { ...completed(chars, time), audioMs: 100 } : unfinished);
    };
    await say(one, 5, '2026-03-01T10:00:00.000Z');
    await say(one, 7, '2026-03-01T23:59:59.999Z', 'base-tts', false);
    await say(one, 2, '2026-03-01T11:00:00.000Z', 'base-tts-fast');
    await say(one, 3, '2026-03-02T00:00:00.000Z');
    await say(two, 4, '2026-03-02T00:00:00.000Z');
    const all = await store.usageByDay({});
    expect(all).toHaveLength(4);
    expect(all[0]).toEqual({
      day: '2026-03-01',
      keyId: one,
      model: 'base-tts',
      requests: 2,
      unfinished: 1,
      characters: 12,
      deliveredCharacters: 6,
      credits: 5,
      audioMs: 110,
    });
    expect(all.map(({ day }) => day)).toEqual(['2026-03-01', '2026-03-01', '2026-03-02', '2026-03-02']);
    const since = '2026-03-02T00:00:00.000Z';
    expect(await store.usageByDay({ keyId: two, since })).toMatchObject([{ keyId: two, characters: 4 }]);
  });

  it('gives usage over time by minute, hour and day, and by key', async () => {
    const [one, two] = [await createKey(100), await createKey(100)];
    const say = async (keyId: string, chars: number, time: string, model = 'base-tts') => {
      const held = reservation(keyId, chars, { model });
      await store.reserve(held);
      await store.end(held, completed(chars, time));
    };
    await say(one, 1, '2026-03-01T10:00:59.999Z');
    await say(two, 2, '2026-03-01T10:00:00.000Z');
    await say(one, 4, '2026-03-01T10:01:00.000Z', 'base-tts-fast');
    await say(one, 8, '2026-03-02T11:00:00.000Z');
    const times = async (step: UsageStep, since = '2026-03-01', keyId?: string) =>
      (await store.usageSeries({ since, step, keyId })).times.map((sum) => [sum.time, sum.model, sum.characters]);
    expect(await times('minute')).toEqual([
      ['2026-03-01T10:00', 'base-tts', 3],
      ['2026-03-01T10:01', 'base-tts-fast', 4],
      ['2026-03-02T11:00', 'base-tts', 8],
    ]);
    expect(await times('hour', '2026-03-01T10:00:30.000Z')).toEqual([
      ['2026-03-01T10', 'base-tts', 1],
      ['2026-03-01T10', 'base-tts-fast', 4],
      ['2026-03-02T11', 'base-tts', 8],
    ]);
    expect(await times('day', '2026-03-01', one)).toEqual([
      ['2026-03-01', 'base-tts', 1],
      ['2026-03-01', 'base-tts-fast', 4],
      ['2026-03-02', 'base-tts', 8],
    ]);
    const { keys } = await store.usageSeries({ since: '2026-03-01', step: 'day' });
    const byKey = [
      [one, 'base-tts', 2, 9],
      [one, 'base-tts-fast', 1, 4],
      [two, 'base-tts', 1, 2],
    ];
    const shown = keys.map((sum) => [sum.keyId, sum.model, sum.requests, sum.characters]);
    expect(shown).toEqual(byKey.sort((a, b) => (`${a[0]} ${a[1]}` < `${b[0]} ${b[1]}` ? -1 : 1)));
  });

  it('sums days up once, and still counts what is put right, comes late or is taken back', async () => {
    const id = await createKey(1_000);
    const open = async (chars: number) => {
      const held = reservation(id, chars);
      await store.reserve(held);
      return held;
    };
    for (const day of ['2026-02-01', '2026-02-02']) {
      for (let n = 0; n < 3; n++) await store.end(await open(2), completed(2, `${day}T10:00:0${n}.000Z`));
    }
    // Returned as interrupted: one of them is put right later, one is taken back, one stays.
    const [late, dropped, lost] = [await open(10), await open(20), await open(40)];
    await fixture.database.freezeAt('2026-03-01T12:00:00.000Z');
    expect(await store.recover('all')).toBe(3);
    const sums = async (keyId?: string) =>
      (await store.usageByDay({ since: '2026-02-01', ...(keyId && { keyId }) })).map((sum) => [
        ...[sum.day, sum.requests, sum.unfinished, sum.characters],
      ]);
    const before = [
      ['2026-02-01', 3, 0, 6],
      ['2026-02-02', 3, 0, 6],
      ['2026-03-01', 3, 3, 70],
    ];
    expect(await sums()).toEqual(before);
    const roll = async (time: string) => {
      await fixture.database.freezeAt(time);
      return store.rollUsage();
    };
    expect(await roll('2026-03-01T12:00:00.000Z')).toBe(0);
    expect(await roll('2026-03-01T12:09:00.000Z')).toBe(0);
    expect(await roll('2026-03-01T12:11:00.000Z')).toBeGreaterThanOrEqual(9);
    expect(await fixture.database.read('SELECT day, requests FROM usage_days ORDER BY day')).toEqual([
      { day: '2026-02-01', requests: 3 },
      { day: '2026-02-02', requests: 3 },
    ]);
    expect(await sums()).toEqual(before);
    expect(await sums(id)).toEqual(before);
    expect(await store.end(late, completed(10, TIME))).toBe('late');
    await store.drop(dropped);
    await store.end(await open(1), completed(1, '2026-02-01T23:59:59.999Z'));
    const after = [
      ['2026-02-01', 4, 0, 7],
      ['2026-02-02', 3, 0, 6],
      ['2026-03-01', 2, 1, 50],
    ];
    expect(await sums()).toEqual(after);
    for (const time of ['2026-03-01T13:00:00.000Z', '2026-03-01T14:00:00.000Z']) await roll(time);
    expect(await sums()).toEqual(after);
    expect(await sums(id)).toEqual(after);
    expect(await store.usageByDay({ since: '2026-02-02' })).toHaveLength(2);
    // A database may give the number of a last row that was taken back to the next one.
    const last = await open(3);
    await store.recover('all');
    await roll('2026-03-01T15:00:00.000Z');
    await store.drop(last);
    await roll('2026-03-01T16:00:00.000Z');
    await store.end(await open(5), completed(5, '2026-02-02T00:00:00.000Z'));
    expect((await sums())[1]).toEqual(['2026-02-02', 4, 0, 11]);
    expect(lost.characters).toBe(40);
  });

  it("lists keys in order of creation with the counts of the database's day", async () => {
    const ids = [await createKey(100), await createKey(0, 'free'), await createKey(5)];
    const spoken = reservation(ids[0]!, 7);
    await store.reserve(spoken);
    await store.end(spoken, completed(7));
    await store.reserve(reservation(ids[1]!, 3, { ...FREE, free: { limit: 9 } }));
    const list = await store.listKeys();
    expect(list.map((key) => key.id)).toEqual(ids);
    const none = { 'base-tts': 0, 'base-tts-fast': 0 };
    expect(list[0]!.today).toEqual({
      freeRequests: 0,
      freeRequestsByModel: none,
      requests: 1,
      characters: 7,
      credits: 7,
    });
    expect(list[1]!.today).toEqual({
      freeRequests: 1,
      freeRequestsByModel: { ...none, 'base-tts': 1 },
      requests: 0,
      characters: 0,
      credits: 0,
    });
    await fixture.database.freezeAt('2026-03-02T00:00:00.000Z');
    const next = await store.listKeys();
    expect(next.map(({ today }) => [today.requests, today.freeRequests])).toEqual(next.map(() => [0, 0]));
  });

  it('reports usage in order, by key and by time, over many pages', async () => {
    const [a, b] = [await createKey(10_000), await createKey(10_000)];
    const all = Array.from({ length: 1203 }, (_, n) => reservation(n % 2 ? a : b, 1, { requestId: `r${n}` }));
    for (let at = 0; at < all.length; at += AT_ONCE) {
      await Promise.all(all.slice(at, at + AT_ONCE).map((held) => store.reserve(held)));
    }
    const time = (n: number) => new Date(Date.parse(TIME) + n * 1000).toISOString();
    // Ended in another order than told of, as happens between servers: the time decides.
    const backwards = all.map((held, n) => ({ held, n })).reverse();
    for (let at = 0; at < all.length; at += AT_ONCE) {
      const some = backwards.slice(at, at + AT_ONCE);
      await Promise.all(some.map(({ held, n }) => store.end(held, completed(1, time(n)))));
    }
    expect((await ledger()).map((row) => row.requestId)).toEqual(all.map((held) => held.requestId));
    expect(await ledger({ keyId: a })).toHaveLength(601);
    expect((await ledger({ since: time(1200) })).map((row) => row.requestId)).toEqual(['r1200', 'r1201', 'r1202']);
  });
}
