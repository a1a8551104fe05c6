/** Reservations and balances, as every account store must keep them. */
import { beforeEach, expect, it } from 'vitest';
import type { AccountStore } from '../../../src/accounts/store.js';
import { FREE, type StoreFixture, type StoreTools, TIME } from './tools.js';

export function moneyContract(tools: StoreTools): void {
  let store: AccountStore;
  let fixture: StoreFixture;
  beforeEach(() => {
    ({ store, fixture } = tools);
  });
  const { createKey, reservation, completed, balance, ledger } = tools;

  it('holds a reservation without touching the balance', async () => {
    const id = await createKey(10);
    expect(await store.reserve(reservation(id, 4))).toMatchObject({ ok: true, freeRequests: 0 });
    expect(await balance(id)).toEqual({ credits: 10, reserved: 4 });
  });

  it('refuses a reservation beyond the free balance, and takes nothing', async () => {
    const id = await createKey(10);
    await store.reserve(reservation(id, 8));
    const refused = { ok: false, reason: 'insufficient_credits', balance: 2 };
    expect(await store.reserve(reservation(id, 3))).toEqual(refused);
    expect(await balance(id)).toEqual({ credits: 10, reserved: 8 });
  });

  it('refuses a key that was revoked since it was read, and still makes its lost reservations anew', async () => {
    const id = await createKey(10);
    const held = reservation(id, 4);
    await store.reserve(held);
    await (await fixture.another()).revokeKey(id, TIME);
    expect(await store.reserve(reservation(id, 1))).toEqual({ ok: false, reason: 'revoked' });
    expect(await store.reserve(reservation(id, 1, { ...FREE, free: { limit: 9 } }))).toMatchObject({ ok: false });
    await store.recover('all');
    expect(await store.reserve({ ...held, again: true })).toMatchObject({ ok: true });
    expect(await balance(id)).toEqual({ credits: 10, reserved: 4 });
  });

  it('refuses a charged reservation of nothing where the free balance is zero', async () => {
    const id = await createKey(3);
    await store.reserve(reservation(id, 3));
    expect(await store.reserve(reservation(id, 0))).toMatchObject({ ok: false, reason: 'insufficient_credits' });
  });

  it('extends a reservation up to the balance and not beyond', async () => {
    const id = await createKey(10);
    const held = reservation(id, 0);
    await store.reserve(held);
    expect(await store.extend(held, 6, 6)).toEqual({ ok: true });
    expect(await store.extend(held, 5, 5)).toEqual({ ok: false, reason: 'insufficient_credits', balance: 4 });
    expect(await balance(id)).toEqual({ credits: 10, reserved: 6 });
    await store.end(held, completed(6));
    expect((await ledger())[0]).toMatchObject({ characters: 6, credits: 6 });
  });

  it('debits once at the end, however often it is ended', async () => {
    const id = await createKey(10);
    const held = reservation(id, 4);
    await store.reserve(held);
    const end = { ...completed(4), audioMs: 1234.4 };
    const ends = await Promise.all([store.end(held, end), store.end(held, end), store.end(held, end)]);
    expect(ends.sort()).toEqual(['ended', 'repeated', 'repeated']);
    expect([await store.drop(held), await store.end(held, end)]).toEqual([false, 'repeated']);
    expect(await balance(id)).toEqual({ credits: 6, reserved: 0 });
    expect(await ledger()).toEqual([
      {
        time: TIME,
        requestId: 'req_1',
        keyId: id,
        model: 'base-tts',
        voice: 'v',
        characters: 4,
        credits: 4,
        audioMs: 1234,
        outcome: 'completed',
        deliveredCharacters: 4,
      },
    ]);
  });

  it('returns the credits of a failed or cancelled request and books it with none', async () => {
    const id = await createKey(10);
    for (const outcome of ['failed', 'cancelled'] as const) {
      const held = reservation(id, 4);
      await store.reserve(held);
      await store.end(held, { ...completed(4), outcome, audioMs: 5, deliveredCharacters: 3, credits: 0 });
    }
    expect(await balance(id)).toEqual({ credits: 10, reserved: 0 });
    expect((await ledger()).map((row) => [row.outcome, row.credits, row.deliveredCharacters])).toEqual([
      ['failed', 0, 3],
      ['cancelled', 0, 3],
    ]);
  });

  it('debits a part of a reservation and returns the rest, never more of either than was reserved', async () => {
    const id = await createKey(10);
    for (const asked of [3, 99]) {
      const held = reservation(id, 4);
      await store.reserve(held);
      const end = {
        outcome: 'cancelled',
        time: TIME,
        audioMs: 5,
        characters: asked + 4,
        deliveredCharacters: asked,
        credits: asked,
      } as const;
      expect(await store.end(held, end)).toBe('ended');
    }
    const free = reservation(id, 4, { charged: false });
    await store.reserve(free);
    await store.end(free, completed(4));
    expect(await balance(id)).toEqual({ credits: 3, reserved: 0 });
    expect((await ledger()).map((row) => [row.characters, row.deliveredCharacters, row.credits])).toEqual([
      [4, 3, 3],
      [4, 4, 4],
      [4, 4, 0],
    ]);
  });

  it('books the characters that were needed of those reserved, where it is told', async () => {
    const id = await createKey(10);
    const held = reservation(id, 8);
    await store.reserve(held);
    await store.end(held, { ...completed(5), characters: 5 });
    expect(await balance(id)).toEqual({ credits: 5, reserved: 0 });
    expect(await ledger()).toMatchObject([{ characters: 5, deliveredCharacters: 5, credits: 5 }]);
  });

  it('drops a reservation without a trace, the day count included', async () => {
    const id = await createKey(10, 'free');
    const held = reservation(id, 4, { ...FREE, free: { limit: 2 } });
    expect(await store.reserve(held)).toMatchObject({ ok: true, freeRequests: 1 });
    expect(await store.drop(held)).toBe(true);
    expect((await store.listKeys())[0]!.today.freeRequests).toBe(0);
    expect(await ledger()).toEqual([]);
  });

  it('keeps many charges at once within the balance', async () => {
    const id = await createKey(100);
    const other = await fixture.another();
    const asked = await Promise.all(
      Array.from({ length: 60 }, async (_, n) => {
        const via = n % 2 ? store : other;
        const held = reservation(id, 7);
        const result = await via.reserve(held);
        if (result.ok) await via.end(held, completed(7));
        return result.ok;
      }),
    );
    await other.close();
    expect(asked.filter(Boolean)).toHaveLength(14);
    expect(await balance(id)).toEqual({ credits: 2, reserved: 0 });
  });

  it('finds nothing wrong with balances that its own methods made', async () => {
    const id = await createKey(100);
    await store.grantCredits(id, 7, TIME);
    const ends = [completed(4), { ...completed(2), outcome: 'cancelled' } as const, undefined];
    for (const end of ends) {
      const held = reservation(id, 4);
      await store.reserve(held);
      await (end ? store.end(held, end) : store.drop(held));
    }
    await store.reserve(reservation(id, 9));
    expect(await balance(id)).toEqual({ credits: 101, reserved: 9 });
    expect(await store.check()).toEqual([]);
  });

  it('backs up while it is being written to', async () => {
    const id = await createKey(1000);
    const writes = Array.from({ length: 50 }, () => store.reserve(reservation(id, 1)));
    await store.backup(fixture.backupFile);
    await Promise.all(writes);
    const copy = await fixture.openBackup(fixture.backupFile);
    expect((await copy.findKey(id))?.credits).toBe(1000);
    await copy.close();
  });
}
