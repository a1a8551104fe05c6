/** Accounts as the server sees them: who calls, may they, and what it costs. */
import type { SpeechModel } from '../protocol/http.js';

export type Tier = 'free' | 'partner';

export interface KeyRecord {
  /** Public: the first 8 characters of the key after its prefix. */
  readonly id: string;
  readonly tier: Tier;
  readonly name: string | null;
  readonly credits: number;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revoked: boolean;
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

/** An accepted request: it holds a concurrency slot and a reservation until exactly one of the three ends is called. */
export interface Admission {
  /** Present with Free access. */
  readonly rateLimit: RateLimit | undefined;
  readonly chars: number;
  /** Reserves for more characters; throws `insufficient_credits` and reserves nothing when the balance does not reach. */
  extend(chars: number): void;
  /** Done and heard: debits the reservation and writes the ledger row, at once in one transaction. */
  settle(result: { audioMs: number }): void;
  /** Failed or cancelled: returns the reservation, writes the ledger row with 0 credits. */
  release(outcome: 'failed' | 'cancelled', result: { audioMs: number }): void;
  /** Turned away after all (the queue was full): returns everything, the day's count included, and leaves no row. */
  reject(): void;
}

export interface Accounts {
  /** Throws `missing_api_key`, `invalid_api_key`, `revoked_api_key` or `expired_api_key`. */
  authenticate(key: string | undefined): KeyRecord;
  /** Checks tier, daily limit, concurrency and credits in this order, and takes what the request needs. */
  admit(request: AdmissionRequest): Admission;
  close(): void;
}
