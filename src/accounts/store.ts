/**
 * The seam between the rules of accounts and the database that remembers them. Every method is one
 * transaction, and rejects with `store_unavailable` where the database cannot be read or written
 * for now.
 */
import type { BaseModel } from '../protocol/job.js';
import type { RequestOutcome } from '../protocol/request-outcome.js';
import type { Passes } from './passes.js';
import type { ComparisonTable } from './tables/comparisons.js';
import type { DictionaryTable } from './tables/dictionaries.js';
import type { JobTable } from './tables/job-rows.js';
import type { KeptTable } from './tables/kept.js';
import type { KeyLimits, KeyRecord, Outcome, Tier } from './types.js';
import type { UsageSeries, UsageSeriesFilter, UsageSum } from './usage-sums.js';

export interface NewKey {
  readonly id: string;
  /** SHA-256 of the whole key. */
  readonly hash: Uint8Array;
  readonly tier: Tier;
  readonly name: string | null;
  readonly credits: number;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  /** The server's own where none are given. */
  readonly limits?: KeyLimits;
}

/** What of a key can be changed later; what is left out stays. */
export interface KeyChange {
  readonly name?: string | null | undefined;
  readonly concurrency?: KeyLimits['concurrency'] | undefined;
  readonly freeDaily?: KeyLimits['freeDaily'] | undefined;
}

export interface StoredKey extends KeyRecord {
  readonly hash: Uint8Array;
  /** Of the secret before; kept after its end, so that it is known for what it was. */
  readonly previousHash: Uint8Array | null;
}

/** A key with what it did on the database's present UTC day. */
export interface KeySummary extends KeyRecord {
  readonly today: {
    /** Accepted requests with Free access, of all models. */
    readonly freeRequests: number;
    /** What the daily limit of each `:free` model counts. */
    readonly freeRequestsByModel: Readonly<Record<BaseModel, number>>;
    /** Ended requests of any kind, and what they came to. */
    readonly requests: number;
    readonly characters: number;
    readonly credits: number;
  };
}

/**
 * A reservation by its id, with what the ledger's row needs where the reservation's own row is
 * gone.
 */
export interface ReservationRef {
  readonly id: string;
  readonly keyId: string;
  readonly requestId: string;
  readonly model: string;
  readonly voice: string;
}

export interface NewReservation extends ReservationRef {
  readonly characters: number;
  /** What it costs now. */
  readonly credits: number;
  /** Whether the key's balance must cover it, and be above zero to begin with. */
  readonly charged: boolean;
  /** With Free access: requests a day that the key has on the model. The day is the database's. */
  readonly free?: { readonly limit: number };
  /**
   * The most that may be open of this key, this one included: with Free access on its model, with
   * Partner access on all of them. Any number without it.
   */
  readonly sessions?: number;
  /** The server that holds it: the name of its lease. */
  readonly holder: string;
  /**
   * The reservation existed and its row was lost. It is made anew under the limits of this moment,
   * is not counted for the day a second time, and takes the place of the ledger row that tells of
   * its loss.
   */
  readonly again?: boolean;
}

/** The first of these that stands in the way, in this order. `nowMs` is the database's clock. */
export type ReserveResult =
  | { readonly ok: true; readonly freeRequests: number; readonly nowMs: number }
  | { readonly ok: false; readonly reason: 'daily_limit'; readonly nowMs: number }
  | { readonly ok: false; readonly reason: 'revoked' | 'concurrency' }
  | { readonly ok: false; readonly reason: 'insufficient_credits'; readonly balance: number };

export type ExtendResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: 'insufficient_credits'; readonly balance: number }
  /** There is no such reservation (any more). */
  | { readonly ok: false; readonly reason: 'lost' };

/**
 * What an end found: its reservation (`ended`), the ledger row of a reservation that had been
 * returned as interrupted and is put right (`late`), neither of them, so that the row was made from
 * what the caller knows (`unknown`), or the row of an earlier end, which stays (`repeated`).
 */
export type EndResult = 'ended' | 'late' | 'unknown' | 'repeated';

export interface ReservationEnd {
  readonly outcome: Outcome;
  readonly time: string;
  readonly audioMs: number;
  /** Characters of the request; what was reserved beyond them is returned. */
  readonly characters: number;
  /** What of it reached the client; never more than was reserved for. */
  readonly deliveredCharacters: number;
  /**
   * To debit; never more than is reserved, or than the balance has where the reservation was lost.
   */
  readonly credits: number;
}

export interface LedgerRow {
  readonly time: string;
  readonly requestId: string;
  readonly keyId: string;
  readonly model: string;
  readonly voice: string;
  readonly characters: number;
  readonly credits: number;
  readonly audioMs: number;
  /** `interrupted`: the server's process died under it. */
  readonly outcome: Outcome | 'interrupted';
  readonly deliveredCharacters: number;
}

export interface UsageFilter {
  readonly keyId?: string;
  /** Inclusive, an ISO time. */
  readonly since?: string;
}

/** One ended request of the request log. Nothing of its text is in it. */
export interface RequestRow {
  /** When it ended, ISO 8601. */
  readonly time: string;
  readonly requestId: string;
  readonly keyId: string;
  /** The API dialect and endpoint it came through. */
  readonly route: string;
  /** Null where it was refused before these were known to exist. */
  readonly model: string | null;
  readonly voice: string | null;
  readonly characters: number;
  /** Credits debited. */
  readonly credits: number;
  readonly audioMs: number;
  readonly durationMs: number;
  /** From its arrival, or that of its first text, to its first audio; null where there was none. */
  readonly firstAudioMs: number | null;
  /** Silences that its listener heard because audio came late. */
  readonly breaks: number;
  readonly outcome: RequestOutcome;
  /** The error code it ended with. */
  readonly error: string | null;
  /** Ids of the workers that spoke it, comma-separated. */
  readonly worker: string | null;
  readonly traceId: string | null;
}

