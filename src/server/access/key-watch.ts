/**
 * Watches the keys of work in progress: a key that is revoked or expires ends its work, and so does
 * a replaced secret.
 */
import type { Accounts, CallerKey } from '../../accounts/types.js';
import { type Clock, systemClock, type Timer } from '../../clock.js';
import type { Logger } from '../../log.js';
import type { TtsError } from '../../protocol/errors.js';

/** How often the accounts are asked for refused keys while any key is watched (ms). */
const CHECK_MS = 1_000;

interface Watch {
  readonly id: string;
  readonly rotations: number;
  readonly onRefused: (reason: TtsError) => void;
}

export interface KeyWatchOptions {
  readonly accounts: Pick<Accounts, 'refusedAmong'>;
  readonly log: Pick<Logger, 'debug'>;
  readonly clock?: Clock | undefined;
}

export class KeyWatch {
  readonly #accounts: Pick<Accounts, 'refusedAmong'>;
  readonly #log: Pick<Logger, 'debug'>;
  readonly #watches = new Set<Watch>();
  readonly #clock: Clock;
  #timer: Timer | undefined;
  #checking = false;

  constructor({ accounts, log, clock = systemClock }: KeyWatchOptions) {
    this.#accounts = accounts;
    this.#log = log;
    this.#clock = clock;
  }

  /**
   * Calls `onRefused` when the key is revoked, expired or deleted, or its secret has ended. The
   * result ends the watch.
   */
  watch({ id, rotations }: CallerKey, onRefused: Watch['onRefused']): () => void {
    const watch = { id, rotations, onRefused };
    this.#watches.add(watch);
    this.#timer ??= this.#clock.setInterval(() => void this.#check(), CHECK_MS).unref();
    return () => {
      this.#watches.delete(watch);
      if (this.#watches.size > 0) return;
      this.#timer?.cancel();
      this.#timer = undefined;
    };
  }

  /** One question at a time, so that a slow database is not asked more and more. */
  async #check(): Promise<void> {
    if (this.#checking) return;
    this.#checking = true;
    try {
      const refused = await this.#accounts.refusedAmong([...this.#watches]);
      for (const [watch, reason] of refused) {
        if (this.#watches.has(watch)) watch.onRefused(reason);
      }
    } catch (error) {
      this.#log.debug({ err: error }, 'keys could not be looked up');
    } finally {
      this.#checking = false;
    }
  }
}
