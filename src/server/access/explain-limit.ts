/** How many texts may be explained at once: of one caller, and of all. */
import { TtsError } from '../../protocol/errors.js';

const PER_CALLER = 2;
const IN_ALL = 8;
/** About what one takes, with others before it. */
const RETRY_AFTER_S = 1;

export class ExplainLimit {
  readonly #callers = new Map<string, number>();
  #running = 0;

  /** Runs `work`, or throws `concurrency_limit_exceeded`. `caller` is a key or an address. */
  async run<T>(caller: string, work: () => Promise<T>): Promise<T> {
    const own = this.#callers.get(caller) ?? 0;
    if (own >= PER_CALLER || this.#running >= IN_ALL) {
      const bound = own >= PER_CALLER ? `${PER_CALLER} texts at once for one caller` : `${IN_ALL} texts at once`;
      const message = `This server explains ${bound}. Wait for an answer before asking again.`;
      throw new TtsError('concurrency_limit_exceeded', message, { retryAfterS: RETRY_AFTER_S });
    }
    this.#callers.set(caller, own + 1);
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      const left = this.#callers.get(caller)! - 1;
      if (left === 0) this.#callers.delete(caller);
      else this.#callers.set(caller, left);
    }
  }
}
