/** Accounts in SQLite: the ten-odd statements behind the store's seam. */

import { type DatabaseOptions, openDatabase, type SqliteDatabase } from './sqlite-database.js';
import type { AccountStore, KeySummary, LedgerRow, ReservationEnd, StoredKey, UsageSum } from './store.js';
import type { KeyRecord, Tier } from './types.js';

interface KeyRow {
  id: string;
  hash: Buffer;
  tier: Tier;
  name: string | null;
  credits: number;
  reserved: number;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  concurrency: number | null;
  free_daily: number | null;
}
interface TodayRow {
  free_requests: number;
  requests: number;
  characters: number;
  spent: number;
}
interface ReservationRow {
  key_id: string;
  credits: number;
  free_day: string | null;
}
interface UsageRow {
  seq: number;
  time: string;
  request_id: string;
  key_id: string;
  model: string;
  voice: string;
  characters: number;
  credits: number;
  audio_ms: number;
  outcome: LedgerRow['outcome'];
  delivered_characters: number;
}

interface SumRow extends Pick<UsageRow, 'key_id' | 'model' | 'characters' | 'credits' | 'audio_ms'> {
  day: string;
  requests: number;
  unfinished: number;
  delivered_characters: number;
}

const USAGE_PAGE = 500;

const keyRecord = (row: KeyRow): KeyRecord => ({
  id: row.id,
  tier: row.tier,
  name: row.name,
  credits: row.credits,
  reserved: row.reserved,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revoked: row.revoked_at !== null,
  limits: { concurrency: row.concurrency, freeDaily: row.free_daily },
});

const ledgerRow = (row: UsageRow): LedgerRow => ({
  time: row.time,
  requestId: row.request_id,
  keyId: row.key_id,
  model: row.model,
  voice: row.voice,
  characters: row.characters,
  credits: row.credits,
  audioMs: row.audio_ms,
  outcome: row.outcome,
  deliveredCharacters: row.delivered_characters,
});

const usageSum = (row: SumRow): UsageSum => ({
  day: row.day,
  keyId: row.key_id,
  model: row.model,
  requests: row.requests,
  unfinished: row.unfinished,
  characters: row.characters,
  deliveredCharacters: row.delivered_characters,
  credits: row.credits,
  audioMs: row.audio_ms,
});

/** Opens (and where needed makes or brings up to date) the database in `file`, or one in memory for `:memory:`. */
export async function openSqliteStore(file: string, options?: DatabaseOptions): Promise<AccountStore> {
  const database = await openDatabase(file, options);
  try {
    return storeOf(database);
  } catch (error) {
    await database.close();
    throw error;
  }
}

