/**
 * What an operator does with keys: make, list, change, rotate, revoke, grant. Works beside a
 * running server.
 */
import { TtsError } from '../protocol/errors.js';
import { drawKey, redrawKey } from './api-key.js';
import type { AccountStore, KeyChange, KeySummary } from './store.js';
import type { KeyLimits, KeyRecord, Tier } from './types.js';

export interface KeyOptions {
  readonly tier: Tier;
  readonly credits?: number;
  readonly name?: string | undefined;
  readonly expiresAt?: Date | undefined;
  readonly limits?: Partial<KeyLimits>;
}

interface CreatedKey extends KeyRecord {
  /** The only time it is seen. */
  readonly key: string;
}

export interface Keyring {
  create(options: KeyOptions): Promise<CreatedKey>;
  list(): Promise<KeySummary[]>;
  change(id: string, change: KeyChange): Promise<KeyRecord>;
  /** Another secret for the same key; the one before works for `graceMs` longer. */
  rotate(id: string, graceMs: number): Promise<CreatedKey>;
  revoke(id: string): Promise<KeyRecord>;
  grantCredits(id: string, credits: number): Promise<KeyRecord>;
}

export function createKeyring(store: AccountStore, now: () => Date = () => new Date()): Keyring {
  const found = async (id: string, did: boolean): Promise<KeyRecord> => {
    const key = did ? await store.findKey(id) : undefined;
    if (!key) {
      throw new TtsError('key_not_found', `There is no key with the id "${id}". "tts keys list" shows the ids.`);
    }
    const { hash: _hash, previousHash: _previous, ...record } = key;
    return record;
  };
  return {
    async create({ tier, credits = 0, name, expiresAt, limits }) {
      const given = {
        tier,
        name: name ?? null,
        credits,
        createdAt: now().toISOString(),
        expiresAt: expiresAt?.toISOString() ?? null,
        limits: { concurrency: null, freeDaily: null, ...limits },
      };
      for (;;) {
        const { key, id, hash } = drawKey();
        const row = { id, ...given };
        if (await store.createKey({ ...row, hash })) return { key, ...(await found(id, true)) };
      }
    },
    list: () => store.listKeys(),
    change: async (id, change) => found(id, await store.changeKey(id, change)),
    async rotate(id, graceMs) {
      if ((await found(id, true)).revoked) {
        throw new TtsError('key_revoked', `The key ${id} was revoked, which cannot be undone. Make a new key.`);
      }
      const { key, hash } = redrawKey(id);
      const did = await store.rotateKey(id, hash, { time: now().toISOString(), graceMs });
      return { key, ...(await found(id, did)) };
    },
    revoke: async (id) => found(id, await store.revokeKey(id, now().toISOString())),
    async grantCredits(id, credits) {
      const before = await found(id, true);
      if (before.credits + credits > Number.MAX_SAFE_INTEGER) {
        throw new TtsError('usage', `Key ${id} cannot hold more than ${Number.MAX_SAFE_INTEGER} credits.`);
      }
      return found(id, await store.grantCredits(id, credits, now().toISOString()));
    },
  };
}
