/** The store's seam over any database: its statements stand here once, those that move money in changes.ts. */
import { loopTurn } from '../loop-turn.js';
import { freeLimitOf } from '../protocol/free-limit.js';
import { BASE_MODELS } from '../protocol/job.js';
import { createChanges } from './changes.js';
import { type AccountsDatabase, ask, type Change, tell } from './database.js';
import { createPasses } from './passes.js';
import { createRequestRows } from './requests/request-rows.js';
import {
  type FreeTodayRow,
  freeName,
  grouped,
  type KeyRow,
  ledgerRow,
  type SumRow,
  storedKeys,
  type TodayRow,
  todayOf,
  type UsageRow,
  UsageSums,
  withoutHash,
} from './rows.js';
import type { AccountStore, KeySummary, StoredKey } from './store.js';
import type { KeyLimits } from './types.js';

interface BalanceRow {
  id: string;
  credits: number;
  reserved: number;
  due: number;
  held: number;
}

const DAY_MS = 86_400_000;
const USAGE_PAGE = 500;
/** Rows of the ledger added up in one statement: SQLite holds up the process meanwhile. */
const SUM_PAGE = 1_000;
/** Behind the last row of any ledger. */
const LEDGER_END = { time: '9999', seq: Number.MAX_SAFE_INTEGER };
/** Keys asked about in one statement; fewer are filled up, so that there is only one such statement to prepare. */
const KEYS_PAGE = 100;
/** Ended together at a recovery: a few connections' worth. */
const RECOVER_PAGE = 16;
/** A lease that ran out so long ago is of a server that will not come back. */
const FORGET_LEASE_MS = DAY_MS;

const INSERT_KEY = `INSERT INTO keys (id, hash, tier, name, credits, created_at, expires_at, concurrency, free_daily)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id`;
const CHANGE_KEY = 'UPDATE keys SET name = ?, concurrency = ?, free_daily = ? WHERE id = ?';
const INSERT_GRANT = 'INSERT INTO grants (time, key_id, credits) VALUES (?, ?, ?)';
const ADD_CREDITS = 'UPDATE keys SET credits = credits + ? WHERE id = ? RETURNING id';
const REVOKE = 'UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ? RETURNING id';
const SET_FREE_LIMIT = 'INSERT INTO free_limits (key_id, model, concurrency, free_daily) VALUES (?, ?, ?, ?)';
const CLEAR_FREE_LIMITS = 'DELETE FROM free_limits WHERE key_id = ?';
const SUM_TODAY = `SELECT key_id, count(*) AS requests, sum(characters) AS characters, sum(credits) AS credits
  FROM ledger WHERE time >= ? AND time < ? GROUP BY key_id`;
const FREE_TODAY = `SELECT free_requests.key_id, free_requests.model, free_requests.requests
  FROM keys JOIN free_requests ON free_requests.key_id = keys.id AND free_requests.day = ?`;
/** By time of ending: with several servers at work, numbers are not given in the order in which rows appear. */
const USAGE_TAIL = `(time, seq) > (?, ?) ORDER BY time, seq LIMIT ${USAGE_PAGE}`;
const SELECT_USAGE = `SELECT * FROM ledger WHERE ${USAGE_TAIL}`;
const SELECT_USAGE_OF_KEY = `SELECT * FROM ledger WHERE key_id = ? AND ${USAGE_TAIL}`;
/** Where the next page of sums ends, and the sums from one place in the ledger to another. */
const PAGE_END = `(time, seq) > (?, ?) ORDER BY time, seq LIMIT 1 OFFSET ${SUM_PAGE - 1}`;
const SELECT_PAGE_END = `SELECT time, seq FROM ledger WHERE ${PAGE_END}`;
const SELECT_PAGE_END_OF_KEY = `SELECT time, seq FROM ledger WHERE key_id = ? AND ${PAGE_END}`;
const SUMS = `SELECT substr(time, 1, 10) AS day, key_id, model, count(*) AS requests,
    sum(CASE WHEN outcome = 'completed' THEN 0 ELSE 1 END) AS unfinished, sum(characters) AS characters,
    sum(delivered_characters) AS delivered_characters, sum(credits) AS credits, sum(audio_ms) AS audio_ms
  FROM ledger WHERE`;
const PAGE = '(time, seq) > (?, ?) AND (time, seq) <= (?, ?) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3';
const SUM_USAGE = `${SUMS} ${PAGE}`;
const SUM_USAGE_OF_KEY = `${SUMS} key_id = ? AND ${PAGE}`;
const SELECT_SECRET = 'SELECT hash FROM secrets WHERE name = ?';
const ADD_SECRET = 'INSERT INTO secrets (name, hash) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING name';
const SET_SECRET = `INSERT INTO secrets (name, hash) VALUES (?, ?)
  ON CONFLICT (name) DO UPDATE SET hash = excluded.hash RETURNING name`;
