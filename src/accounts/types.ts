/**
 * Accounts as the server sees them: who calls, may they, and what it costs.
 *
 * Everything that touches the store is asynchronous: its database may be on another machine.
 * Putting it together: `acquireServerLock(dataDir)` (server-lock.ts) →
 * `openSqliteStore(accountsFile(dataDir))` (sqlite-store.ts), or `openPostgresStore(url)`
 * (postgres-store.ts) → `await createAccounts({ store, limits, localKey? })` (accounts.ts).
 */
import type { SpeechModel } from '../protocol/contract.js';
import type { TtsError } from '../protocol/errors.js';
import type { FreeLimit, OwnFreeLimit } from '../protocol/free-limit.js';
import type { Passes } from './passes.js';
import type { DictionaryTable } from './tables/dictionaries.js';

export type Tier = 'free' | 'partner';

/** Of one key; null where the server's own hold. */
export interface KeyLimits {
  /**
   * Sessions at once: a number holds for Partner access and for each `:free` model, by model for
   * Free access alone.
   */
  readonly concurrency: OwnFreeLimit | null;
  /** Free requests a UTC day, of each `:free` model. */
  readonly freeDaily: OwnFreeLimit | null;
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
  /** Whether `expiresAt` had passed by the database's clock when the record was read. */
  readonly expired: boolean;
  /**
   * How often the secret was replaced. In the record of a caller: up to the secret that the caller
   * showed.
   */
  readonly rotations: number;
  /** When the secret was last replaced. */
  readonly rotatedAt: string | null;
  /** Until when the secret before works too; null where it does not, by the database's clock. */
  readonly previousEndsAt: string | null;
  readonly limits: KeyLimits;
}

/** A key, and which of its secrets was shown. */
export type CallerKey = Pick<KeyRecord, 'id' | 'rotations'>;

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
  /**
   * The client left or broke the rules; false where the failure is the server's own, which is never
   * billed.
   */
  readonly byClient: boolean;
}

/**
 * An accepted request: it holds a concurrency slot and a reservation until one of the three ends is
 * called. The first end counts, any later one does nothing. The slot is free as soon as an end is
 * called, before its promise resolves, to requests that come to the same server; to those of others
 * when it is written. An end that the store cannot write just then is kept and written later: its
 * promise resolves all the same.
 */
export interface Admission {
  /** Present with Free access. */
  readonly rateLimit: RateLimit | undefined;
  /** Characters reserved so far. */
  readonly chars: number;
  /** Credits that its end debits; 0 before. */
  readonly debited: number;
  /**
   * Whether the reservation holds for certain; where it does not, nothing may leave before
   * `confirm` has resolved.
   */
  readonly held: boolean;
  /**
   * Makes sure of the reservation after the lease ran out, and makes it anew, under the limits of
   * that moment, where it was lost. Rejects with `store_unavailable` where neither can be had.
   */
  confirm(): Promise<void>;
  /**
   * Reserves for more characters; rejects with `insufficient_credits` and reserves nothing where
   * the balance is short.
   */
  extend(chars: number): Promise<void>;
  /**
   * Done and heard: debits the reservation, unless no sample was made, and writes the ledger row,
   * in one transaction.
   */
  settle(result: { audioMs: number }): Promise<void>;
  /**
   * Failed or cancelled: returns the reservation (less what was delivered, where that is billed)
   * and writes the ledger row.
   */
  release(outcome: 'failed' | 'cancelled', result: Unfinished): Promise<void>;
  /**
   * Turned away after all (the queue was full): returns everything, the day's count included, and
   * leaves no row.
   */
  reject(): Promise<void>;
}

export interface Limits {
  /** Sessions at once of a key on one `:free` model. */
  readonly freeConcurrency: FreeLimit;
  /** Requests of a key on one `:free` model in a UTC day of the database's clock. */
  readonly freeDaily: FreeLimit;
  readonly partnerConcurrency: number;
}

/** Reservations whose row was gone, by what became of them. */
export interface LostReservations {
  /** Made anew under the limits of that moment. */
  renewed: number;
  /** Not to be made anew: the request was ended. */
  refused: number;
  /** Found gone when the request ended: its ledger row was put right or written all the same. */
  booked: number;
}

export interface Accounts {
  readonly limits: Limits;
  /** Who calls from this machine itself, where there is a local key. */
  readonly local: KeyRecord | undefined;
  /** Rejects with `missing_api_key`, `invalid_api_key`, `revoked_api_key` or `expired_api_key`. */
  authenticate(key: string | undefined): Promise<KeyRecord>;
  /** The key as the store has it now; rejects as `authenticate` does where it would be refused. */
  renew(key: Pick<KeyRecord, 'id'>): Promise<KeyRecord>;
  /**
   * The callers among these that `authenticate` would refuse now, each with its error; any server
   * may have changed their keys.
   */
  refusedAmong<Caller extends CallerKey>(callers: readonly Caller[]): Promise<ReadonlyMap<Caller, TtsError>>;
  /**
   * Tickets, sign-ins and failed attempts, of this server and of all others that share its store.
   */
  readonly passes: Passes;
  /** Pronunciation dictionaries of keys. */
  readonly dictionaries: DictionaryTable;
  /** Whether other servers share the store. */
  readonly shared: boolean;
  /** Free requests a UTC day that the key has on the model. */
  freeDaily(key: KeyRecord, model: SpeechModel): number;
  /**
   * Checks tier, daily limit, concurrency and credits in this order, and takes what the request
   * needs.
   */
  admit(request: AdmissionRequest): Promise<Admission>;
  /** Reservations whose row was gone, since the start. */
  readonly lost: Readonly<LostReservations>;
  /** Admissions that have not ended. */
  readonly active: number;
  /**
   * Writes what still waits to be written, within seconds, and closes the store. Admissions still
   * open are left to the next start, or to the other servers of a shared store, which return what
   * they reserved.
   */
  close(): Promise<void>;
}
