/** The store's seam over any database: its statements stand here once, those that move money in changes.ts. */
import { createChanges } from './changes.js';
import { type AccountsDatabase, ask, tell } from './database.js';
import { type KeyRow, keyRecord, ledgerRow, type SumRow, type TodayRow, type UsageRow, usageSum } from './rows.js';
import type { AccountStore, KeySummary, StoredKey } from './store.js';

interface BalanceRow {
  id: string;
  credits: number;
  reserved: number;
  due: number;
  held: number;
}

const DAY_MS = 86_400_000;
const USAGE_PAGE = 500;
/** Keys asked about in one statement; fewer are filled up, so that there is only one such statement to prepare. */
const REVOKED_PAGE = 100;
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
const SELECT_KEY = 'SELECT * FROM keys WHERE id = ?';
const SELECT_REVOKED = `SELECT id FROM keys WHERE revoked_at IS NOT NULL AND id IN (${Array(REVOKED_PAGE).fill('?').join(', ')})`;
const SELECT_KEYS = `SELECT keys.*,
    coalesce((SELECT requests FROM free_requests WHERE key_id = keys.id AND day = ?), 0) AS free_requests,
    count(ledger.seq) AS requests, coalesce(sum(ledger.characters), 0) AS characters,
    coalesce(sum(ledger.credits), 0) AS spent
  FROM keys LEFT JOIN ledger ON ledger.key_id = keys.id AND ledger.time >= ? AND ledger.time < ?
  GROUP BY keys.seq ORDER BY keys.seq`;
/** By time of ending: with several servers at work, numbers are not given in the order in which rows appear. */
const USAGE_TAIL = `(time, seq) > (?, ?) ORDER BY time, seq LIMIT ${USAGE_PAGE}`;
const SELECT_USAGE = `SELECT * FROM ledger WHERE ${USAGE_TAIL}`;
const SELECT_USAGE_OF_KEY = `SELECT * FROM ledger WHERE key_id = ? AND ${USAGE_TAIL}`;
const SUM_USAGE = `SELECT substr(time, 1, 10) AS day, key_id, model, count(*) AS requests,
    sum(CASE WHEN outcome = 'completed' THEN 0 ELSE 1 END) AS unfinished, sum(characters) AS characters,
    sum(delivered_characters) AS delivered_characters, sum(credits) AS credits, sum(audio_ms) AS audio_ms
  FROM ledger WHERE (CAST(? AS TEXT) IS NULL OR key_id = ?) AND time >= ? GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`;
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

/** Owns the database from here on. */
export function createStore(database: AccountsDatabase): AccountStore {
  const { read, write } = database;
  const { nowMs } = database.dialect;
  const changes = createChanges(database.dialect);
  const lockKey = `${SELECT_KEY}${database.dialect.forUpdate}`;
  const allOpen = 'SELECT id FROM reservations';
  const lapsed = `SELECT reservations.id FROM reservations LEFT JOIN leases ON leases.holder = reservations.holder
    WHERE leases.holder IS NULL OR leases.expires_ms <= ${nowMs}`;
  const renew = `INSERT INTO leases (holder, expires_ms) VALUES (?, ${nowMs} + ?)
    ON CONFLICT (holder) DO UPDATE SET expires_ms = excluded.expires_ms`;
  const forgetLeases = `DELETE FROM leases WHERE expires_ms < ${nowMs} - ${FORGET_LEASE_MS}`;

  return {
    shared: database.shared,

    createKey: (key) =>
      write({ durable: true }, function* () {
        const { id, tier, name, credits, createdAt, expiresAt, limits } = key;
        const hash = Buffer.from(key.hash);
        const own = [limits?.concurrency ?? null, limits?.freeDaily ?? null];
        const [made] = yield* ask(INSERT_KEY, id, hash, tier, name, credits, createdAt, expiresAt, ...own);
        if (!made) return false;
        if (credits > 0) yield* tell(INSERT_GRANT, createdAt, id, credits);
        return true;
      }),

    async findKey(id): Promise<StoredKey | undefined> {
      const [row] = await read<KeyRow>(SELECT_KEY, id);
      return row && { ...keyRecord(row), hash: row.hash };
    },

    async revokedAmong(ids) {
      const found: string[] = [];
      for (const page of pagesOf(ids, REVOKED_PAGE)) {
        const filled = [...page, ...Array<string>(REVOKED_PAGE - page.length).fill(page[0]!)];
        for (const { id } of await read<{ id: string }>(SELECT_REVOKED, ...filled)) found.push(id);
      }
      return found;
    },

    async listKeys(day): Promise<KeySummary[]> {
      const from = `${day}T00:00:00.000Z`;
      const to = new Date(Date.parse(from) + DAY_MS).toISOString();
      const rows = await read<KeyRow & TodayRow>(SELECT_KEYS, day, from, to);
      return rows.map((row) => ({
        ...keyRecord(row),
        today: {
          freeRequests: row.free_requests,
          requests: row.requests,
          characters: row.characters,
          credits: row.spent,
        },
      }));
    },

    changeKey: (id, change) =>
      write({ durable: true }, function* () {
        const [row] = yield* ask<KeyRow>(lockKey, id);
        if (!row) return false;
        const { name = row.name, concurrency = row.concurrency, freeDaily = row.free_daily } = change;
        yield* tell(CHANGE_KEY, name, concurrency, freeDaily, id);
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
    reserve: (reservation) => write({ durable: false, takesOn: true }, () => changes.reserve(reservation)),
    extend: (id, characters, credits) =>
      write({ durable: false, takesOn: true }, () => changes.extend(id, characters, credits)),
    end: (id, end) => write({ durable: end.outcome === 'completed' || end.credits > 0 }, () => changes.end(id, end)),
    drop: (id) => write({ durable: false }, () => changes.drop(id)),

    async renewLease(holder, ms) {
      await write({ durable: false }, function* () {
        yield* tell(renew, holder, ms);
        yield* tell(forgetLeases);
      });
    },

    async endLease(holder) {
      await write({ durable: false }, () => tell('DELETE FROM leases WHERE holder = ?', holder));
    },

    async recover(time, whose) {
      const open = await read<{ id: string }>(whose === 'all' ? allOpen : lapsed);
      const end = { outcome: 'interrupted', time, audioMs: 0, deliveredCharacters: 0, credits: 0 } as const;
      let returned = 0;
      for (const page of pagesOf(open, RECOVER_PAGE)) {
        const ended = await Promise.all(page.map(({ id }) => write({ durable: true }, () => changes.end(id, end))));
        returned += ended.filter(Boolean).length;
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
      return (await read<SumRow>(SUM_USAGE, keyId ?? null, keyId ?? null, since ?? '')).map(usageSum);
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
