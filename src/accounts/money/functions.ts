/**
 * Money moved by functions of the database (migrations/postgres/005-functions.ts): one statement a
 * move.
 */
import type { AccountsDatabase } from '../database.js';
import type {
  EndResult,
  ExtendResult,
  NewReservation,
  ReservationEnd,
  ReservationRef,
  ReserveResult,
} from '../store.js';
import { type MoneyMoves, takingOn } from './moves.js';

const RESERVE = 'SELECT * FROM tts_reserve(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';
const EXTEND = 'SELECT * FROM tts_extend(?, ?, ?, ?)';
const END = 'SELECT tts_end(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) AS found';
const DROP = 'SELECT tts_drop(?) AS found';

interface ReserveRow {
  refusal: Exclude<ReserveResult, { ok: true }>['reason'] | null;
  balance: number;
  counted: number;
  now_ms: number;
}
interface ExtendRow {
  refusal: Exclude<ExtendResult, { ok: true }>['reason'] | null;
  balance: number;
}

function reserveResult({ refusal, balance, counted, now_ms: nowMs }: ReserveRow): ReserveResult {
  if (refusal === null) return { ok: true, freeRequests: counted, nowMs };
  if (refusal === 'insufficient_credits') return { ok: false, reason: refusal, balance };
  if (refusal === 'daily_limit') return { ok: false, reason: refusal, nowMs };
  return { ok: false, reason: refusal };
}

function extendResult({ refusal, balance }: ExtendRow): ExtendResult {
  if (refusal === null) return { ok: true };
  return refusal === 'lost' ? { ok: false, reason: refusal } : { ok: false, reason: refusal, balance };
}

export function callFunctions(database: AccountsDatabase): Pick<MoneyMoves, 'reserve' | 'extend' | 'end' | 'drop'> {
  return {
    async reserve(reservation: NewReservation) {
      const { id, keyId, requestId, model, voice, characters, credits, charged, holder } = reservation;
      const { sessions = null, free, again = false } = reservation;
      const about = [id, keyId, requestId, model, voice, characters, charged ? credits : null, holder] as const;
      const limits = [sessions, free?.limit ?? null, Number(again)] as const;
      const [row] = await database.writeOne<ReserveRow>(takingOn(reservation), RESERVE, ...about, ...limits);
      return reserveResult(row!);
    },

    async extend(reservation: ReservationRef, characters: number, credits: number) {
      const { id, keyId } = reservation;
      const [row] = await database.writeOne<ExtendRow>(takingOn(reservation), EXTEND, id, keyId, characters, credits);
      return extendResult(row!);
    },

    async end({ id, keyId, requestId, model, voice }: ReservationRef, how: ReservationEnd) {
      const { outcome, time, audioMs, characters, deliveredCharacters, credits } = how;
      const about = [id, keyId, requestId, model, voice, outcome, time] as const;
      const sums = [Math.round(audioMs), characters, deliveredCharacters, credits] as const;
      const [row] = await database.writeOne<{ found: EndResult }>({ durable: true, keyId }, END, ...about, ...sums);
      return row!.found;
    },

    async drop({ id, keyId }: ReservationRef) {
      const [row] = await database.writeOne<{ found: boolean }>({ durable: false, keyId }, DROP, id);
      return row!.found;
    },
  };
}
