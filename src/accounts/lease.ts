/**
 * The lease under which a server holds its reservations in a shared store. Other servers return what a silent server
 * held; a server that missed its lease knows it, and trusts none of its reservations before it has asked (fencing).
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from '../log.js';
import type { AccountStore, ReservationRef } from './store.js';

/** A killed server's reservations are back after this and a beat or two. */
const LEASE_MS = 15_000;
const BEATS_PER_LEASE = 5;

export interface LeaseOptions {
  readonly store: AccountStore;
  readonly log: Pick<Logger, 'error' | 'info'> | undefined;
  readonly leaseMs?: number;
}

export interface Lease {
  /** The name under which this server reserves. */
  readonly holder: string;
  /**
   * The number of times the lease was lost and taken again, while it runs; undefined once it has run out. A reservation that was
   * seen in this epoch is still there, as far as servers are concerned.
   */
  readonly epoch: number | undefined;
  /** Takes the lease again where it has run out; rejects where the store cannot be reached. Resolves with the epoch. */
  renew(): Promise<number>;
  /** A reservation that may or may not have been written, and that nobody will end. */
  disown(reservation: ReservationRef): void;
  /** What is still held may be returned by others at once. */
  close(): Promise<void>;
}

/** Resolves when the lease is taken. */
export async function createLease({ store, log, leaseMs = LEASE_MS }: LeaseOptions): Promise<Lease> {
  const holder = randomUUID();
  const disowned = new Map<ReservationRef, number>();
  /** Since when the store was reached at every beat; a server without such a time may not judge others. */
  let steadySinceMs: number | undefined;
  let epoch = 0;
  /** Until when the lease runs at least: counted from before the store was asked. */
  let untilMs = Number.NEGATIVE_INFINITY;
  let renewing: Promise<number> | undefined;
  let sweeping: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  async function take(): Promise<number> {
    const askedMs = performance.now();
    await store.renewLease(holder, leaseMs);
    // Looked at after the answer: a process that was frozen meanwhile may have lost it since.
    const answeredMs = performance.now();
    if (answeredMs >= untilMs) {
      epoch++;
      steadySinceMs = undefined;
    }
    steadySinceMs ??= answeredMs;
    untilMs = askedMs + leaseMs;
    return epoch;
  }

  function renew(): Promise<number> {
    renewing ??= take().finally(() => {
      renewing = undefined;
    });
    return renewing;
  }

  /** A transaction whose answer was lost may still be on its way in; asked for long enough, it is found. */
  async function dropDisowned(): Promise<void> {
    const dropped = [...disowned].map(async ([reservation, sinceMs]) => {
      const found = await store.drop(reservation);
      if (found || performance.now() - sinceMs > 2 * leaseMs) disowned.delete(reservation);
    });
    // One key whose row is locked holds up no other key's.
    const failed = (await Promise.allSettled(dropped)).find(({ status }) => status === 'rejected');
    if (failed) throw (failed as PromiseRejectedResult).reason;
  }

  /**
   * Leases run out while the database is away, and everybody is silent then, this server included. Nobody is taken for
   * dead before there was the time of a whole lease to be heard of again.
   */
  async function returnLapsed(): Promise<void> {
    if (steadySinceMs === undefined || performance.now() - steadySinceMs < leaseMs) return;
    const returned = await store.recover('lapsed');
    if (returned > 0) log?.info({ returned }, 'what a server that is gone had reserved was returned');
  }

  async function sweep(): Promise<void> {
    for (const ended of await Promise.allSettled([dropDisowned(), returnLapsed()])) {
      if (ended.status === 'fulfilled') continue;
      log?.error({ err: ended.reason }, 'what servers that are gone had reserved could not be returned yet');
    }
  }

  /** The sweep has its own pace: a key whose row is locked may hold it up, and never the lease. */
  async function beat(): Promise<void> {
    try {
      await renew();
    } catch {
      // Requests say so where it matters; the lease runs out, and `epoch` tells.
      steadySinceMs = undefined;
      return;
    }
    sweeping ??= sweep().finally(() => {
      sweeping = undefined;
    });
  }

  function schedule(): void {
    timer = setTimeout(() => {
      void beat().finally(() => {
        if (!closed) schedule();
      });
    }, leaseMs / BEATS_PER_LEASE);
    timer.unref();
  }

  await renew();
  schedule();
  return {
    holder,
    get epoch() {
      return performance.now() < untilMs ? epoch : undefined;
    },
    renew,
    disown(reservation) {
      disowned.set(reservation, performance.now());
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await renewing?.catch(() => undefined);
      await sweeping;
      try {
        await dropDisowned();
        await store.endLease(holder);
      } catch (error) {
        log?.error({ err: error }, 'the lease on what was reserved could not be given back; it runs out by itself');
      }
    },
  };
}
