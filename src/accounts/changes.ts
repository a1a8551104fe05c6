/** How money moves: reserve, extend, end and drop, each one transaction, the same on every database. */
import { type AccountsDatabase, ask, type Change, tell } from './database.js';
import type { LedgerRow, NewReservation, ReservationEnd, ReserveResult } from './store.js';

interface ReservationRow {
  key_id: string;
  request_id: string;
  model: string;
  voice: string;
  characters: number;
  credits: number;
  free_day: string | null;
}

/** `interrupted` is the end that nobody called. */
type End = Omit<ReservationEnd, 'outcome'> & Pick<LedgerRow, 'outcome'>;

const RUNNING = (free: boolean) =>
  `SELECT (SELECT count(*) FROM reservations WHERE key_id = ? AND free_day IS ${free ? 'NOT NULL' : 'NULL'}) AS running,
     coalesce((SELECT requests FROM free_requests WHERE key_id = ? AND day = ?), 0) AS requests`;
const RUNNING_FREE = RUNNING(true);
const RUNNING_PARTNER = RUNNING(false);
const COUNT_FREE = `INSERT INTO free_requests (key_id, day, requests) VALUES (?, ?, 1)
  ON CONFLICT (key_id, day) DO UPDATE SET requests = free_requests.requests + 1 WHERE free_requests.requests < ?
  RETURNING requests`;
const UNCOUNT_FREE = 'UPDATE free_requests SET requests = requests - 1 WHERE key_id = ? AND day = ?';
const HOLD = 'UPDATE keys SET reserved = reserved + ? WHERE id = ? AND credits - reserved >= ? RETURNING id';
const GIVE_BACK = 'UPDATE keys SET reserved = reserved - ? WHERE id = ?';
const DEBIT = 'UPDATE keys SET reserved = reserved - ?, credits = credits - ? WHERE id = ?';
const INSERT_RESERVATION = `INSERT INTO reservations
  (id, key_id, request_id, model, voice, characters, credits, free_day, holder) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const EXTEND = `UPDATE reservations SET characters = characters + ?, credits = credits + ? WHERE id = ? RETURNING key_id`;
const TAKE_OUT = `DELETE FROM reservations WHERE id = ?
  RETURNING key_id, request_id, model, voice, characters, credits, free_day`;
const BOOK = `INSERT INTO ledger (reservation_id, time, request_id, key_id, model, voice, characters, credits, audio_ms,
  outcome, delivered_characters) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const CORRECT = `UPDATE ledger SET outcome = ?, characters = ?, credits = ?, audio_ms = ?, delivered_characters = ?
  WHERE reservation_id = ? AND outcome = 'interrupted' RETURNING seq`;
const INTERRUPTED = `SELECT key_id, characters FROM ledger WHERE reservation_id = ? AND outcome = 'interrupted'`;

export function createChanges({ forUpdate }: AccountsDatabase['dialect']) {
  const selectBalance = `SELECT credits - reserved AS balance FROM keys WHERE id = ?`;
  const lockBalance = `${selectBalance}${forUpdate}`;

  /** The key's row is locked first: requests of one key are admitted one after the other, whichever server they came to. */
  function* reserve(reservation: NewReservation): Change<ReserveResult> {
    const { id, keyId, free, charged, credits, characters, sessions, holder } = reservation;
    const [key] = yield* ask<{ balance: number }>(lockBalance, keyId);
    const day = free?.day ?? null;
    const running = free ? RUNNING_FREE : RUNNING_PARTNER;
    const [now] = yield* ask<{ running: number; requests: number }>(running, keyId, keyId, day);
    if (free && now!.requests >= free.limit) return { ok: false, reason: 'daily_limit' };
    if (sessions !== undefined && now!.running >= sessions) return { ok: false, reason: 'concurrency' };
    const balance = key?.balance ?? 0;
    if (charged && balance < Math.max(1, credits)) return { ok: false, reason: 'insufficient_credits', balance };
    let freeRequests = 0;
    if (free) {
      const [counted] = yield* ask<{ requests: number }>(COUNT_FREE, keyId, free.day, free.limit);
      // Only the machine's own key, which has no row to lock, can have been overtaken.
      if (!counted) return { ok: false, reason: 'daily_limit' };
      freeRequests = counted.requests;
    }
    if (charged && credits > 0) yield* tell(HOLD, credits, keyId, credits);
    const { requestId, model, voice } = reservation;
    yield* tell(INSERT_RESERVATION, id, keyId, requestId, model, voice, characters, charged ? credits : 0, day, holder);
    return { ok: true, freeRequests };
  }

  function* extend(id: string, characters: number, credits: number): Change<number | undefined> {
    const [row] = yield* ask<{ key_id: string }>(EXTEND, characters, credits, id);
    if (!row || credits === 0) return undefined;
    const [held] = yield* ask(HOLD, credits, row.key_id, credits);
    if (held) return undefined;
    yield* ask(EXTEND, -characters, -credits, id);
    const [key] = yield* ask<{ balance: number }>(selectBalance, row.key_id);
    return key?.balance ?? 0;
  }

  /** Taking the reservation out is what happens once: whoever comes second finds none. */
  function* end(id: string, how: End): Change<boolean> {
    const [held] = yield* ask<ReservationRow>(TAKE_OUT, id);
    if (!held) return yield* endLate(id, how);
    const { key_id, request_id, model, voice } = held;
    const characters = Math.min(held.characters, how.characters ?? held.characters);
    const credits = Math.min(held.credits, how.credits);
    const delivered = Math.min(characters, how.deliveredCharacters);
    const { time, audioMs, outcome } = how;
    const audio = Math.round(audioMs);
    yield* tell(BOOK, id, time, request_id, key_id, model, voice, characters, credits, audio, outcome, delivered);
    if (held.credits > 0) yield* tell(DEBIT, held.credits, credits, key_id);
    return true;
  }

  /**
   * A server that was taken for dead and was not: its reservation was returned, and now its end is told. The row says what
   * happened after all, and the debit takes what the balance still has of it.
   */
  function* endLate(id: string, how: End): Change<boolean> {
    const { outcome, credits, audioMs, deliveredCharacters } = how;
    if (outcome === 'interrupted') return false;
    const [row] = yield* ask<{ key_id: string; characters: number }>(INTERRUPTED, id);
    if (!row) return false;
    const [key] = yield* ask<{ balance: number }>(lockBalance, row.key_id);
    const characters = Math.min(row.characters, how.characters ?? row.characters);
    const owed = Math.min(credits, characters, key?.balance ?? 0);
    const delivered = Math.min(deliveredCharacters, characters);
    const [corrected] = yield* ask(CORRECT, outcome, characters, owed, Math.round(audioMs), delivered, id);
    if (corrected && owed > 0) yield* tell(DEBIT, 0, owed, row.key_id);
    return corrected !== undefined;
  }

  function* drop(id: string): Change<boolean> {
    const [held] = yield* ask<ReservationRow>(TAKE_OUT, id);
    if (!held) return false;
    if (held.credits > 0) yield* tell(GIVE_BACK, held.credits, held.key_id);
    if (held.free_day !== null) yield* tell(UNCOUNT_FREE, held.key_id, held.free_day);
    return true;
  }

  return { reserve, extend, end, drop };
}
