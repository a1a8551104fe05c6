/** Keys, their limits, and secrets, as every account store must keep them. */
import { beforeEach, expect, it } from 'vitest';
import { drawKey } from '../../../src/accounts/api-key.js';
import { tell } from '../../../src/accounts/database.js';
import type { AccountStore } from '../../../src/accounts/store.js';
import { DAY, NO_LIMITS, type StoreFixture, type StoreTools, TIME } from './tools.js';

export function keysContract(tools: StoreTools): void {
  let store: AccountStore;
  let fixture: StoreFixture;
  beforeEach(() => {
    ({ store, fixture } = tools);
  });
  const { createKey, balance } = tools;

  it('finds a key as it was made, and nothing under another id', async () => {
    const { id, hash } = drawKey();
    const made = {
      id,
      tier: 'free',
      name: null,
      credits: 0,
      createdAt: TIME,
      expiresAt: DAY,
      limits: NO_LIMITS,
    } as const;
    expect(await store.createKey({ ...made, hash })).toBe(true);
    expect(await store.findKey(id)).toEqual({
      ...made,
      hash: Buffer.from(hash),
      previousHash: null,
      rotations: 0,
      rotatedAt: null,
      previousEndsAt: null,
      reserved: 0,
      revoked: false,
      expired: true,
    });
    expect(await store.findKey('AAAAAAAA')).toBeUndefined();
  });

  it('refuses a second key with the same id', async () => {
    const { id, hash } = drawKey();
    const made = { id, tier: 'free', name: null, credits: 0, createdAt: TIME, expiresAt: null } as const;
    await store.createKey({ ...made, hash });
    expect(await store.createKey({ ...made, hash: drawKey().hash })).toBe(false);
  });

  it('changes what it is told of a key and leaves the rest', async () => {
    const id = await createKey(3);
    expect(await store.findKey(id)).toMatchObject({ name: 'n', limits: NO_LIMITS });
    expect(await store.changeKey(id, { concurrency: 4, freeDaily: 0 })).toBe(true);
    expect(await store.changeKey(id, { name: 'phone' })).toBe(true);
    const limits = { concurrency: 4, freeDaily: 0 };
    expect(await store.findKey(id)).toMatchObject({ name: 'phone', credits: 3, limits });
    expect(await store.changeKey(id, { name: null, freeDaily: null })).toBe(true);
    expect(await store.findKey(id)).toMatchObject({ name: null, limits: { concurrency: 4, freeDaily: null } });
    expect(await store.changeKey('AAAAAAAA', { name: 'nobody' })).toBe(false);
  });

  it('keeps the hash of a secret, and the first of two that were only to be kept', async () => {
    expect(await store.secretHash('admin')).toBeUndefined();
    expect(await store.putSecretHash('admin', Buffer.from('one'), { keep: true })).toBe(true);
    expect(await store.putSecretHash('admin', Buffer.from('two'), { keep: true })).toBe(false);
    expect(Buffer.from((await store.secretHash('admin'))!).toString()).toBe('one');
    expect(await store.putSecretHash('admin', Buffer.from('three'))).toBe(true);
    expect(Buffer.from((await (await fixture.another()).secretHash('admin'))!).toString()).toBe('three');
  });

  it('revokes a key, and says when there is none', async () => {
    const id = await createKey();
    expect(await store.revokeKey(id, TIME)).toBe(true);
    expect((await store.findKey(id))?.revoked).toBe(true);
    expect(await store.revokeKey('AAAAAAAA', TIME)).toBe(false);
  });

  it('replaces the secret of a key, with the one before until its end', async () => {
    const { id, hash } = drawKey();
    await store.createKey({ id, hash, tier: 'partner', name: null, credits: 5, createdAt: TIME, expiresAt: null });
    await fixture.database.freezeAt(TIME);
    const [second, third] = [drawKey().hash, drawKey().hash];
    expect(await store.rotateKey(id, second, { time: TIME, graceMs: 60_000 })).toBe(true);
    const end = new Date(Date.parse(TIME) + 60_000).toISOString();
    const rotated = { credits: 5, rotations: 1, rotatedAt: TIME, previousEndsAt: end };
    expect(await store.findKey(id)).toMatchObject({
      ...rotated,
      hash: Buffer.from(second),
      previousHash: Buffer.from(hash),
    });
    expect((await store.findKeys([id]))[0]).toMatchObject(rotated);
    expect(Object.keys((await store.listKeys())[0]!).filter((field) => /hash/i.test(field))).toEqual([]);
    await fixture.database.freezeAt(end);
    expect(await store.findKey(id)).toMatchObject({ previousEndsAt: null, previousHash: Buffer.from(hash) });
    expect(await store.rotateKey(id, third, { time: end, graceMs: 0 })).toBe(true);
    const now = { rotations: 2, rotatedAt: end, previousEndsAt: null, hash: Buffer.from(third) };
    expect(await store.findKey(id)).toMatchObject({ ...now, previousHash: Buffer.from(second) });
    expect(await store.rotateKey('AAAAAAAA', third, { time: end, graceMs: 0 })).toBe(false);
  });

  it('ends tickets and sign-ins of a replaced secret no later than the secret', async () => {
    const [id, other] = [await createKey(), await createKey()];
    await fixture.database.freezeAt(TIME);
    const at = (ms: number) => fixture.database.freezeAt(new Date(Date.parse(TIME) + ms).toISOString());
    const [mine, theirs, ticket] = ['a', 'b', 'c'].map((text) => Buffer.alloc(32, text)) as [Buffer, Buffer, Buffer];
    const { passes } = store;
    await passes.addSignIn({ role: 'key', standing: id, hash: mine, ttlMs: 100_000 });
    await passes.addSignIn({ role: 'key', standing: other, hash: theirs, ttlMs: 100_000 });
    await passes.addTicket({ hash: ticket, keyId: id, session: mine, ttlMs: 100_000 });
    await store.rotateKey(id, drawKey().hash, { time: TIME, graceMs: 50_000 });
    await at(49_999);
    expect(await passes.findSignIn(mine)).toMatchObject({ standing: id });
    await at(50_000);
    expect(await passes.findSignIn(mine)).toBeUndefined();
    expect(await passes.takeTicket(ticket)).toBeUndefined();
    expect(await passes.findSignIn(theirs)).toMatchObject({ standing: other });
  });

  it('adds granted credits to the balance, and says when there is no such key', async () => {
    const id = await createKey(5);
    expect(await store.grantCredits(id, 37, TIME)).toBe(true);
    expect(await balance(id)).toEqual({ credits: 42, reserved: 0 });
    expect(await store.grantCredits('AAAAAAAA', 1, TIME)).toBe(false);
  });

  it('keeps limits of a key by model', async () => {
    const { id, hash } = drawKey();
    const limits = { concurrency: { 'base-tts-fast': 4 }, freeDaily: { 'base-tts': 0, 'base-tts-fast': 9 } } as const;
    const made = { id, hash, tier: 'free', name: null, credits: 0, createdAt: TIME, expiresAt: null } as const;
    await store.createKey({ ...made, limits });
    const limitsOf = async () => (await store.findKey(id))?.limits;
    expect(await limitsOf()).toEqual(limits);
    expect((await store.listKeys())[0]?.limits).toEqual(limits);
    expect((await store.findKeys([id]))[0]?.limits).toEqual(limits);
    await store.changeKey(id, { name: 'n', freeDaily: 7 });
    expect(await limitsOf()).toEqual({ concurrency: { 'base-tts-fast': 4 }, freeDaily: 7 });
    await store.changeKey(id, { concurrency: null, freeDaily: { 'base-tts': 1 } });
    expect(await limitsOf()).toEqual({ concurrency: null, freeDaily: { 'base-tts': 1 } });
    // By hand both may be there: the model's own limit goes before the key's.
    await fixture.database.write({ durable: true }, () => tell('UPDATE keys SET free_daily = 50 WHERE id = ?', id));
    expect((await limitsOf())?.freeDaily).toEqual({ 'base-tts': 1, 'base-tts-fast': 50 });
    await store.changeKey(id, { freeDaily: null });
    expect(await limitsOf()).toEqual(NO_LIMITS);
  });

  it('finds those of many keys that there are, as they are now', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 130; n++) ids.push(await createKey());
    for (const id of [ids[3]!, ids[125]!]) await store.revokeKey(id, TIME);
    const found = await store.findKeys(['local', ...ids]);
    expect(found.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(found.filter(({ revoked }) => revoked).map(({ id }) => id)).toEqual([ids[3], ids[125]]);
    expect(found.filter((key) => 'hash' in key)).toEqual([]);
    expect(await store.findKeys([])).toEqual([]);
  });

  it('sees at once what another connection did', async () => {
    const id = await createKey(1);
    const other = await fixture.another();
    await other.grantCredits(id, 9, TIME);
    await other.revokeKey(id, TIME);
    expect(await store.findKey(id)).toMatchObject({ credits: 10, revoked: true });
    await other.close();
  });
}
