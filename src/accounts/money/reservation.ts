/**
 * The reservation behind one accepted request: extended as its text arrives, looked at again after
 * the lease ran out, made anew where it was lost, and ended once.
 */
import type { Logger } from '../../log.js';
import { TtsError } from '../../protocol/errors.js';
import { shortOf } from '../access.js';
import type { Lease } from '../lease.js';
import type { AccountStore, EndResult, NewReservation, ReservationEnd } from '../store.js';
import { AHEAD_BALANCE_RESERVES, AHEAD_CHARS, LOST_RETRY_S } from '../tuning.js';
import type { LostReservations } from '../types.js';

export const CREDITS_PER_CHAR = 1;
/**
 * The free balance above which a session reserves ahead; what it did not need is returned when it
 * ends.
 */
export const AHEAD_BALANCE = AHEAD_BALANCE_RESERVES * AHEAD_CHARS * CREDITS_PER_CHAR;

export interface ReservationOptions {
  readonly store: AccountStore;
  /** Of a shared store. */
  readonly lease: Lease | undefined;
  /** The lease's epoch before the reservation was made. */
  readonly epoch: number | undefined;
  /** As it was made. */
  readonly reservation: NewReservation;
  readonly reserveAhead: boolean;
  /** Asks the store; its failures are replaced by errors for clients. */
  readonly asked: <T>(question: () => Promise<T>) => Promise<T>;
  readonly lost: LostReservations;
  readonly log: Pick<Logger, 'error' | 'info'> | undefined;
}

export class Reservation {
  readonly #options: ReservationOptions;
  /** The lease's epoch in which the row was last seen. */
  #epoch: number | undefined;
  #chars: number;
  /** Characters reserved beyond `#chars`. */
  #spare = 0;
  #ended = false;
  #wasLost = false;
  /** Changes of one reservation follow one another. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ReservationOptions) {
    this.#options = options;
    this.#chars = options.reservation.characters;
    this.#epoch = options.epoch;
  }

  /** Characters reserved for the request's text. */
  get chars(): number {
    return this.#chars;
  }

  /** Its row was gone at some time: what was delivered meanwhile may be unpaid. */
  get wasLost(): boolean {
    return this.#wasLost;
  }

  /**
   * Whether it holds for certain: no other server can have returned it. Without limits or price
   * there is nothing to hold.
   */
  get held(): boolean {
    const { lease, reservation } = this.#options;
    if (lease === undefined || (!reservation.charged && reservation.sessions === undefined)) return true;
    return this.#epoch !== undefined && this.#epoch === lease.epoch;
  }

  /**
   * Resolves once it holds for certain; rejects with `store_unavailable` where it was lost and
   * cannot be made anew.
   */
  async confirm(): Promise<void> {
    if (!this.held) await this.#inTurn(() => this.#confirm());
  }

  extend(chars: number): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#ended || chars === 0) return;
      await this.#confirm();
      await this.#extend(chars);
    });
  }

  /**
   * The first end counts; any other resolves with undefined. The store's own failures are the
   * caller's to retry.
   */
  async end(end: Omit<ReservationEnd, 'characters'>): Promise<EndResult | undefined> {
    const { store, reservation, lost, log } = this.#options;
    this.#ended = true;
    // A change under way could make the row anew behind the end.
    await this.#last;
    const found = await store.end(reservation, { ...end, characters: this.#chars });
    if (found !== 'late' && found !== 'unknown') return found;
    lost.booked++;
    const { requestId, keyId } = reservation;
    const { outcome, deliveredCharacters, credits } = end;
    const told = { requestId, keyId, outcome, chars: this.#chars, deliveredCharacters, credits };
    log?.error(told, 'a request ended whose reservation was gone; the ledger tells what was delivered');
    return found;
  }

  async drop(): Promise<void> {
    this.#ended = true;
    await this.#last;
    await this.#options.store.drop(this.#options.reservation);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #confirm(): Promise<void> {
    const { store, lease, asked, reservation } = this.#options;
    if (this.#ended || this.held) return;
    const epoch = await asked(() => lease!.renew());
    if (!(await asked(() => store.holds(reservation)))) await this.#reserveAgain(this.#chars);
    this.#epoch = epoch;
  }

  async #extend(chars: number): Promise<void> {
    const fromSpare = Math.min(this.#spare, chars);
    const needed = chars - fromSpare;
    if (needed > 0) {
      const ahead = this.#options.reserveAhead ? AHEAD_CHARS : 0;
      let got = await this.#extendBy(needed + ahead);
      let spare = ahead;
      if (!got.ok && got.reason === 'insufficient_credits' && ahead > 0) {
        got = await this.#extendBy(needed);
        spare = 0;
      }
      if (!got.ok && got.reason === 'insufficient_credits') throw shortOf(chars, got.balance);
      if (got.ok) this.#spare += spare - fromSpare;
      else await this.#reserveAgain(this.#chars + chars);
    } else this.#spare -= fromSpare;
    this.#chars += chars;
  }

  #extendBy(chars: number) {
    const { store, asked, reservation } = this.#options;
    return asked(() => store.extend(reservation, chars, reservation.charged ? chars * CREDITS_PER_CHAR : 0));
  }

  /**
   * Everything the request has said so far is unpaid, so all of it is reserved, under the limits of
   * this moment.
   */
  async #reserveAgain(chars: number): Promise<void> {
    const { store, asked, reservation, lost, log } = this.#options;
    this.#wasLost = true;
    this.#spare = 0;
    const { requestId, keyId } = reservation;
    const credits = chars * CREDITS_PER_CHAR;
    const made = await asked(() => store.reserve({ ...reservation, characters: chars, credits, again: true }));
    if (made.ok) {
      lost.renewed++;
      log?.info({ requestId, keyId, chars }, 'a reservation was lost, and made anew');
      return;
    }
    lost.refused++;
    const { reason } = made;
    log?.error({ requestId, keyId, chars, reason }, 'a reservation was lost, and could not be made anew');
    const why =
      reason === 'insufficient_credits'
        ? `the key has ${made.balance} credits free where ${credits} are needed`
        : 'as many sessions of the key as it may have are running elsewhere';
    const message = `The accounts lost what this session had reserved while they could not be reached, and now ${why}. Begin again.`;
    throw new TtsError('store_unavailable', message, { retryAfterS: LOST_RETRY_S });
  }
}
