/**
 * Rows that have ended are deleted every now and then, and the ledger is summed up by day, by one
 * of the servers that share a store.
 */
import { type Clock, systemClock, type Timer } from '../clock.js';
import type { Logger } from '../log.js';
import type { AccountStore } from './store.js';
import { PURGE_EVERY_MS } from './tuning.js';

type PurgedStore = Pick<AccountStore, 'rollUsage'> & { readonly passes: Pick<AccountStore['passes'], 'purge'> };

export class Purges {
  readonly #store: PurgedStore;
  readonly #log: Pick<Logger, 'error'> | undefined;
  readonly #clock: Clock;
  #timer: Timer;
  #purging: Promise<void> | undefined;
  #failed = false;
  #closed = false;

  /**
   * The first purge is due at a random time, so that servers which start together do not purge
   * together.
   */
  constructor(store: PurgedStore, log: Pick<Logger, 'error'> | undefined, clock = systemClock) {
    this.#store = store;
    this.#log = log;
    this.#clock = clock;
    this.#timer = this.#schedule(PURGE_EVERY_MS * Math.random());
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#timer.cancel();
    await this.#purging;
  }

  #schedule(ms: number): Timer {
    const due = () => {
      this.#purging = this.#purge().finally(() => {
        if (!this.#closed) this.#timer = this.#schedule(PURGE_EVERY_MS);
      });
    };
    return this.#clock.setTimeout(due, ms).unref();
  }

  async #purge(): Promise<void> {
    try {
      if (await this.#store.passes.purge(PURGE_EVERY_MS)) await this.#store.rollUsage();
      this.#failed = false;
    } catch (error) {
      // Requests report a store that is away; rows that stay do no harm.
      if (!this.#failed) this.#log?.error({ err: error }, 'rows that have ended could not be deleted or summed up yet');
      this.#failed = true;
    }
  }
}
