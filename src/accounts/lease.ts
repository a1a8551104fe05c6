/**
 * The lease under which a server holds its reservations in a shared store. Other servers return the
 * reservations of a silent server. A server that missed its lease knows it, and trusts none of its
 * reservations before it has asked the store (fencing).
 */
import { randomUUID } from 'node:crypto';
import { type Clock, systemClock, type Timer } from '../clock.js';
import type { Logger } from '../log.js';
import type { AccountStore, ReservationRef } from './store.js';
import { LEASE_MS, RENEWALS_PER_LEASE } from './tuning.js';

export interface LeaseOptions {
  readonly store: Pick<AccountStore, 'renewLease' | 'endLease' | 'drop' | 'recover'>;
  readonly log?: Pick<Logger, 'error' | 'info'> | undefined;
  readonly leaseMs?: number;
  readonly clock?: Clock;
}

export class Lease {
  /** The name under which this server reserves. */
  readonly holder = randomUUID();
  readonly #store: LeaseOptions['store'];
  readonly #log: LeaseOptions['log'];
  readonly #leaseMs: number;
  readonly #clock: Clock;
  /**
   * Reservations that may have been written and that no request will end, each with its time (ms).
   */
  readonly #disowned = new Map<ReservationRef, number>();
  /**
   * Since when the store was reached at every renewal; a server without such a time may not judge
   * others.
   */
  #steadySinceMs: number | undefined;
  #epoch = 0;
  /** Until when the lease runs at least: counted from before the store was asked. */
  #untilMs = Number.NEGATIVE_INFINITY;
  #renewing: Promise<number> | undefined;
  #sweeping: Promise<void> | undefined;
  #timer: Timer | undefined;
  #closed = false;

  private constructor({ store, log, leaseMs = LEASE_MS, clock = systemClock }: LeaseOptions) {
    this.#store = store;
    this.#log = log;
    this.#leaseMs = leaseMs;
    this.#clock = clock;
  }

  /** Resolves when the lease is taken. It is renewed until it is closed. */
  static async take(options: LeaseOptions): Promise<Lease> {
    const lease = new Lease(options);
    await lease.renew();
    lease.#schedule();
    return lease;
  }

  /**
   * The number of times the lease was lost and taken again, while it runs; undefined once it has
   * run out. No other server returned a reservation that was seen in this epoch.
   */
  get epoch(): number | undefined {
    return this.#clock.now() < this.#untilMs ? this.#epoch : undefined;
  }

  /**
   * Takes the lease again where it has run out; rejects where the store cannot be reached. Resolves
   * with the epoch.
   */
  renew(): Promise<number> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  /**
   * Takes over a reservation that may or may not have been written, and that no request will end.
   */
  disown(reservation: ReservationRef): void {
    this.#disowned.set(reservation, this.#clock.now());
  }

  /** Other servers may return at once what is still reserved. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    await this.#renewing?.catch(() => undefined);
    await this.#sweeping;
    try {
      await this.#dropDisowned();
      await this.#store.endLease(this.holder);
    } catch (error) {
      this.#log?.error({ err: error }, 'the lease on what was reserved could not be given back; it runs out by itself');
    }
  }

  async #renew(): Promise<number> {
    const askedMs = this.#clock.now();
    await this.#store.renewLease(this.holder, this.#leaseMs);
    // Looked at after the answer: a process that was frozen meanwhile may have lost it since.
    const answeredMs = this.#clock.now();
    if (answeredMs >= this.#untilMs) {
      this.#epoch++;
      this.#steadySinceMs = undefined;
    }
    this.#steadySinceMs ??= answeredMs;
    this.#untilMs = askedMs + this.#leaseMs;
    return this.#epoch;
  }

  /**
   * A transaction whose answer was lost may still be on its way in: it is looked for over two
   * leases.
   */
  async #dropDisowned(): Promise<void> {
    const dropped = [...this.#disowned].map(async ([reservation, sinceMs]) => {
      const found = await this.#store.drop(reservation);
      if (found || this.#clock.now() - sinceMs > 2 * this.#leaseMs) this.#disowned.delete(reservation);
    });
    // A key whose row is locked holds up no other key.
    const failed = (await Promise.allSettled(dropped)).find(({ status }) => status === 'rejected');
    if (failed) throw (failed as PromiseRejectedResult).reason;
  }

  /**
   * Leases run out while the database is away, and all servers are silent then, this one included.
   * No server is taken for dead before it had the time of a whole lease to be heard of again.
   */
  async #returnLapsed(): Promise<void> {
    const sinceMs = this.#steadySinceMs;
    if (sinceMs === undefined || this.#clock.now() - sinceMs < this.#leaseMs) return;
    const returned = await this.#store.recover('lapsed');
    if (returned > 0) this.#log?.info({ returned }, 'what a server that is gone had reserved was returned');
  }

  async #sweep(): Promise<void> {
    for (const ended of await Promise.allSettled([this.#dropDisowned(), this.#returnLapsed()])) {
      if (ended.status === 'fulfilled') continue;
      this.#log?.error({ err: ended.reason }, 'what servers that are gone had reserved could not be returned yet');
    }
  }

  /** The sweep is not waited for: a key whose row is locked may hold it up, and never the lease. */
  async #renewAndSweep(): Promise<void> {
    try {
      await this.renew();
    } catch {
      // Requests report it where it matters; the lease runs out, and `epoch` says so.
      this.#steadySinceMs = undefined;
      return;
    }
    this.#sweeping ??= this.#sweep().finally(() => {
      this.#sweeping = undefined;
    });
  }

  #schedule(): void {
    const due = () =>
      void this.#renewAndSweep().finally(() => {
        if (!this.#closed) this.#schedule();
      });
    this.#timer = this.#clock.setTimeout(due, this.#leaseMs / RENEWALS_PER_LEASE).unref();
  }
}
