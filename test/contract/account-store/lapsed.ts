/** Reservations that were lost or left open, as every account store must keep them. */
import { beforeEach, expect, it } from 'vitest';
import type { AccountStore } from '../../../src/accounts/store.js';
import type { StoreTools } from './tools.js';

export function lapsedContract(tools: StoreTools): void {
  let store: AccountStore;
  beforeEach(() => {
    ({ store } = tools);
  });
  const { createKey, reservation, completed, balance, ledger } = tools;

  it('returns what a dead process held, once', async () => {
    const id = await createKey(10);
    await store.reserve(reservation(id, 4));
    await store.reserve(reservation(id, 3));
    expect(await store.recover('all')).toBe(2);
    expect(await store.recover('all')).toBe(0);
    expect(await balance(id)).toEqual({ credits: 10, reserved: 0 });
    expect((await ledger()).map(({ outcome, credits }) => [outcome, credits])).toEqual([
      ['interrupted', 0],
      ['interrupted', 0],
    ]);
  });

  it('returns what is held without a lease that runs, and leaves the rest', async () => {
    const id = await createKey(100);
    await store.renewLease('alive', 60_000);
    await store.renewLease('silent', 1);
    await store.renewLease('gone', 60_000);
    for (const holder of ['alive', 'silent', 'gone', 'unknown']) {
      await store.reserve(reservation(id, 1, { holder, requestId: holder }));
    }
    await store.endLease('gone');
    await tools.fixture.database.startAt('2026-03-01T10:00:10.000Z');
    expect(await store.recover('lapsed')).toBe(3);
    expect(await store.recover('lapsed')).toBe(0);
    expect(await balance(id)).toEqual({ credits: 100, reserved: 1 });
    expect((await ledger()).map(({ requestId }) => requestId).sort()).toEqual(['gone', 'silent', 'unknown']);
    await store.renewLease('alive', 1);
    await tools.fixture.database.startAt('2026-03-01T10:00:20.000Z');
    expect(await store.recover('lapsed')).toBe(1);
  });

  it('returns nothing of a server that renewed its lease meanwhile, though it was seen without one', async () => {
    const id = await createKey(100);
    await store.renewLease('back', 1);
    const held = reservation(id, 5, { holder: 'back' });
    await store.reserve(held);
    await tools.fixture.database.startAt('2026-03-01T10:00:30.000Z');
    expect(await store.holds(held)).toBe(true);
    const [, returned] = await Promise.all([store.renewLease('back', 60_000), store.recover('lapsed')]);
    expect(await store.holds(held)).toBe(returned === 0);
    expect(await balance(id)).toEqual({ credits: 100, reserved: returned === 0 ? 5 : 0 });
  });

  it('says of a reservation that was returned or deleted that it is lost, and changes nothing', async () => {
    const id = await createKey(10);
    const held = reservation(id, 4);
    await store.reserve(held);
    await store.recover('all');
    expect(await store.holds(held)).toBe(false);
    expect(await store.extend(held, 2, 2)).toEqual({ ok: false, reason: 'lost' });
    expect(await balance(id)).toEqual({ credits: 10, reserved: 0 });
  });

  it('makes a lost reservation anew under the limits of the moment, with one ledger row in the end', async () => {
    const id = await createKey(10);
    const held = reservation(id, 4, { sessions: 1 });
    await store.reserve(held);
    await store.recover('all');
    const other = reservation(id, 7, { sessions: 1 });
    await store.reserve(other);
    const again = { ...held, characters: 6, credits: 6, again: true };
    expect(await store.reserve(again)).toEqual({ ok: false, reason: 'concurrency' });
    expect(await store.reserve({ ...again, sessions: 2 })).toMatchObject({ reason: 'insufficient_credits' });
    await store.drop(other);
    expect(await store.reserve(again)).toMatchObject({ ok: true });
    expect(await balance(id)).toEqual({ credits: 10, reserved: 6 });
    expect(await store.end(held, completed(6))).toBe('ended');
    expect(await ledger()).toMatchObject([{ characters: 6, credits: 6, outcome: 'completed' }]);
    expect(await balance(id)).toEqual({ credits: 4, reserved: 0 });
    expect(await store.check()).toEqual([]);
  });

  it('leaves a ledger row for an end whose reservation is nowhere, and debits what the balance has', async () => {
    const id = await createKey(10);
    const [full, short] = [reservation(id, 6), reservation(id, 6)];
    expect(await store.end(full, { ...completed(6), audioMs: 7 })).toBe('unknown');
    expect(await store.end(full, completed(6))).toBe('repeated');
    expect(await store.end(short, completed(6))).toBe('unknown');
    expect((await ledger()).map(({ keyId, characters, credits }) => [keyId, characters, credits])).toEqual([
      [id, 6, 6],
      [id, 6, 4],
    ]);
    expect(await balance(id)).toEqual({ credits: 0, reserved: 0 });
    expect(await store.check()).toEqual([]);
  });

  it('books after all what was returned too early, once and never beyond the balance', async () => {
    const id = await createKey(10);
    const [one, two, three] = [reservation(id, 4), reservation(id, 4), reservation(id, 2, { charged: false })];
    for (const held of [one, two, three]) await store.reserve(held);
    expect(await store.recover('all')).toBe(3);
    const late = { ...completed(4), audioMs: 7 };
    expect((await Promise.all([store.end(one, late), store.end(one, late)])).sort()).toEqual(['late', 'repeated']);
    expect(await balance(id)).toEqual({ credits: 6, reserved: 0 });
    // Somebody else was let have what it had left.
    await store.reserve(reservation(id, 5));
    expect(await store.end(two, late)).toBe('late');
    expect(await store.end(three, { ...completed(2), credits: 0 })).toBe('late');
    expect(await balance(id)).toEqual({ credits: 5, reserved: 5 });
    expect((await ledger()).map(({ outcome, credits, audioMs }) => [outcome, credits, audioMs]).sort()).toEqual([
      ['completed', 0, 0],
      ['completed', 1, 7],
      ['completed', 4, 7],
    ]);
    expect(await store.check()).toEqual([]);
  });
}
