/** What one server holds in a shared store is its own as long as it is heard of; what a silent one held is returned by the others. */
import { randomUUID } from 'node:crypto';
import type { Logger } from '../log.js';
import type { AccountStore } from './store.js';

/** A killed server's reservations are back after this and a beat or two. */
const LEASE_MS = 15_000;
const BEATS_PER_LEASE = 5;

export interface LeaseOptions {
  readonly store: AccountStore;
  readonly log: Pick<Logger, 'error' | 'info'> | undefined;
  readonly now: () => Date;
  readonly leaseMs?: number;
}

export interface Lease {
  /** The name under which this server reserves. */
  readonly holder: string;
  /** A reservation that may or may not have been written, and that nobody will end. */
  disown(id: string): void;
  /** What is still held may be returned by others at once. */
  close(): Promise<void>;
}

/** Resolves when the lease is taken. */
export async function createLease({ store, log, now, leaseMs = LEASE_MS }: LeaseOptions): Promise<Lease> {
  const holder = randomUUID();
  const disowned = new Map<string, number>();
  /** Since when the store was reached at every beat, and when it was last. */
  let steadySinceMs = performance.now();
  let lastMs = steadySinceMs;
  let timer: NodeJS.Timeout | undefined;
  let beating: Promise<void> | undefined;
  let closed = false;

  /** A transaction whose answer was lost may still be on its way in; asked for long enough, it is found. */
  async function dropDisowned(): Promise<void> {
    for (const [id, sinceMs] of disowned) {
      if ((await store.drop(id)) || performance.now() - sinceMs > 2 * leaseMs) disowned.delete(id);
    }
  }

  /**
   * Leases run out while the database is away, and everybody is silent then, this server included. Nobody is taken for dead
   * who had not the time of a whole lease to be heard of again.
   */
  async function beat(): Promise<void> {
    try {
      await store.renewLease(holder, leaseMs);
      const ms = performance.now();
      if (ms - lastMs > leaseMs) steadySinceMs = ms;
      lastMs = ms;
      await dropDisowned();
      if (ms - steadySinceMs < leaseMs) return;
      const returned = await store.recover(now().toISOString(), 'lapsed');
      if (returned > 0) log?.info({ returned }, 'what a server that is gone had reserved was returned');
    } catch {
      // Requests say so where it matters.
      lastMs = Number.NEGATIVE_INFINITY;
    }
  }

  function schedule(): void {
    timer = setTimeout(() => {
      beating = beat().finally(() => {
        if (!closed) schedule();
      });
    }, leaseMs / BEATS_PER_LEASE);
    timer.unref();
  }

  await store.renewLease(holder, leaseMs);
  schedule();
  return {
    holder,
    disown(id) {
      disowned.set(id, performance.now());
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await beating;
      try {
        await dropDisowned();
        await store.endLease(holder);
      } catch (error) {
        log?.error({ err: error }, 'the lease on what was reserved could not be given back; it runs out by itself');
      }
    },
  };
}
