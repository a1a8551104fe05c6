/** Questions to the store, whose failures are told to clients in other words than to the log. */
import { type Clock, systemClock } from '../clock.js';
import type { Logger } from '../log.js';
import { TtsError } from '../protocol/errors.js';
import { COMPLAIN_EVERY_MS, STORE_RETRY_S } from './tuning.js';

/** The error for clients. The store's own words name files of this machine, and go to the log. */
export const storeUnavailable = (cause?: unknown): TtsError =>
  new TtsError(
    'store_unavailable',
    `The accounts cannot be read or written at the moment, so no new work is taken on. Try again in ${STORE_RETRY_S} seconds.`,
    { retryAfterS: STORE_RETRY_S, cause },
  );

export class StoreGuard {
  readonly #log: Pick<Logger, 'error'> | undefined;
  readonly #clock: Clock;
  #complainedAtMs = Number.NEGATIVE_INFINITY;

  constructor(log: Pick<Logger, 'error'> | undefined, clock = systemClock) {
    this.#log = log;
    this.#clock = clock;
  }

  readonly asked = async <T>(question: () => Promise<T>): Promise<T> => {
    try {
      return await question();
    } catch (error) {
      if (!(error instanceof TtsError) || error.code !== 'store_unavailable') throw error;
      if (this.#clock.now() - this.#complainedAtMs > COMPLAIN_EVERY_MS) {
        this.#complainedAtMs = this.#clock.now();
        this.#log?.error({ err: error }, 'the accounts cannot be used');
      }
      throw storeUnavailable(error);
    }
  };
}
