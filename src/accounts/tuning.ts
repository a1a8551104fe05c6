/**
 * The numbers by which accounts were tuned, with their unit, meaning and origin. "Chosen" is a
 * judgement that was never measured.
 */

// The lease of a server on a shared store.

/**
 * How long reservations outlive the last sign of life of their server (ms). Chosen: docs say
 * "within 30 s".
 */
export const LEASE_MS = 15_000;
/** Renewals in the time of one lease. Chosen: four may fail before the lease is lost. */
export const RENEWALS_PER_LEASE = 5;

// Ends of requests that the store cannot write at the moment.

/** Pause before the second try (ms); it doubles with each try up to the maximum. Chosen. */
export const FIRST_RETRY_MS = 200;
export const MAX_RETRY_MS = 10_000;
/**
 * Time for a last try when the process ends (ms). Chosen: service managers kill after 10 s or more.
 */
export const LAST_TRY_MS = 5_000;
/**
 * Unwritten ends of a key from which its paid requests are refused. Chosen: at most one is unpaid.
 */
export const MAX_UNWRITTEN_CHARGED = 1;
/** Unwritten ends of a key from which its free requests are refused. Chosen. */
export const MAX_UNWRITTEN_OF_KEY = 50;
/** Unwritten ends of all keys from which every request is refused. Chosen: some 5 MB of memory. */
export const MAX_UNWRITTEN = 5_000;

// What clients and the log are told.

/** `Retry-After` while the store is away (s). Chosen: the patience of one statement. */
export const STORE_RETRY_S = 5;
/** `Retry-After` where every session of a key is in use (s). A sentence takes about as long. */
export const SLOT_RETRY_S = 1;
/** `Retry-After` where a lost reservation could not be made anew (s). Chosen. */
export const LOST_RETRY_S = 1;
/**
 * Pause between two log lines about a store that is away (ms). Chosen: each request would write
 * one.
 */
export const COMPLAIN_EVERY_MS = 10_000;

// Characters reserved ahead.

/**
 * Characters reserved beyond what is needed, so that the words of an LLM do not each ask a database
 * on another machine. Chosen: two or three sentences.
 */
export const AHEAD_CHARS = 256;
/** The free balance above which a session reserves ahead, in reserves of that size. Chosen. */
export const AHEAD_BALANCE_RESERVES = 100;

// Work of one key on a shared database.

/**
 * Transactions of one key at once. They lock the key's row, so more would only wait inside the
 * database; two keep it busy over the way there and back.
 */
export const KEY_TRANSACTIONS = 2;
/** Calls of one key that may wait for a transaction; the next is refused at once. Chosen. */
export const MAX_KEY_CALLS_WAITING = 200;

/**
 * Pause between two deletions of rows that have ended, over all servers of a store (ms). Chosen.
 */
export const PURGE_EVERY_MS = 30_000;

// The request log.

/** Longest time that a row waits while the database can be written (ms). Chosen. */
export const LOG_WRITE_EVERY_MS = 1_000;
/** Rows that wait at most. About 5 MB. */
export const LOG_MAX_WAITING = 10_000;
/** Rows of one transaction. SQLite blocks the process meanwhile, for 2 ms on a slow core. */
export const LOG_BATCH = 32;
/**
 * Pause between two removals of surplus rows while rows are written, and of old rows at any time
 * (ms). Chosen.
 */
export const LOG_TRIM_EVERY_MS = 60_000;
export const LOG_AGE_EVERY_MS = 600_000;
/** Share of the bound that may be written before surplus rows are removed again. Chosen. */
export const LOG_TRIM_SHARE = 0.05;
/** Pause after a write that failed (ms), and between two warnings. Chosen. */
export const LOG_RETRY_MS = 5_000;
export const LOG_WARN_EVERY_MS = 60_000;
