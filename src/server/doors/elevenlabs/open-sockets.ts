/** Bounds the sockets of a key: they hold a connection before, between and after their contexts. */
import type { Accounts, KeyRecord } from '../../../accounts/types.js';
import { TtsError } from '../../../protocol/errors.js';

/** Sockets that any key may have open; a key has twice its concurrency where that is more. */
const MIN_SOCKETS = 64;
const RETRY_S = 1;

export class OpenSockets {
  readonly #accounts: Pick<Accounts, 'limits' | 'local'>;
  readonly #open = new Map<string, number>();

  constructor(accounts: Pick<Accounts, 'limits' | 'local'>) {
    this.#accounts = accounts;
  }

  /** Throws `concurrency_limit_exceeded`; else returns how to give the place back, once. */
  take(key: KeyRecord): () => void {
    const { id, limits } = key;
    const open = this.#open.get(id) ?? 0;
    const atOnce =
      typeof limits.concurrency === 'number' ? limits.concurrency : this.#accounts.limits.partnerConcurrency;
    const most = Math.max(MIN_SOCKETS, 2 * atOnce);
    if (open >= most && id !== this.#accounts.local?.id) {
      const message = `This key already has ${most} sockets open, which is the limit. Close one, or speak in contexts of one.`;
      throw new TtsError('concurrency_limit_exceeded', message, { retryAfterS: RETRY_S });
    }
    this.#open.set(id, open + 1);
    return () => {
      const left = this.#open.get(id)! - 1;
      if (left === 0) this.#open.delete(id);
      else this.#open.set(id, left);
    };
  }
}