function storeOf(database: SqliteDatabase): AccountStore {
  const { statement } = database;

  const insertKey = statement(
    `INSERT INTO keys (id, hash, tier, name, credits, created_at, expires_at, concurrency, free_daily)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const changeKey = statement('UPDATE keys SET name = ?, concurrency = ?, free_daily = ? WHERE id = ?');
  const selectKey = statement('SELECT * FROM keys WHERE id = ?');
  const selectKeys = statement(
    `SELECT keys.*,
       coalesce((SELECT requests FROM free_requests WHERE key_id = keys.id AND day = ?), 0) AS free_requests,
       count(ledger.seq) AS requests, coalesce(sum(ledger.characters), 0) AS characters,
       coalesce(sum(ledger.credits), 0) AS spent
     FROM keys LEFT JOIN ledger ON ledger.key_id = keys.id AND ledger.time >= ? AND ledger.time < ?
     GROUP BY keys.seq ORDER BY keys.seq`,
  );
  const revoke = statement('UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?');
  const addCredits = statement('UPDATE keys SET credits = credits + ? WHERE id = ?');
  const insertGrant = statement('INSERT INTO grants (time, key_id, credits) VALUES (?, ?, ?)');
  const selectFree = statement('SELECT requests FROM free_requests WHERE key_id = ? AND day = ?');
  const countFree = statement(
    `INSERT INTO free_requests (key_id, day, requests) VALUES (?, ?, 1)
     ON CONFLICT (key_id, day) DO UPDATE SET requests = requests + 1`,
  );
  const uncountFree = statement('UPDATE free_requests SET requests = requests - 1 WHERE key_id = ? AND day = ?');
  const insertReservation = statement(
    `INSERT INTO reservations (id, key_id, request_id, model, voice, characters, credits, free_day)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const extendReservation = statement(
    `UPDATE reservations SET characters = characters + ?, credits = credits + ? WHERE id = ? RETURNING key_id`,
  );
  const hold = statement('UPDATE keys SET reserved = reserved + ? WHERE id = ? AND credits - reserved >= ?');
  const deleteReservation = statement('DELETE FROM reservations WHERE id = ? RETURNING key_id, credits, free_day');
  const giveBack = statement('UPDATE keys SET reserved = reserved - ? WHERE id = ?');
  const debit = statement('UPDATE keys SET reserved = reserved - ?, credits = credits - ? WHERE id = ?');
  const book = statement(
    `INSERT INTO ledger (reservation_id, time, request_id, key_id, model, voice, characters, credits, audio_ms, outcome,
       delivered_characters)
     SELECT id, ?, request_id, key_id, model, voice, characters, min(credits, ?), ?, ?, min(characters, ?)
     FROM reservations WHERE id = ? RETURNING credits`,
  );
  const openReservations = statement('SELECT id FROM reservations');
  const selectUsage = statement(
    `SELECT * FROM ledger WHERE seq > ? AND (? IS NULL OR key_id = ?) AND time >= ? ORDER BY seq LIMIT ${USAGE_PAGE}`,
  );

  const sumUsage = statement(
    `SELECT substr(time, 1, 10) AS day, key_id, model, count(*) AS requests,
       sum(CASE WHEN outcome = 'completed' THEN 0 ELSE 1 END) AS unfinished, sum(characters) AS characters,
       sum(delivered_characters) AS delivered_characters, sum(credits) AS credits, sum(audio_ms) AS audio_ms
     FROM ledger WHERE (? IS NULL OR key_id = ?) AND time >= ? GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
  );
  const selectSecret = statement('SELECT hash FROM secrets WHERE name = ?');
  const addSecret = statement('INSERT INTO secrets (name, hash) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const setSecret = statement(
    'INSERT INTO secrets (name, hash) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET hash = excluded.hash',
  );

  const selectWrongBalances = statement(
    `SELECT id, credits, reserved,
       (SELECT coalesce(sum(credits), 0) FROM grants WHERE key_id = keys.id)
         - (SELECT coalesce(sum(credits), 0) FROM ledger WHERE key_id = keys.id) AS due,
       (SELECT coalesce(sum(credits), 0) FROM reservations WHERE key_id = keys.id) AS held
     FROM keys WHERE credits <> due OR reserved <> held`,
  );

  const balanceOf = (keyId: string): number => {
    const row = selectKey.get(keyId) as KeyRow | undefined;
    return row ? row.credits - row.reserved : 0;
  };

  /** Inside a transaction. The ledger's unique reservation id is a second guard against a double debit. */
  const endReservation = (
    id: string,
    {
      outcome,
      time,
      audioMs,
      deliveredCharacters,
      credits,
    }: Omit<ReservationEnd, 'outcome'> & Pick<LedgerRow, 'outcome'>,
  ): boolean => {
    const booked = book.get(time, credits, Math.round(audioMs), outcome, deliveredCharacters, id) as
      | { credits: number }
      | undefined;
    if (!booked) return false;
    const held = deleteReservation.get(id) as ReservationRow;
    if (held.credits > 0) debit.run(held.credits, booked.credits, held.key_id);
    return true;
  };

  return {
    createKey: (key) =>
      database.write('durable', () => {
        const hash = Buffer.from(key.hash);
        const { id, tier, name, credits, createdAt, expiresAt, limits } = key;
        const own = [limits?.concurrency ?? null, limits?.freeDaily ?? null];
        const made = insertKey.run(id, hash, tier, name, credits, createdAt, expiresAt, ...own);
        if (made.changes === 0) return false;
        if (key.credits > 0) insertGrant.run(key.createdAt, key.id, key.credits);
        return true;
      }),

    async findKey(id): Promise<StoredKey | undefined> {
      const row = selectKey.get(id) as KeyRow | undefined;
      return row && { ...keyRecord(row), hash: row.hash };
    },

    async listKeys(day): Promise<KeySummary[]> {
      const next = new Date(Date.parse(`${day}T00:00:00.000Z`) + 86_400_000).toISOString();
      const rows = selectKeys.all(day, `${day}T00:00:00.000Z`, next) as (KeyRow & TodayRow)[];
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
      database.write('durable', () => {
        const row = selectKey.get(id) as KeyRow | undefined;
        if (!row) return false;
        const { name = row.name, concurrency = row.concurrency, freeDaily = row.free_daily } = change;
        return changeKey.run(name, concurrency, freeDaily, id).changes > 0;
      }),

    revokeKey: (id, time) => database.write('durable', () => revoke.run(time, id).changes > 0),

    grant: (id, credits, time) =>
      database.write('durable', () => {
        if (addCredits.run(credits, id).changes === 0) return false;
        insertGrant.run(time, id, credits);
        return true;
      }),

    async freeRequests(keyId, day) {
      return (selectFree.get(keyId, day) as { requests: number } | undefined)?.requests ?? 0;
    },

    reserve: (reservation) =>
      database.write('quick', () => {
        database.assertInPlace();
        const { id, keyId, free, charged, credits, characters } = reservation;
        const before = free
          ? ((selectFree.get(keyId, free.day) as { requests: number } | undefined)?.requests ?? 0)
          : 0;
        if (free && before >= free.limit) return { ok: false, reason: 'daily_limit' };
        if (charged && hold.run(credits, keyId, Math.max(1, credits)).changes === 0) {
          return { ok: false, reason: 'insufficient_credits', balance: balanceOf(keyId) };
        }
        if (free) countFree.run(keyId, free.day);
        insertReservation.run(
          id,
          keyId,
          reservation.requestId,
          reservation.model,
          reservation.voice,
          characters,
          charged ? credits : 0,
          free?.day ?? null,
        );
        return { ok: true, freeRequests: free ? before + 1 : 0 };
      }),

    extend: (id, characters, credits) =>
      database.write('quick', () => {
        database.assertInPlace();
        const row = extendReservation.get(characters, credits, id) as { key_id: string } | undefined;
        if (!row || credits === 0 || hold.run(credits, row.key_id, credits).changes > 0) return undefined;
        extendReservation.get(-characters, -credits, id);
        return balanceOf(row.key_id);
      }),

    end: (id, end) =>
      database.write(end.outcome === 'completed' || end.credits > 0 ? 'durable' : 'quick', () =>
        endReservation(id, end),
      ),

    drop: (id) =>
      database.write('quick', () => {
        const row = deleteReservation.get(id) as ReservationRow | undefined;
        if (!row) return false;
        if (row.credits > 0) giveBack.run(row.credits, row.key_id);
        if (row.free_day !== null) uncountFree.run(row.key_id, row.free_day);
        return true;
      }),

    recover: (time) =>
      database.write('durable', () => {
        const rows = openReservations.all() as { id: string }[];
        const end = { outcome: 'interrupted', time, audioMs: 0, deliveredCharacters: 0, credits: 0 } as const;
        for (const { id } of rows) endReservation(id, end);
        return rows.length;
      }),

    async *usage({ keyId, since }) {
      let last = 0;
      for (;;) {
        const rows = selectUsage.all(last, keyId ?? null, keyId ?? null, since ?? '') as UsageRow[];
        for (const row of rows) yield ledgerRow(row);
        if (rows.length < USAGE_PAGE) return;
        last = rows.at(-1)!.seq;
      }
    },

    async usageByDay({ keyId, since }) {
      const rows = sumUsage.all(keyId ?? null, keyId ?? null, since ?? '') as SumRow[];
      return rows.map(usageSum);
    },

    async secretHash(name) {
      return (selectSecret.get(name) as { hash: Buffer } | undefined)?.hash;
    },

    putSecretHash: (name, hash, { keep = false } = {}) =>
      database.write('durable', () => (keep ? addSecret : setSecret).run(name, Buffer.from(hash)).changes > 0),

    async check() {
      const damage = database.damage();
      if (damage.length > 0) return damage;
      const wrong = selectWrongBalances.all() as {
        id: string;
        credits: number;
        reserved: number;
        due: number;
        held: number;
      }[];
      return wrong.map(
        ({ id, credits, reserved, due, held }) =>
          `key ${id} has ${credits} credits and ${reserved} reserved; by its grants, ledger and open requests it should have ${due} and ${held}`,
      );
    },

    backup: (target) => database.backup(target),
    close: () => database.close(),
  };
}
