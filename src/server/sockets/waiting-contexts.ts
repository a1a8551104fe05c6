/** Bounds, by key and in all, contexts that wait for their permit, and the text for them. */
import { TtsError } from '../../protocol/errors.js';
import { MAX_PENDING_CHARS } from '../../protocol/stream.js';

export interface WaitingLimits {
  readonly contexts: number;
  /** UTF-16 units of text; a flush is one. */
  readonly units: number;
}

/** What a socket may hold at once, and what may wait to be spoken on one. */
export const LIMITS_A_KEY: WaitingLimits = { contexts: 20, units: MAX_PENDING_CHARS };
/** Some ten megabytes. */
export const LIMITS_IN_ALL: WaitingLimits = { contexts: 400, units: 20 * MAX_PENDING_CHARS };
const RETRY_S = 1;

interface Held {
  contexts: number;
  units: number;
}

export interface WaitingContext {
  /**
   * Text or flushes came. Throws `text_too_long` where the key has too much waiting, `overloaded`
   * where the server has.
   */
  hold(units: number): void;
  /** The context waits no longer. Idempotent. */
  leave(): void;
}

export class WaitingContexts {
  readonly #keys = new Map<string, Held>();
  readonly #all: Held = { contexts: 0, units: 0 };

  get counts(): Readonly<Held> {
    return this.#all;
  }

  /** Throws `overloaded` where too many wait, of this key or in all. */
  enter(keyId: string): WaitingContext {
    const held = this.#keys.get(keyId) ?? { contexts: 0, units: 0 };
    if (held.contexts >= LIMITS_A_KEY.contexts) {
      throw overloaded(`${LIMITS_A_KEY.contexts} contexts of this key are waiting to be opened, which is the bound.`);
    }
    if (this.#all.contexts >= LIMITS_IN_ALL.contexts) {
      throw overloaded('As many contexts are waiting to be opened as this server holds.');
    }
    this.#keys.set(keyId, held);
    held.contexts += 1;
    this.#all.contexts += 1;
    let own = 0;
    let left = false;
    return {
      hold: (units) => {
        if (held.units + units > LIMITS_A_KEY.units) {
          const bound = `${LIMITS_A_KEY.units} characters of this key wait for contexts that are not open yet`;
          throw new TtsError('text_too_long', `More than ${bound}. Send text at the pace at which its audio arrives.`);
        }
        if (this.#all.units + units > LIMITS_IN_ALL.units) {
          throw overloaded('As much text waits for contexts that are not open yet as this server holds.');
        }
        own += units;
        held.units += units;
        this.#all.units += units;
      },
      leave: () => {
        if (left) return;
        left = true;
        held.contexts -= 1;
        held.units -= own;
        this.#all.contexts -= 1;
        this.#all.units -= own;
        if (held.contexts === 0) this.#keys.delete(keyId);
      },
    };
  }
}

const overloaded = (what: string): TtsError =>
  new TtsError('overloaded', `${what} Try again in a moment.`, { retryAfterS: RETRY_S });
