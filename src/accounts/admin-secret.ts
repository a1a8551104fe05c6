/**
 * What the operator proves who they are with: drawn at the first start, shown once, kept as a hash
 * beside the keys.
 */
import { randomBytes } from 'node:crypto';
import { hashKey, sameHash } from './api-key.js';
import type { AccountStore } from './store.js';

const NAME = 'admin';
const PREFIX = 'ttsadmin_';

export interface AdminSecret {
  /**
   * Draws one where there is none yet, and returns it; it is seen this once. Undefined where there
   * was one.
   */
  begin(): Promise<string | undefined>;
  /** Draws another secret. The old one is refused from now on, and so are sign-ins with it. */
  reset(): Promise<string>;
  /** What a sign-in stands on, or undefined where the secret is wrong. */
  verify(secret: string): Promise<string | undefined>;
  /**
   * Whether a sign-in still stands: not where another secret was drawn since, by this process or
   * another one.
   */
  holds(standing: string): Promise<boolean>;
}

export function createAdminSecret(store: Pick<AccountStore, 'secretHash' | 'putSecretHash'>): AdminSecret {
  const draw = () => PREFIX + randomBytes(32).toString('base64url');
  const standing = async () => {
    const hash = await store.secretHash(NAME);
    return hash === undefined ? undefined : Buffer.from(hash).toString('hex');
  };
  return {
    async begin() {
      const secret = draw();
      return (await store.putSecretHash(NAME, hashKey(secret), { keep: true })) ? secret : undefined;
    },
    async reset() {
      const secret = draw();
      await store.putSecretHash(NAME, hashKey(secret));
      return secret;
    },
    async verify(secret) {
      const hash = await store.secretHash(NAME);
      return hash !== undefined && sameHash(hashKey(secret), hash) ? Buffer.from(hash).toString('hex') : undefined;
    },
    holds: async (asked) => (await standing()) === asked,
  };
}
