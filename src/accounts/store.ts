/**
 * The seam between the rules of accounts and the database that remembers them. Every method is one transaction, and rejects
 * with `store_unavailable` where the database cannot be read or written for now.
 */
import type { KeyLimits, KeyRecord, Outcome, Tier } from './types.js';

interface NewKey {
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
  readonly concurrency?: number | null | undefined;
  readonly freeDaily?: number | null | undefined;
}

export interface StoredKey extends KeyRecord {
  readonly hash: Uint8Array;
}

/** A key with what it did on one UTC day. */
export interface KeySummary extends KeyRecord {
  readonly today: {
    /** Accepted requests with Free access: what the daily limit counts. */
    readonly freeRequests: number;
    /** Ended requests of any kind, and what they came to. */
    readonly requests: number;
    readonly characters: number;
    readonly credits: number;
  };
}

export interface NewReservation {
  readonly id: string;
  readonly keyId: string;
  readonly requestId: string;
  readonly model: string;
  readonly voice: string;
  readonly characters: number;
  /** What it costs now. */
  readonly credits: number;
  /** Whether the key's balance must cover it, and be above zero to begin with. */
  readonly charged: boolean;
  /** With Free access: the day it counts for, and how many a day there are. */
  readonly free?: { readonly day: string; readonly limit: number };
  /** The most that may be open for this key and kind of access, this one included; any number without it. */
  readonly sessions?: number;
  /** The server that holds it: the name of its lease. */
  readonly holder: string;
}

/** The first of these that stands in the way, in this order. */
export type ReserveResult =
  | { readonly ok: true; readonly freeRequests: number }
  | { readonly ok: false; readonly reason: 'daily_limit' | 'concurrency' }
  | { readonly ok: false; readonly reason: 'insufficient_credits'; readonly balance: number };

export interface ReservationEnd {
  readonly outcome: Outcome;
  readonly time: string;
  readonly audioMs: number;
  /** How many of the characters that were reserved for it had; all where it is not told. */
  readonly characters?: number;
  /** What of it reached the client; never more than was reserved for. */
  readonly deliveredCharacters: number;
  /** To debit; never more than is reserved. */
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

/** What one key did with one model on one UTC day. */
export interface UsageSum {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly keyId: string;
  readonly model: string;
  readonly requests: number;
  /** Of them, those that did not complete. */
  readonly unfinished: number;
  readonly characters: number;
  readonly deliveredCharacters: number;
  readonly credits: number;
  readonly audioMs: number;
}

export interface AccountStore {
  /** Whether other servers may work on it at the same time: then each holds what it reserves by a lease. */
  readonly shared: boolean;
  /** False where the id is taken. */
  createKey(key: NewKey): Promise<boolean>;
  findKey(id: string): Promise<StoredKey | undefined>;
  /** Those of the keys that were revoked. */
  revokedAmong(ids: readonly string[]): Promise<string[]>;
  /** In order of creation, with the counts of `day` (YYYY-MM-DD). */
  listKeys(day: string): Promise<KeySummary[]>;
  /** False where there is no such key. */
  changeKey(id: string, change: KeyChange): Promise<boolean>;
  /** False where there is no such key. Revoking twice keeps the first time. */
  revokeKey(id: string, time: string): Promise<boolean>;
  /** False where there is no such key. */
  grant(id: string, credits: number, time: string): Promise<boolean>;
  /** Counts and reserves, all or nothing. */
  reserve(reservation: NewReservation): Promise<ReserveResult>;
  /** Undefined when it reserved more; else the free balance, which did not reach. A reservation that ended is left alone. */
  extend(id: string, characters: number, credits: number): Promise<number | undefined>;
  /**
   * Ends a reservation with its ledger row: debits, and returns the rest. False where it had ended before. One that was
   * returned as `interrupted` meanwhile is put right: its row tells this end, and what the balance still has of it is debited.
   */
  end(id: string, end: ReservationEnd): Promise<boolean>;
  /** Undoes a reservation as if it had never been. False where it had ended before. */
  drop(id: string): Promise<boolean>;
  /** Takes or renews the lease under which a server holds its reservations, by the database's clock. */
  renewLease(holder: string, ms: number): Promise<void>;
  /** What is still held under it may be returned from now on. */
  endLease(holder: string): Promise<void>;
  /** Returns open reservations as `interrupted`: those without a lease that runs, or all, where the caller knows that nobody else lives. */
  recover(time: string, whose: 'lapsed' | 'all'): Promise<number>;
  /** In order of time of ending. */
  usage(filter: UsageFilter): AsyncIterable<LedgerRow>;
  /** The same in sums, ordered by day, key and model. */
  usageByDay(filter: UsageFilter): Promise<UsageSum[]>;
  /** The hash of a secret of the server's own. */
  secretHash(name: string): Promise<Uint8Array | undefined>;
  /** Writes it. With `keep`, only where there is none yet: false where there was. */
  putSecretHash(name: string, hash: Uint8Array, options?: { readonly keep?: boolean }): Promise<boolean>;
  /** Looks at everything: damage, and keys whose balance is not what grants and ledger come to. Empty where all is well. */
  check(): Promise<string[]>;
  /** A consistent copy in a new SQLite file, while others read and write. */
  backup(file: string): Promise<void>;
  close(): Promise<void>;
}
