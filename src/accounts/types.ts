/**
 * Accounts as the server sees them: who calls, may they, and what it costs.
 *
 * Everything that touches the store is asynchronous: its database may be on another machine.
 * Putting it together: `acquireServerLock(dataDir)` (server-lock.ts) → `openSqliteStore(accountsFile(dataDir))` (sqlite-store.ts),
 * or `openPostgresStore(url)` (postgres-store.ts) → `await createAccounts({ store, limits, localKey? })` (accounts.ts).
 */
import type { SpeechModel } from '../protocol/contract.js';

export type Tier = 'free' | 'partner';

/** Of one key; null where the server's own hold. */
export interface KeyLimits {
  /** Sessions at once, of either access. */
  readonly concurrency: number | null;
  /** Free requests a UTC day. */
  readonly freeDaily: number | null;
}

export interface KeyRecord {
  /** Public: the first 8 characters of the key after its prefix. */
  readonly id: string;
  readonly tier: Tier;
  readonly name: string | null;
  /** The balance not yet debited; infinite for the local key of a server's own machine. */
  readonly credits: number;
  /** The part of the balance that running requests hold. */
  readonly reserved: number;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revoked: boolean;
  readonly limits: KeyLimits;
}

export interface AdmissionRequest {
  readonly key: KeyRecord;
  readonly requestId: string;
  readonly model: SpeechModel;
  readonly voice: string;
  /** Characters known now; a WebSocket session begins with 0 and extends. */
  readonly chars: number;
}

export interface RateLimit {
  readonly limit: number;
  readonly remaining: number;
  readonly resetS: number;
}

/** How a request ended. */
export type Outcome = 'completed' | 'failed' | 'cancelled';

/** What had left the server of a request that did not complete. */
interface Unfinished {
  readonly audioMs: number;
  /** Characters of the segments whose audio was handed to the socket whole. */
  readonly deliveredChars: number;
  /** The client left or broke the rules; false where the failure is the server's own, which is never billed. */
  readonly byClient: boolean;
}

/**
 * An accepted request: it holds a concurrency slot and a reservation until one of the three ends is called. The first
 * end counts, any later one does nothing. The slot is free as soon as an end is called, before its promise resolves, to requests
 * that come to the same server; to those of others when it is written. An end that the store cannot write just then is kept and written later: its promise resolves all the same.
 */
export interface Admission {
  /** Present with Free access. */
  readonly rateLimit: RateLimit | undefined;
  /** Characters reserved so far. */
  readonly chars: number;
  /** Reserves for more characters; rejects with `insufficient_credits` and reserves nothing where the balance is short. */
  extend(chars: number): Promise<void>;
  /** Done and heard: debits the reservation and writes the ledger row, in one transaction. */
  settle(result: { audioMs: number }): Promise<void>;
  /** Failed or cancelled: returns the reservation (less what was delivered, where that is billed) and writes the ledger row. */
  release(outcome: 'failed' | 'cancelled', result: Unfinished): Promise<void>;
  /** Turned away after all (the queue was full): returns everything, the day's count included, and leaves no row. */
  reject(): Promise<void>;
}

export interface Limits {
  readonly freeConcurrency: number;
  readonly freeDaily: number;
  readonly partnerConcurrency: number;
}

export interface Accounts {
  readonly limits: Limits;
  /** Who calls from this machine itself, where there is a local key. */
  readonly local: KeyRecord | undefined;
  /** Rejects with `missing_api_key`, `invalid_api_key`, `revoked_api_key` or `expired_api_key`. */
  authenticate(key: string | undefined): Promise<KeyRecord>;
  /** Those of the keys that were revoked since they were authenticated, by this process or another one. */
  revokedAmong(keyIds: readonly string[]): Promise<readonly string[]>;
  /** Checks tier, daily limit, concurrency and credits in this order, and takes what the request needs. */
  admit(request: AdmissionRequest): Promise<Admission>;
  /** Admissions that have not ended. */
  readonly active: number;
  /** Writes what still waits to be written, within seconds, and closes the store. Admissions still open are left to the next start, or to the other servers of a shared store, which return what they reserved. */
  close(): Promise<void>;
}
