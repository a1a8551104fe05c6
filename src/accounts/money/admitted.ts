/** An accepted request: what its ends debit and book. The first end counts. */
import type { Clock } from '../../clock.js';
import type { ReservationEnd } from '../store.js';
import type { Admission, RateLimit } from '../types.js';
import { CREDITS_PER_CHAR, type Reservation } from './reservation.js';

export interface AdmittedOptions {
  readonly reservation: Reservation;
  readonly charged: boolean;
  /** Debits what was delivered of requests that their client broke off. */
  readonly billDelivered: boolean;
  readonly rateLimit: RateLimit | undefined;
  /** The database's time minus the clock's: times in the ledger are the database's. */
  readonly clockAheadMs: number;
  readonly clock: Clock;
  /** Writes the end of the request, now or later; called once. */
  readonly onEnd: (write: () => Promise<unknown>) => Promise<void>;
}

export class AdmittedRequest implements Admission {
  readonly rateLimit: RateLimit | undefined;
  readonly #options: AdmittedOptions;
  readonly #reservation: Reservation;
  #ended = false;
  #debited = 0;

  constructor(options: AdmittedOptions) {
    this.#options = options;
    this.#reservation = options.reservation;
    this.rateLimit = options.rateLimit;
  }

  get chars(): number {
    return this.#reservation.chars;
  }

  get debited(): number {
    return this.#debited;
  }

  get held(): boolean {
    return this.#reservation.held;
  }

  confirm(): Promise<void> {
    return this.#reservation.confirm();
  }

  extend(chars: number): Promise<void> {
    return this.#reservation.extend(chars);
  }

  settle({ audioMs }: { audioMs: number }): Promise<void> {
    return this.#end('completed', audioMs, this.chars, this.chars);
  }

  release(
    outcome: 'failed' | 'cancelled',
    { audioMs, deliveredChars, byClient }: Parameters<Admission['release']>[1],
  ): Promise<void> {
    // What was delivered while the reservation was gone is billed too: nobody else may have it for
    // nothing.
    const billed = this.#options.billDelivered && (byClient || this.#reservation.wasLost);
    return this.#end(outcome, audioMs, deliveredChars, billed ? Math.min(deliveredChars, this.chars) : 0);
  }

  reject(): Promise<void> {
    return this.#endOnce(() => this.#reservation.drop());
  }

  /** A request that made no sample delivered nothing, and is not debited. */
  #end(
    outcome: ReservationEnd['outcome'],
    audioMs: number,
    deliveredChars: number,
    billedChars: number,
  ): Promise<void> {
    const { charged, clock, clockAheadMs } = this.#options;
    const hasAudio = audioMs > 0;
    const credits = charged && hasAudio ? billedChars * CREDITS_PER_CHAR : 0;
    const deliveredCharacters = hasAudio ? deliveredChars : 0;
    if (!this.#ended) this.#debited = credits;
    const time = new Date(clockAheadMs + clock.now()).toISOString();
    return this.#endOnce(() => this.#reservation.end({ outcome, audioMs, deliveredCharacters, credits, time }));
  }

  async #endOnce(write: () => Promise<unknown>): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#options.onEnd(write);
  }
}
