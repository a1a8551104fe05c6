/** API keys: how they are drawn, recognised and hashed. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

const PREFIX = 'tts_';
const ID_CHARS = 8;
const SHAPE = /^tts_[A-Za-z0-9][A-Za-z0-9_-]{42}$/;

export interface ApiKey {
  /** Shown once, never stored. */
  readonly key: string;
  readonly id: string;
  readonly hash: Uint8Array;
}

export const hashKey = (key: string): Uint8Array => hash('sha256', key, 'buffer');
export const sameHash = (a: Uint8Array, b: Uint8Array): boolean => timingSafeEqual(a, b);

/** The public id in a key, or undefined where this is no key of ours. */
export const keyId = (key: string): string | undefined =>
  SHAPE.test(key) ? key.slice(PREFIX.length, PREFIX.length + ID_CHARS) : undefined;

/** Another key with the id of an earlier one. */
export function redrawKey(id: string): ApiKey {
  const key = PREFIX + id + randomBytes(32).toString('base64url').slice(ID_CHARS);
  return { key, id, hash: hashKey(key) };
}

export function drawKey(): ApiKey {
  for (;;) {
    // An id that began with a dash would read as an option on a command line.
    const key = PREFIX + randomBytes(32).toString('base64url');
    const id = keyId(key);
    if (id !== undefined) return { key, id, hash: hashKey(key) };
  }
}
