/**
 * What is shown in place of a key (tickets and sign-ins) and how often an address failed: rows that
 * every server of a database sees, by the database's clock. Only hashes are kept of what is shown.
 */
import { type AccountsDatabase, ask, tell } from './database.js';

interface NewTicket {
  /** SHA-256 of what is shown. */
  readonly hash: Uint8Array;
  readonly keyId: string;
  /** A digest of the session that it is for. */
  readonly session: Uint8Array;
  readonly ttlMs: number;
}

/** What a sign-in rests on: a key's id, or the hash of the admin secret of that day. */
export interface Standing {
  readonly role: 'admin' | 'key';
  readonly standing: string;
}

interface NewSignIn extends Standing {
  /** SHA-256 of what is shown. */
  readonly hash: Uint8Array;
  readonly ttlMs: number;
}

/** How often an address failed within a time that ends in `leftMs`. */
interface FailureWindow {
  readonly failures: number;
  readonly leftMs: number;
}

export interface Passes {
  /** Resolves with the time at which it ends, in milliseconds of the database's clock. */
  addTicket(ticket: NewTicket): Promise<number>;
  /**
   * Uses the ticket up. Of any number of callers at any servers exactly one gets it, and none after
   * its expiry.
   */
  takeTicket(hash: Uint8Array): Promise<Pick<NewTicket, 'keyId' | 'session'> | undefined>;
  addSignIn(signIn: NewSignIn): Promise<void>;
  findSignIn(hash: Uint8Array): Promise<Standing | undefined>;
  removeSignIn(hash: Uint8Array): Promise<void>;
  /** `kind` is what was tried. Undefined where the address has not failed lately. */
  failures(kind: string, address: string): Promise<FailureWindow | undefined>;
  /** Counts one more, within a window that begins with the first. */
  countFailure(kind: string, address: string, windowMs: number): Promise<FailureWindow>;
  /**
   * Deletes what has ended, and day counts of Free access before today. False, and nothing is done,
   * where some server did so less than `everyMs` ago.
   */
  purge(everyMs: number): Promise<boolean>;
}

/** Most unused tickets of one key, and most sign-ins on one standing; the oldest are deleted. */
const MAX_TICKETS_OF_KEY = 1_000;
const MAX_SIGN_INS_OF_STANDING = 100;
/**
 * Addresses that are counted between two purges are not bounded by this; what a purge leaves is.
 */
const MAX_ADDRESSES = 10_000;
/** Rows beyond a bound that are deleted at a time. */
const MAX_SURPLUS = 100_000;

/** Name of the lease for purging. It cannot be a server's name: those are UUIDs. */
const PURGE = 'purge';

const ADD_SIGN_IN = 'INSERT INTO sign_ins (hash, role, standing, expires_ms)';
const REMOVE_SIGN_IN = 'DELETE FROM sign_ins WHERE hash = ?';
const beyond = (most: number) => `LIMIT ${MAX_SURPLUS} OFFSET ${most}`;
const MAKE_ROOM_FOR_TICKET = `DELETE FROM tickets WHERE hash IN
  (SELECT hash FROM tickets WHERE key_id = ? ORDER BY expires_ms DESC ${beyond(MAX_TICKETS_OF_KEY - 1)})`;
const MAKE_ROOM_FOR_SIGN_IN = `DELETE FROM sign_ins WHERE hash IN
  (SELECT hash FROM sign_ins WHERE standing = ? ORDER BY expires_ms DESC ${beyond(MAX_SIGN_INS_OF_STANDING - 1)})`;
const DROP_SURPLUS_FAILURES = `DELETE FROM failed_attempts WHERE (kind, address) IN
  (SELECT kind, address FROM failed_attempts ORDER BY ends_ms DESC ${beyond(MAX_ADDRESSES)})`;

interface TicketRow {
  key_id: string;
  session: Uint8Array;
  good: number;
}

interface WindowRow {
  failures: number;
  left_ms: number;
}

const windowOf = (row: WindowRow | undefined): FailureWindow | undefined =>
  row && { failures: row.failures, leftMs: row.left_ms };