const SELECT_WRONG_BALANCES = `SELECT id, credits, reserved, due, held FROM (
    SELECT seq, id, credits, reserved,
      (SELECT coalesce(sum(credits), 0) FROM grants WHERE key_id = keys.id)
        - (SELECT coalesce(sum(credits), 0) FROM ledger WHERE key_id = keys.id) AS due,
      (SELECT coalesce(sum(credits), 0) FROM reservations WHERE key_id = keys.id) AS held
    FROM keys) AS balances
  WHERE credits <> due OR reserved <> held ORDER BY seq`;

function* pagesOf<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

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

/** Owns the database from here on. */
export function createStore(database: AccountsDatabase): AccountStore {
  const { read, write } = database;
  const { nowMs, forUpdate } = database.dialect;
  const changes = createChanges(database.dialect);
  const selectKeys = `SELECT keys.*, ${nowMs} AS now_ms, free_limits.model AS limited_model,
      free_limits.concurrency AS model_concurrency, free_limits.free_daily AS model_free_daily
    FROM keys LEFT JOIN free_limits ON free_limits.key_id = keys.id`;
  const selectKey = `${selectKeys} WHERE keys.id = ?`;
  const selectSome = `${selectKeys} WHERE keys.id IN (${Array(KEYS_PAGE).fill('?').join(', ')})`;
  const selectAll = `${selectKeys} ORDER BY keys.seq`;
  const lockKey = `SELECT id FROM keys WHERE id = ?${forUpdate}`;
  const allOpen = `SELECT id, key_id, ${nowMs} AS now_ms FROM reservations`;
  const lapsed = `SELECT reservations.id, key_id, ${nowMs} AS now_ms FROM reservations LEFT JOIN leases ON leases.holder = reservations.holder
    WHERE leases.holder IS NULL OR leases.expires_ms <= ${nowMs}`;
  const renew = `INSERT INTO leases (holder, expires_ms) VALUES (?, ${nowMs} + ?)
    ON CONFLICT (holder) DO UPDATE SET expires_ms = excluded.expires_ms`;
  const forgetLeases = `DELETE FROM leases WHERE expires_ms < ${nowMs} - ${FORGET_LEASE_MS}`;

  return {
    ...createRequestRows(database),
    shared: database.shared,
    passes: createPasses(database),

    createKey: (key) =>
      write({ durable: true }, function* () {
        const { id, tier, name, credits, createdAt, expiresAt } = key;
        const { limits = { concurrency: null, freeDaily: null } } = key;
        const hash = Buffer.from(key.hash);
        const own = [general(limits.concurrency), general(limits.freeDaily)];
        const [made] = yield* ask(INSERT_KEY, id, hash, tier, name, credits, createdAt, expiresAt, ...own);
        if (!made) return false;
        yield* setFreeLimits(id, limits);
        if (credits > 0) yield* tell(INSERT_GRANT, createdAt, id, credits);
        return true;
      }),

    async findKey(id): Promise<StoredKey | undefined> {
      return storedKeys(await read<KeyRow>(selectKey, id))[0];
    },

    async findKeys(ids) {
      const found: StoredKey[] = [];
      for (const page of pagesOf(ids, KEYS_PAGE)) {
        const filled = [...page, ...Array<string>(KEYS_PAGE - page.length).fill(page[0]!)];
        found.push(...storedKeys(await read<KeyRow>(selectSome, ...filled)));
      }
      return found.map(withoutHash);
    },

    async listKeys(): Promise<KeySummary[]> {
      const [clock] = await read<{ now_ms: number }>(`SELECT ${nowMs} AS now_ms`);
      const from = new Date(clock!.now_ms - (clock!.now_ms % DAY_MS));
      const to = new Date(from.getTime() + DAY_MS);
      const keys = storedKeys(await read<KeyRow>(selectAll));
      const sums = await read<TodayRow>(SUM_TODAY, from.toISOString(), to.toISOString());
      const sumOf = new Map(sums.map((row) => [row.key_id, row]));
      const free = await read<FreeTodayRow>(FREE_TODAY, from.toISOString().slice(0, 10));
      const freeOf = grouped(free, ({ key_id }) => key_id);
      return keys.map((key) => ({
        ...withoutHash(key),
        today: todayOf(sumOf.get(key.id) ?? {}, freeOf.get(key.id) ?? []),
      }));
    },

    changeKey: (id, change) =>
      write({ durable: true }, function* () {
        if ((yield* ask(lockKey, id)).length === 0) return false;
        const [key] = storedKeys(yield* ask<KeyRow>(selectKey, id));
        const { name = key!.name, concurrency = key!.limits.concurrency, freeDaily = key!.limits.freeDaily } = change;
        yield* tell(CHANGE_KEY, name, general(concurrency), general(freeDaily), id);
        yield* setFreeLimits(id, { concurrency, freeDaily });
        return true;
      }),

    revokeKey: (id, time) =>
      write({ durable: true }, function* () {
        return (yield* ask(REVOKE, time, id)).length > 0;
      }),

    grant: (id, credits, time) =>
      write({ durable: true }, function* () {
        if ((yield* ask(ADD_CREDITS, credits, id)).length === 0) return false;
        yield* tell(INSERT_GRANT, time, id, credits);
        return true;
      }),

    // What is reserved may be lost with the power where the server dies with it: it would be returned anyway.
    reserve: (reservation) =>
      write({ durable: false, takesOn: true, keyId: reservation.keyId }, () => changes.reserve(reservation)),
    extend: (reservation, characters, credits) =>
      write({ durable: false, takesOn: true, keyId: reservation.keyId }, () =>
        changes.extend(reservation, characters, credits),
      ),
    holds: (reservation) => write({ durable: false, keyId: reservation.keyId }, () => changes.holds(reservation)),
    end: (reservation, end) =>
      write({ durable: end.outcome === 'completed' || end.credits > 0, keyId: reservation.keyId }, () =>
        changes.end(reservation, end),
      ),
    drop: (reservation) => write({ durable: false, keyId: reservation.keyId }, () => changes.drop(reservation)),

    async renewLease(holder, ms) {
      await write({ durable: false, lease: true }, function* () {
        yield* tell(renew, holder, ms);
        yield* tell(forgetLeases);
      });
    },

    async endLease(holder) {
      await write({ durable: false, lease: true }, () => tell('DELETE FROM leases WHERE holder = ?', holder));
    },

    async recover(whose) {
      const open = await read<{ id: string; key_id: string; now_ms: number }>(whose === 'all' ? allOpen : lapsed);
      let returned = 0;
      for (const page of pagesOf(open, RECOVER_PAGE)) {
        const ended = await Promise.allSettled(
          page.map(({ id, key_id: keyId, now_ms: now }) =>
            write({ durable: true, keyId }, () => changes.interrupt(id, new Date(now).toISOString(), whose)),
          ),
        );
        for (const each of ended) if (each.status === 'fulfilled' && each.value) returned++;
        // One key whose row is locked keeps nobody else's reservations; a database that is away fails for all.
        if (ended.every(({ status }) => status === 'rejected')) throw (ended[0] as PromiseRejectedResult).reason;
      }
      return returned;
    },

    async *usage({ keyId, since }) {
      let last = { time: since ?? '', seq: -1 };
      for (;;) {
        const rows =
          keyId === undefined
            ? await read<UsageRow>(SELECT_USAGE, last.time, last.seq)
            : await read<UsageRow>(SELECT_USAGE_OF_KEY, keyId, last.time, last.seq);
        for (const row of rows) yield ledgerRow(row);
        if (rows.length < USAGE_PAGE) return;
        last = rows.at(-1)!;
      }
    },

    async usageByDay({ keyId, since }) {
      const sums = new UsageSums();
      const whose = keyId === undefined ? [] : [keyId];
      const [pageEnd, sum] =
        keyId === undefined ? [SELECT_PAGE_END, SUM_USAGE] : [SELECT_PAGE_END_OF_KEY, SUM_USAGE_OF_KEY];
      let from = { time: since ?? '', seq: -1 };
      for (;;) {
        await loopTurn();
        const [end] = await read<typeof from>(pageEnd, ...whose, from.time, from.seq);
        const to = end ?? LEDGER_END;
        sums.add(await read<SumRow>(sum, ...whose, from.time, from.seq, to.time, to.seq));
        if (end === undefined) return sums.all();
        from = end;
      }
    },

    async secretHash(name) {
      return (await read<{ hash: Buffer }>(SELECT_SECRET, name))[0]?.hash;
    },

    putSecretHash: (name, hash, { keep = false } = {}) =>
      write({ durable: true }, function* () {
        return (yield* ask(keep ? ADD_SECRET : SET_SECRET, name, Buffer.from(hash))).length > 0;
      }),

    async check() {
      const damage = await database.damage();
      if (damage.length > 0) return damage;
      const wrong = await read<BalanceRow>(SELECT_WRONG_BALANCES);
      return wrong.map(
        ({ id, credits, reserved, due, held }) =>
          `key ${id} has ${credits} credits and ${reserved} reserved; by its grants, ledger and open requests it should have ${due} and ${held}`,
      );
    },

    backup: (file) => database.backup(file),
    close: () => database.close(),
  };
}
