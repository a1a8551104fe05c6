/**
 * Money moved statement by statement inside a transaction: the rules of reserve, extend, end and
 * drop where a database has no functions, and of interrupt everywhere.
 */
import { type AccountsDatabase, ask, type Change, tell } from '../database.js';
import { JOBS_HOLDER } from '../jobs-holder.js';
import type {
  EndResult,
  ExtendResult,
  NewReservation,
  ReservationEnd,
  ReservationRef,
  ReserveResult,
} from '../store.js';
import { type MoneyMoves, takingOn } from './moves.js';

interface ReservationRow {
  key_id: string;
  request_id: string;
  model: string;
  voice: string;
  characters: number;
  credits: number;
  free_day: string | null;
}

/** A ledger row's own part; `interrupted` is the end of a request whose server is gone. */
type Booking = Omit<ReservationEnd, 'outcome'> & { readonly outcome: ReservationEnd['outcome'] | 'interrupted' };

const COUNT_FREE = `INSERT INTO free_requests (key_id, day, model, requests) VALUES (?, ?, ?, 1)
  ON CONFLICT (key_id, day, model) DO UPDATE SET requests = free_requests.requests + 1
    WHERE free_requests.requests < ?
  RETURNING requests`;
const UNCOUNT_FREE =
  'UPDATE free_requests SET requests = requests - 1 WHERE key_id = ? AND day = ? AND model = ? AND requests > 0';
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
  WHERE reservation_id = ?`;
const BOOKED = `SELECT outcome FROM ledger WHERE reservation_id = ?`;
const FORGET_INTERRUPTION = `DELETE FROM ledger WHERE reservation_id = ? AND outcome = 'interrupted'`;

/** Reservations of jobs are not counted as sessions. */
const IS_SESSION = `holder <> '${JOBS_HOLDER}'`;

interface FreeNow {
  now_ms: number;
  day: string;
  running: number;
  requests: number;
  pooled: number;
}

/** The statements whose words differ by database. */
function statementsOf({ forUpdate, nowMs, dayOf }: AccountsDatabase['dialect']) {
  /**
   * A server that is returning the reservation at this moment has finished when the answer comes.
   */
  const lockReservation = `SELECT id FROM reservations WHERE id = ?${forUpdate}`;
  /**
   * The lease is looked at by the statement that deletes, and that begins with the row locked: a
   * server that renewed its lease and then saw its reservation keeps it.
   */
  const takeOutLapsed = TAKE_OUT.replace(
    'WHERE id = ?',
    `WHERE id = ? AND NOT EXISTS (SELECT 1 FROM leases WHERE leases.holder = reservations.holder AND expires_ms > ${nowMs})`,
  );
  const selectBalance = `SELECT credits - reserved AS balance, revoked_at FROM keys WHERE id = ?`;
  const lockBalance = `${selectBalance}${forUpdate}`;
  const selectPartner = `SELECT ${nowMs} AS now_ms, count(*) AS running FROM reservations
    WHERE key_id = ? AND free_day IS NULL AND ${IS_SESSION}`;
  /**
   * `pooled` is the day's count of a version that counted all models together; it counts for each
   * of them.
   */
  const selectFree = `SELECT clock.ms AS now_ms, clock.day AS day,
      (SELECT count(*) FROM reservations WHERE key_id = ? AND model = ? AND free_day IS NOT NULL AND ${IS_SESSION})
        AS running,
      coalesce((SELECT requests FROM free_requests WHERE key_id = ? AND day = clock.day AND model = ?), 0) AS requests,
      coalesce((SELECT requests FROM free_requests WHERE key_id = ? AND day = clock.day AND model = ''), 0) AS pooled
    FROM (SELECT ms, ${dayOf('ms')} AS day FROM (SELECT ${nowMs} AS ms) AS now) AS clock`;
  return { lockReservation, takeOutLapsed, selectBalance, lockBalance, selectPartner, selectFree };
}

/** Changes as courses of statements, each run inside one transaction. */
class Changes {
  readonly #sql: ReturnType<typeof statementsOf>;

  constructor(dialect: AccountsDatabase['dialect']) {
    this.#sql = statementsOf(dialect);
  }

  get lockReservation(): string {
    return this.#sql.lockReservation;
  }

  /**
   * The key's row is locked first: requests of one key are admitted one after the other, whichever
   * server they came to.
   */
  *reserve(reservation: NewReservation): Change<ReserveResult> {
    const { id, keyId, requestId, model, voice, free, charged, credits, characters, sessions, holder } = reservation;
    const { again = false } = reservation;
    const [key] = yield* ask<{ balance: number; revoked_at: string | null }>(this.#sql.lockBalance, keyId);
    if (key && key.revoked_at !== null && !again) return { ok: false, reason: 'revoked' };
    const [now] = free
      ? yield* ask<FreeNow>(this.#sql.selectFree, keyId, model, keyId, model, keyId)
      : yield* ask<FreeNow>(this.#sql.selectPartner, keyId);
    const { now_ms: nowMs, day = null, running, requests, pooled } = now!;
    if (free && !again && requests + pooled >= free.limit) return { ok: false, reason: 'daily_limit', nowMs };
    if (sessions !== undefined && running >= sessions) return { ok: false, reason: 'concurrency' };
    const balance = key?.balance ?? 0;
    if (charged && balance < Math.max(1, credits)) return { ok: false, reason: 'insufficient_credits', balance };
    let freeRequests = 0;
    if (again) yield* tell(FORGET_INTERRUPTION, id);
    else if (free) {
      const [counted] = yield* ask<{ requests: number }>(COUNT_FREE, keyId, day, model, free.limit - pooled);
      // Only the machine's own key, which has no row to lock, can have been overtaken.
      if (!counted) return { ok: false, reason: 'daily_limit', nowMs };
      freeRequests = counted.requests + pooled;
    }
    if (charged && credits > 0) yield* tell(HOLD, credits, keyId, credits);
    yield* tell(INSERT_RESERVATION, id, keyId, requestId, model, voice, characters, charged ? credits : 0, day, holder);
    return { ok: true, freeRequests, nowMs };
  }

  *extend({ id, keyId }: ReservationRef, characters: number, credits: number): Change<ExtendResult> {
    const [row] = yield* ask(EXTEND, characters, credits, id);
    if (!row) return { ok: false, reason: 'lost' };
    if (credits === 0) return { ok: true };
    const [held] = yield* ask(HOLD, credits, keyId, credits);
    if (held) return { ok: true };
    yield* ask(EXTEND, -characters, -credits, id);
    const [key] = yield* ask<{ balance: number }>(this.#sql.selectBalance, keyId);
    return { ok: false, reason: 'insufficient_credits', balance: key?.balance ?? 0 };
  }

  /** Deleting the reservation happens once: a second end finds no row. */
  *end(reservation: ReservationRef, how: ReservationEnd): Change<EndResult> {
    const [held] = yield* ask<ReservationRow>(TAKE_OUT, reservation.id);
    if (!held) return yield* this.#endWithoutReservation(reservation, how);
    yield* this.#settle(reservation, held, how);
    return 'ended';
  }

  *#settle(reservation: ReservationRef, held: ReservationRow, how: ReservationEnd): Change<void> {
    const characters = Math.min(held.characters, how.characters);
    const credits = Math.min(held.credits, how.credits);
    yield* this.#book(reservation, { ...how, characters, credits });
    if (held.credits > 0) yield* tell(DEBIT, held.credits, credits, held.key_id);
  }

  *#book(
    { id, keyId, requestId, model, voice }: ReservationRef,
    { time, characters, credits, audioMs, outcome, deliveredCharacters }: Booking,
  ): Change<void> {
    const delivered = Math.min(characters, deliveredCharacters);
    const audio = Math.round(audioMs);
    yield* tell(BOOK, id, time, requestId, keyId, model, voice, characters, credits, audio, outcome, delivered);
  }

  /**
   * Another server returned the reservation, or its row went with a fail-over of the database. The
   * ledger tells what happened after all, and the debit takes what the balance still has of it.
   */
  *#endWithoutReservation(reservation: ReservationRef, how: ReservationEnd): Change<EndResult> {
    const { id, keyId } = reservation;
    const [key] = yield* ask<{ balance: number }>(this.#sql.lockBalance, keyId);
    // The lock may have waited for a commit whose answer was lost: that of the reservation, made
    // anew.
    const [held] = yield* ask<ReservationRow>(TAKE_OUT, id);
    if (held) {
      yield* this.#settle(reservation, held, how);
      return 'ended';
    }
    const [row] = yield* ask<{ outcome: string }>(BOOKED, id);
    if (row && row.outcome !== 'interrupted') return 'repeated';
    const { outcome, characters, audioMs } = how;
    const owed = Math.min(how.credits, characters, key?.balance ?? 0);
    const delivered = Math.min(how.deliveredCharacters, characters);
    if (row) yield* tell(CORRECT, outcome, characters, owed, Math.round(audioMs), delivered, id);
    else yield* this.#book(reservation, { ...how, credits: owed });
    if (owed > 0) yield* tell(DEBIT, 0, owed, keyId);
    return row ? 'late' : 'unknown';
  }

  /** Returns an open reservation: in any case, or only where its server's lease has run out. */
  *interrupt(id: string, time: string, whose: 'lapsed' | 'all'): Change<boolean> {
    if (whose === 'lapsed') yield* ask(this.#sql.lockReservation, id);
    const [held] = yield* ask<ReservationRow>(whose === 'lapsed' ? this.#sql.takeOutLapsed : TAKE_OUT, id);
    if (!held) return false;
    const { key_id: keyId, request_id: requestId, model, voice, characters } = held;
    const nothing = { credits: 0, audioMs: 0, deliveredCharacters: 0 };
    yield* this.#book({ id, keyId, requestId, model, voice }, { time, characters, outcome: 'interrupted', ...nothing });
    if (held.credits > 0) yield* tell(GIVE_BACK, held.credits, keyId);
    return true;
  }

  *drop({ id }: ReservationRef): Change<boolean> {
    const [held] = yield* ask<ReservationRow>(TAKE_OUT, id);
    if (!held) {
      yield* tell(FORGET_INTERRUPTION, id);
      return false;
    }
    if (held.credits > 0) yield* tell(GIVE_BACK, held.credits, held.key_id);
    if (held.free_day !== null) yield* tell(UNCOUNT_FREE, held.key_id, held.free_day, held.model);
    return true;
  }
}

export function runStatements(database: AccountsDatabase): MoneyMoves {
  const changes = new Changes(database.dialect);
  return {
    reserve: (reservation) => database.write(takingOn(reservation), () => changes.reserve(reservation)),
    extend: (reservation, characters, credits) =>
      database.write(takingOn(reservation), () => changes.extend(reservation, characters, credits)),
    async holds({ id, keyId }) {
      return (await database.writeOne({ durable: false, keyId }, changes.lockReservation, id)).length > 0;
    },
    end(reservation, end) {
      const durable = end.outcome === 'completed' || end.credits > 0;
      return database.write({ durable, keyId: reservation.keyId }, () => changes.end(reservation, end));
    },
    drop: (reservation) =>
      database.write({ durable: false, keyId: reservation.keyId }, () => changes.drop(reservation)),
    interrupt: ({ id, keyId }, time, whose) =>
      database.write({ durable: true, keyId }, () => changes.interrupt(id, time, whose)),
  };
}