export function createPasses(database: AccountsDatabase): Passes {
  const { nowMs, dayOf } = database.dialect;
  const addTicket = `INSERT INTO tickets (hash, key_id, session, expires_ms) VALUES (?, ?, ?, ${nowMs} + ?)
    RETURNING expires_ms`;
  const takeTicket = `DELETE FROM tickets WHERE hash = ?
    RETURNING key_id, session, CASE WHEN expires_ms > ${nowMs} THEN 1 ELSE 0 END AS good`;
  const findSignIn = `SELECT role, standing FROM sign_ins WHERE hash = ? AND expires_ms > ${nowMs}`;
  const selectFailures = `SELECT failures, ends_ms - ${nowMs} AS left_ms FROM failed_attempts
    WHERE kind = ? AND address = ? AND ends_ms > ${nowMs}`;
  const countFailure = `INSERT INTO failed_attempts (kind, address, failures, ends_ms) VALUES (?, ?, 1, ${nowMs} + ?)
    ON CONFLICT (kind, address) DO UPDATE SET
      failures = CASE WHEN failed_attempts.ends_ms <= ${nowMs} THEN 1 ELSE failed_attempts.failures + 1 END,
      ends_ms = CASE WHEN failed_attempts.ends_ms <= ${nowMs} THEN excluded.ends_ms ELSE failed_attempts.ends_ms END
    RETURNING failures, ends_ms - ${nowMs} AS left_ms`;
  const claimPurge = `INSERT INTO leases (holder, expires_ms) VALUES ('${PURGE}', ${nowMs} + ?)
    ON CONFLICT (holder) DO UPDATE SET expires_ms = excluded.expires_ms WHERE leases.expires_ms <= ${nowMs}
    RETURNING holder`;
  const purges = [
    `DELETE FROM tickets WHERE expires_ms <= ${nowMs}`,
    `DELETE FROM sign_ins WHERE expires_ms <= ${nowMs}`,
    `DELETE FROM failed_attempts WHERE ends_ms <= ${nowMs}`,
    DROP_SURPLUS_FAILURES,
    // The limits of Free access look at the present day alone.
    `DELETE FROM free_requests WHERE day < (SELECT ${dayOf('ms')} FROM (SELECT ${nowMs} AS ms) AS clock)`,
  ];

  return {
    addTicket: ({ hash, keyId, session, ttlMs }) =>
      database.write({ durable: false, takesOn: true }, function* () {
        yield* tell(MAKE_ROOM_FOR_TICKET, keyId);
        const added = [Buffer.from(hash), keyId, Buffer.from(session), ttlMs] as const;
        const [row] = yield* ask<{ expires_ms: number }>(addTicket, ...added);
        return row!.expires_ms;
      }),

    async takeTicket(hash) {
      const [row] = await database.writeOne<TicketRow>({ durable: false }, takeTicket, Buffer.from(hash));
      return row && row.good === 1 ? { keyId: row.key_id, session: row.session } : undefined;
    },

    addSignIn: ({ hash, role, standing, ttlMs }) =>
      database.write({ durable: false, takesOn: true }, function* () {
        yield* tell(MAKE_ROOM_FOR_SIGN_IN, standing);
        yield* tell(`${ADD_SIGN_IN} VALUES (?, ?, ?, ${nowMs} + ?)`, Buffer.from(hash), role, standing, ttlMs);
      }),

    async findSignIn(hash) {
      return (await database.read<Standing>(findSignIn, Buffer.from(hash)))[0];
    },

    // Written to the disk: who signed out stays signed out, whatever happens to the machine.
    async removeSignIn(hash) {
      await database.writeOne({ durable: true }, REMOVE_SIGN_IN, Buffer.from(hash));
    },

    async failures(kind, address) {
      return windowOf((await database.read<WindowRow>(selectFailures, kind, address))[0]);
    },

    async countFailure(kind, address, windowMs) {
      const [row] = await database.writeOne<WindowRow>({ durable: false }, countFailure, kind, address, windowMs);
      return windowOf(row)!;
    },

    // Each by itself: none holds rows for longer than it takes.
    async purge(everyMs) {
      const [claimed] = await database.writeOne({ durable: false }, claimPurge, everyMs);
      if (claimed === undefined) return false;
      for (const sql of purges) await database.writeOne({ durable: false }, sql);
      return true;
    },
  };
}

/** The same, asked through `asked`, which says a store's failures in words for strangers. */
export const passesThrough = (passes: Passes, asked: <T>(question: () => Promise<T>) => Promise<T>): Passes => ({
  addTicket: (ticket) => asked(() => passes.addTicket(ticket)),
  takeTicket: (hash) => asked(() => passes.takeTicket(hash)),
  addSignIn: (signIn) => asked(() => passes.addSignIn(signIn)),
  findSignIn: (hash) => asked(() => passes.findSignIn(hash)),
  removeSignIn: (hash) => asked(() => passes.removeSignIn(hash)),
  failures: (kind, address) => asked(() => passes.failures(kind, address)),
  countFailure: (kind, address, windowMs) => asked(() => passes.countFailure(kind, address, windowMs)),
  purge: (everyMs) => asked(() => passes.purge(everyMs)),
});
