/** Keys: made, found, listed with their day, changed, rotated, revoked, and granted credits. */
import { freeLimitOf } from '../../protocol/free-limit.js';
import { BASE_MODELS } from '../../protocol/job.js';
import { type AccountsDatabase, ask, type Change, tell } from '../database.js';
import type { AccountStore, KeyChange, KeySummary, NewKey, StoredKey } from '../store.js';
import type { KeyLimits } from '../types.js';
import { pagesOf } from './pages.js';
import {
  type FreeTodayRow,
  freeName,
  grouped,
  type KeyRow,
  storedKeys,
  type TodayRow,
  todayOf,
  withoutHash,
} from './rows.js';

const DAY_MS = 86_400_000;
/**
 * Keys asked about in one statement; a shorter list is filled up, so that one statement is
 * prepared.
 */
const KEYS_PAGE = 100;
const NO_LIMITS: KeyLimits = { concurrency: null, freeDaily: null };

const INSERT_KEY = `INSERT INTO keys (id, hash, tier, name, credits, created_at, expires_at, concurrency, free_daily)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id`;
const CHANGE_KEY = 'UPDATE keys SET name = ?, concurrency = ?, free_daily = ? WHERE id = ?';
const INSERT_GRANT = 'INSERT INTO grants (time, key_id, credits) VALUES (?, ?, ?)';
const ADD_CREDITS = 'UPDATE keys SET credits = credits + ? WHERE id = ? RETURNING id';
const REVOKE = 'UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ? RETURNING id';
/** What rests on a secret does not outlive it. */
const CUT_SIGN_INS = 'UPDATE sign_ins SET expires_ms = ? WHERE standing = ? AND expires_ms > ?';
const CUT_TICKETS = 'UPDATE tickets SET expires_ms = ? WHERE key_id = ? AND expires_ms > ?';
const SET_FREE_LIMIT = 'INSERT INTO free_limits (key_id, model, concurrency, free_daily) VALUES (?, ?, ?, ?)';
const CLEAR_FREE_LIMITS = 'DELETE FROM free_limits WHERE key_id = ?';
const SUM_TODAY = `SELECT key_id, count(*) AS requests, sum(characters) AS characters, sum(credits) AS credits
  FROM ledger WHERE time >= ? AND time < ? GROUP BY key_id`;
const FREE_TODAY = `SELECT free_requests.key_id, free_requests.model, free_requests.requests
  FROM keys JOIN free_requests ON free_requests.key_id = keys.id AND free_requests.day = ?`;

/** The columns of a key's own limits; those by model are rows of `free_limits`. */
const general = (limit: KeyLimits[keyof KeyLimits]): number | null => (typeof limit === 'number' ? limit : null);

function* setFreeLimits(id: string, { concurrency, freeDaily }: KeyLimits): Change<void> {
  yield* tell(CLEAR_FREE_LIMITS, id);
  for (const model of BASE_MODELS) {
    const own = [concurrency, freeDaily].map((limit) =>
      typeof limit === 'number' ? null : (freeLimitOf(limit, model) ?? null),
    );
    if (own.some((limit) => limit !== null)) yield* tell(SET_FREE_LIMIT, id, freeName(model), ...own);
  }
}

function* createKey(key: NewKey): Change<boolean> {
  const { id, tier, name, credits, createdAt, expiresAt, limits = NO_LIMITS } = key;
  const hash = Buffer.from(key.hash);
  const own = [general(limits.concurrency), general(limits.freeDaily)];
  const [made] = yield* ask(INSERT_KEY, id, hash, tier, name, credits, createdAt, expiresAt, ...own);
  if (!made) return false;
  yield* setFreeLimits(id, limits);
  if (credits > 0) yield* tell(INSERT_GRANT, createdAt, id, credits);
  return true;
}

function* grantCredits(id: string, credits: number, time: string): Change<boolean> {
  if ((yield* ask(ADD_CREDITS, credits, id)).length === 0) return false;
  yield* tell(INSERT_GRANT, time, id, credits);
  return true;
}

type Keys = Pick<
  AccountStore,
  'createKey' | 'findKey' | 'findKeys' | 'listKeys' | 'changeKey' | 'rotateKey' | 'revokeKey' | 'grantCredits'
