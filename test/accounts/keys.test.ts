/** Who a key opens the door to, and until when, on the real database. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tell } from '../../src/accounts/database.js';
import type { Keyring } from '../../src/accounts/keyring.js';
import type { AccountStore } from '../../src/accounts/store.js';
import type { Accounts } from '../../src/accounts/types.js';
import { code, openAccounts } from '../support/accounts.js';
import type { ClockedDatabase } from '../support/processes/database-clock.js';

describe('keys', () => {
  let store: AccountStore;
  let keys: Keyring;
  let accounts: Accounts;
  let database: ClockedDatabase;
  beforeEach(async () => {
    ({ database, store, keys, accounts } = await openAccounts());
  });
  afterEach(() => accounts.close());
  afterEach(() => void vi.useRealTimers());

  it('have the decided shape, an id from their beginning, and are stored as a hash alone', async () => {
    for (let i = 0; i < 200; i++) {
      const { key, id } = await keys.create({ tier: 'free' });
      expect(key).toMatch(/^tts_[A-Za-z0-9][A-Za-z0-9_-]{42}$/);
      expect(id).toBe(key.slice(4, 12));
      expect(JSON.stringify(await store.findKey(id))).not.toContain(key.slice(12));
    }
  });

  it('open the door to whoever shows them', async () => {
    const { key, ...made } = await keys.create({ tier: 'partner', credits: 7, name: 'n' });
    expect(await accounts.authenticate(key)).toEqual(made);
  });

  it('are refused when missing, unknown, misshapen, altered, revoked or expired', async () => {
    const revoked = await keys.create({ tier: 'free' });
    await keys.revoke(revoked.id);
    const expired = await keys.create({ tier: 'free', expiresAt: new Date('2026-03-01T23:59:30.000Z') });
    const { key } = await keys.create({ tier: 'free' });
    const altered = key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A');
    const unknown = `tts_${'A'.repeat(43)}`;
    await expect(accounts.authenticate(undefined)).rejects.toEqual(code('missing_api_key'));
    await expect(accounts.authenticate('')).rejects.toEqual(code('missing_api_key'));
    for (const bad of [unknown, 'x', `${key} `, key.slice(4), altered, 'tts_', `tts_${'é'.repeat(43)}`]) {
      await expect(accounts.authenticate(bad)).rejects.toEqual(code('invalid_api_key'));
    }
    await expect(accounts.authenticate(revoked.key)).rejects.toEqual(code('revoked_api_key'));
    await expect(accounts.authenticate(expired.key)).rejects.toEqual(code('expired_api_key'));
  });

  it("work until the moment they expire, by the database's clock and no server's", async () => {
    const { key, id } = await keys.create({ tier: 'free', expiresAt: new Date('2026-03-01T23:59:31.000Z') });
    expect(await accounts.authenticate(key)).toMatchObject({ tier: 'free', expired: false });
    for (const time of ['2026-02-27T00:00:00.000Z', '2026-03-04T00:00:00.000Z']) {
      vi.useFakeTimers({ toFake: ['Date'], now: new Date(time) });
      expect(await accounts.authenticate(key)).toMatchObject({ id });
      expect((await accounts.refusedAmong([{ id, rotations: 0 }])).size).toBe(0);
    }
    vi.useRealTimers();
    await database.freezeAt('2026-03-01T23:59:31.000Z');
    await expect(accounts.authenticate(key)).rejects.toEqual(code('expired_api_key'));
    expect((await keys.list())[0]).toMatchObject({ id, expired: true });
  });

  it('are asked for anew while they work: revoked, expired or gone since then', async () => {
    const [valid, revoked, expiring, deleted] = [
      await keys.create({ tier: 'partner', credits: 1 }),
      await keys.create({ tier: 'partner' }),
      await keys.create({ tier: 'partner', expiresAt: new Date('2026-03-01T23:59:31.000Z') }),
      await keys.create({ tier: 'partner' }),
    ];
    const local = await accounts.authenticate('local-secret');
    const all = [local, valid, revoked, expiring, deleted];
    expect((await accounts.refusedAmong(all)).size).toBe(0);
    await keys.grantCredits(valid.id, 4);
    await keys.revoke(revoked.id);
    await database.freezeAt('2026-03-01T23:59:31.000Z');
    await database.write({ durable: true }, () => tell('DELETE FROM keys WHERE id = ?', deleted.id));
    const refused = await accounts.refusedAmong(all);
    expect([...refused].map(([{ id }, error]) => [id, error.code])).toEqual([
      [revoked.id, 'revoked_api_key'],
      [expiring.id, 'expired_api_key'],
      [deleted.id, 'invalid_api_key'],
    ]);
    for (const key of [revoked, expiring, deleted]) {
      await expect(accounts.renew(key)).rejects.toEqual(code(refused.get(key)!.code));
    }
    expect(await accounts.renew(local)).toBe(local);
    expect(await accounts.renew(valid)).toMatchObject({ id: valid.id, credits: 5 });
  });

  it('get another secret: the one before ends at once or later, and what it began ends with it', async () => {
    const first = await keys.create({ tier: 'partner', credits: 9, name: 'kiosk' });
    const began = await accounts.authenticate(first.key);
    const second = await keys.rotate(first.id, 60_000);
    expect(second).toMatchObject({ id: first.id, name: 'kiosk', credits: 9 });
    expect(second.key.slice(0, 12)).toBe(first.key.slice(0, 12));
    expect(second.key).not.toBe(first.key);
    expect(await accounts.authenticate(first.key)).toMatchObject({ id: first.id, rotations: 0 });
    const newer = await accounts.authenticate(second.key);
    expect(newer).toMatchObject({ id: first.id, rotations: 1 });
    expect((await accounts.refusedAmong([began, newer])).size).toBe(0);
    await database.freezeAt('2026-03-03T00:00:00.000Z');
    await expect(accounts.authenticate(first.key)).rejects.toEqual(code('revoked_api_key'));
    expect([...(await accounts.refusedAmong([began, newer])).keys()]).toEqual([began]);
    const third = await keys.rotate(first.id, 0);
    await expect(accounts.authenticate(first.key)).rejects.toEqual(code('invalid_api_key'));
    await expect(accounts.authenticate(second.key)).rejects.toEqual(code('revoked_api_key'));
    expect([...(await accounts.refusedAmong([newer])).values()]).toEqual([code('revoked_api_key')]);
    expect(await accounts.authenticate(third.key)).toMatchObject({ id: first.id, rotations: 2 });
    await keys.revoke(first.id);
    await expect(keys.rotate(first.id, 0)).rejects.toEqual(code('key_revoked'));
    await expect(keys.rotate('AAAAAAAA', 0)).rejects.toEqual(code('key_not_found'));
  });

  it('expire when an operator says so by SQL, in the forms that SQL writes; a time that cannot be read has passed', async () => {
    const { key, id } = await keys.create({ tier: 'partner', expiresAt: new Date('2026-03-01T00:00:00.000Z') });
    const set = (time: string | null) =>
      database.write({ durable: true }, () => tell('UPDATE keys SET expires_at = ? WHERE id = ?', time, id));
    const later = [
      ...['2026-03-02', '2026-03-01T23:59:31Z', '2026-03-01 23:59:31', '2026-03-01 23:59:30.123456+00'],
      ...['2026-03-01 23:59:31+00:00', '2026-03-01T15:59:31-0800', '2026-03-02 01:29:31+01:30', null],
    ];
    for (const time of later) {
      await set(time);
      expect(await accounts.authenticate(key), String(time)).toMatchObject({ expired: false });
      expect((await accounts.refusedAmong([{ id, rotations: 0 }])).size, String(time)).toBe(0);
    }
    const passed = [
      ...['2026-03-01', '2026-03-01T23:59:30Z', '2026-03-01 23:59:29', '2026-03-01 23:59:29.9+00', '', 'tomorrow'],
      ...['2026-03-02 00:59:29+01', '2026-03-01T15:59:29-08:00', '2026-99-99'],
    ];
    for (const time of passed) {
      await set(time);
      await expect(accounts.authenticate(key), time).rejects.toEqual(code('expired_api_key'));
      const [refused] = await accounts.refusedAmong([{ id, rotations: 0 }]);
      expect(refused?.[1], time).toEqual(code('expired_api_key'));
    }
  });

  it('never show up in an error', async () => {
    const key = `tts_${'Q'.repeat(43)}`;
    await expect(accounts.authenticate(key)).rejects.toMatchObject({ message: expect.not.stringContaining('QQQQ') });
  });
});