export interface LoggedRequest extends RequestRow {
  /** Tells rows of one time apart. */
  readonly seq: number;
}

export interface RequestFilter {
  readonly keyId?: string | undefined;
  readonly outcome?: RequestOutcome | undefined;
  readonly requestId?: string | undefined;
  /** Inclusive, an ISO time. */
  readonly since?: string | undefined;
  /** The last row of the page before. */
  readonly before?: Pick<LoggedRequest, 'time' | 'seq'> | undefined;
  readonly limit: number;
}

/** The request log: bounded, and never in the way of speech. A lost row is no damage. */
export interface RequestLogStore {
  /** All of them, in one transaction. */
  logRequests(rows: readonly RequestRow[]): Promise<void>;
  /** One page, the latest first. */
  requestLog(filter: RequestFilter): Promise<LoggedRequest[]>;
  /**
   * Removes rows that ended before a time, and the oldest beyond a number of rows. A call removes a
   * bounded number of rows: it is `done` where none are left to remove.
   */
  trimRequestLog(keep: { readonly before: string; readonly rows: number }): Promise<{ removed: number; done: boolean }>;
}

export interface AccountStore extends RequestLogStore {
  /**
   * Whether other servers may work on it at the same time: then each holds what it reserves by a
   * lease.
   */
  readonly shared: boolean;
  /** False where the id is taken. */
  createKey(key: NewKey): Promise<boolean>;
  findKey(id: string): Promise<StoredKey | undefined>;
  /** The keys among these ids that exist. */
  findKeys(ids: readonly string[]): Promise<KeyRecord[]>;
  /** In order of creation. */
  listKeys(): Promise<KeySummary[]>;
  /** False where there is no such key. */
  changeKey(id: string, change: KeyChange): Promise<boolean>;
  /** False where there is no such key. Revoking twice keeps the first time. */
  revokeKey(id: string, time: string): Promise<boolean>;
  /**
   * Replaces the secret of a key. The one before works for `graceMs` longer, and with it tickets
   * and sign-ins that rest on it; one before that has ended. False where there is no such key.
   */
  rotateKey(
    id: string,
    hash: Uint8Array,
    rotation: { readonly time: string; readonly graceMs: number },
  ): Promise<boolean>;
  /** False where there is no such key. */
  grantCredits(id: string, credits: number, time: string): Promise<boolean>;
  /** Counts and reserves, all or nothing. */
  reserve(reservation: NewReservation): Promise<ReserveResult>;
  /** Reserves more for an open reservation, all or nothing. */
  extend(reservation: ReservationRef, characters: number, credits: number): Promise<ExtendResult>;
  /** Whether the reservation's row is there, and no server is returning it at this moment. */
  holds(reservation: ReservationRef): Promise<boolean>;
  /**
   * Ends a reservation with its ledger row: debits, and returns the rest. Exactly one row is left,
   * whatever it finds.
   */
  end(reservation: ReservationRef, end: ReservationEnd): Promise<EndResult>;
  /** Undoes a reservation as if it had never been. False where it had ended before. */
  drop(reservation: ReservationRef): Promise<boolean>;
  /**
   * Takes or renews the lease under which a server holds its reservations, by the database's clock.
   */
  renewLease(holder: string, ms: number): Promise<void>;
  /** What is still held under it may be returned from now on. */
  endLease(holder: string): Promise<void>;
  /**
   * Returns open reservations as `interrupted`: the ones whose lease does not run, or all of them
   * where the caller knows that no other server runs.
   */
  recover(whose: 'lapsed' | 'all'): Promise<number>;
  /** In order of time of ending. */
  usage(filter: UsageFilter): AsyncIterable<LedgerRow>;
  /** The same in sums, ordered by day, key and model. */
  usageByDay(filter: UsageFilter): Promise<UsageSum[]>;
  /** The same over time and by key. */
  usageSeries(filter: UsageSeriesFilter): Promise<UsageSeries>;
  /**
   * Sums up days of the ledger, so that `usageByDay` and `usageSeries` need not. A call sums up a
   * bounded number of rows, and none that another transaction may still be writing. Resolves with
   * the number of rows.
   */
  rollUsage(): Promise<number>;
  /** The hash of a secret of the server's own. */
  secretHash(name: string): Promise<Uint8Array | undefined>;
  /** Writes it. With `keep`, only where there is none yet: false where there was. */
  putSecretHash(name: string, hash: Uint8Array, options?: { readonly keep?: boolean }): Promise<boolean>;
  /** Tickets, sign-ins and failed attempts, for all servers of this store. */
  readonly passes: Passes;
  /** Voices and words that the operator keeps for all servers of this store. */
  readonly kept: KeptTable;
  /** Pronunciation dictionaries of keys. */
  readonly dictionaries: DictionaryTable;
  /** Speech that is ordered now and fetched later. */
  readonly jobs: JobTable;
  /** Sums of comparisons by ear. */
  readonly comparisons: ComparisonTable;
  /**
   * Looks at everything: damage, and keys whose balance is not what grants and ledger come to.
   * Empty where all is well.
   */
  check(): Promise<string[]>;
  /** A consistent copy in a new SQLite file, while others read and write. */
  backup(file: string): Promise<void>;
  close(): Promise<void>;
}