>;

export function createKeys(database: AccountsDatabase): Keys {
  const { nowMs, forUpdate } = database.dialect;
  const selectKeys = `SELECT keys.*, ${nowMs} AS now_ms, free_limits.model AS limited_model,
      free_limits.concurrency AS model_concurrency, free_limits.free_daily AS model_free_daily
    FROM keys LEFT JOIN free_limits ON free_limits.key_id = keys.id`;
  const selectKey = `${selectKeys} WHERE keys.id = ?`;
  const selectSome = `${selectKeys} WHERE keys.id IN (${Array(KEYS_PAGE).fill('?').join(', ')})`;
  const selectAll = `${selectKeys} ORDER BY keys.seq`;
  const lockKey = `SELECT id FROM keys WHERE id = ?${forUpdate}`;

  function* changeKey(id: string, change: KeyChange): Change<boolean> {
    if ((yield* ask(lockKey, id)).length === 0) return false;
    const [key] = storedKeys(yield* ask<KeyRow>(selectKey, id));
    const { name = key!.name, concurrency = key!.limits.concurrency, freeDaily = key!.limits.freeDaily } = change;
    yield* tell(CHANGE_KEY, name, general(concurrency), general(freeDaily), id);
    yield* setFreeLimits(id, { concurrency, freeDaily });
    return true;
  }

  const rotate = `UPDATE keys SET previous_hash = hash, previous_ends_ms = ${nowMs} + ?, hash = ?,
      rotations = rotations + 1, rotated_at = ? WHERE id = ? RETURNING previous_ends_ms`;
  function* rotateKey(id: string, hash: Uint8Array, time: string, graceMs: number): Change<boolean> {
    const [rotated] = yield* ask<{ previous_ends_ms: number }>(rotate, graceMs, Buffer.from(hash), time, id);
    if (rotated === undefined) return false;
    for (const sql of [CUT_SIGN_INS, CUT_TICKETS])
      yield* tell(sql, rotated.previous_ends_ms, id, rotated.previous_ends_ms);
    return true;
  }

  return {
    createKey: (key) => database.write({ durable: true }, () => createKey(key)),

    async findKey(id): Promise<StoredKey | undefined> {
      return storedKeys(await database.read<KeyRow>(selectKey, id))[0];
    },

    async findKeys(ids) {
      const found: StoredKey[] = [];
      for (const page of pagesOf(ids, KEYS_PAGE)) {
        const filled = [...page, ...Array<string>(KEYS_PAGE - page.length).fill(page[0]!)];
        found.push(...storedKeys(await database.read<KeyRow>(selectSome, ...filled)));
      }
      return found.map(withoutHash);
    },

    async listKeys(): Promise<KeySummary[]> {
      const [clock] = await database.read<{ now_ms: number }>(`SELECT ${nowMs} AS now_ms`);
      const from = new Date(clock!.now_ms - (clock!.now_ms % DAY_MS));
      const to = new Date(from.getTime() + DAY_MS);
      const keys = storedKeys(await database.read<KeyRow>(selectAll));
      const sums = await database.read<TodayRow>(SUM_TODAY, from.toISOString(), to.toISOString());
      const sumOf = new Map(sums.map((row) => [row.key_id, row]));
      const free = await database.read<FreeTodayRow>(FREE_TODAY, from.toISOString().slice(0, 10));
      const freeOf = grouped(free, ({ key_id }) => key_id);
      return keys.map((key) => ({
        ...withoutHash(key),
        today: todayOf(sumOf.get(key.id) ?? {}, freeOf.get(key.id) ?? []),
      }));
    },

    changeKey: (id, change) => database.write({ durable: true }, () => changeKey(id, change)),
    rotateKey: (id, hash, { time, graceMs }) =>
      database.write({ durable: true }, () => rotateKey(id, hash, time, graceMs)),
    async revokeKey(id, time) {
      return (await database.writeOne({ durable: true }, REVOKE, time, id)).length > 0;
    },
    grantCredits: (id, credits, time) => database.write({ durable: true }, () => grantCredits(id, credits, time)),
  };
}
