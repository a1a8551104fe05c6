/** Rows as the tables hold them, and what the store makes of them. */
import type { OwnFreeLimit } from '../../protocol/free-limit.js';
import { BASE_MODELS } from '../../protocol/job.js';
import type { KeySummary, LedgerRow, StoredKey } from '../store.js';
import type { KeyRecord, Tier } from '../types.js';
import type { UsageFigures } from '../usage-sums.js';

export interface KeyRow {
  id: string;
  hash: Buffer;
  tier: Tier;
  name: string | null;
  credits: number;
  reserved: number;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  rotations: number;
  rotated_at: string | null;
  previous_hash: Buffer | null;
  previous_ends_ms: number | null;
  concurrency: number | null;
  free_daily: number | null;
  /** The database's clock. */
  now_ms: number;
  /** A model for which the key has limits of its own, and those; null where it has none. */
  limited_model: string | null;
  model_concurrency: number | null;
  model_free_daily: number | null;
}
export interface TodayRow {
  key_id: string;
  requests: number;
  characters: number;
  credits: number;
}
export interface FreeTodayRow {
  key_id: string;
  model: string;
  requests: number;
}
export interface UsageRow {
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
export interface SumRow extends Pick<UsageRow, 'key_id' | 'model' | 'characters' | 'credits' | 'audio_ms'> {
  /** The beginning of a time, from which the step is seen: a day, an hour or a minute. */
  at: string;
  requests: number;
  unfinished: number;
  delivered_characters: number;
}

/** A time that was written by hand: a zone of hours alone, none at all, or a space for the T. */
const SQL_TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))? ?(?:(Z)|([+-]\d\d):?(\d\d)?)?$/i;

/**
 * Operators may change the time by SQL. Without a zone it is UTC; one that cannot be read has
 * passed.
 */
function hasPassed(time: string, nowMs: number): boolean {
  const [found, day, clock = '00:00', , hours = '+00', minutes = '00'] = SQL_TIME.exec(time.trim()) ?? [];
  return !(Date.parse(found === undefined ? '' : `${day}T${clock}${hours}:${minutes}`) > nowMs);
}

/**
 * `of` is the column of one model's own limit; the key's `general` one holds for the models
 * without.
 */
function ownLimit(
  rows: readonly KeyRow[],
  general: number | null,
  of: 'model_concurrency' | 'model_free_daily',
): OwnFreeLimit | null {
  const limits = BASE_MODELS.flatMap((model) => {
    const own = rows.find(({ limited_model }) => limited_model === freeName(model))?.[of] ?? null;
    return own === null ? [] : [[model, own] as const];
  });
  if (limits.length === 0) return general;
  const others = general === null ? [] : BASE_MODELS.map((model) => [model, general] as const);
  return Object.fromEntries([...others, ...limits]);
}

/** The name of a model's Free access, as tables hold it. */
export const freeName = (model: string): string => `${model}:free`;

/** Rows of one key, one for each model for which it has limits of its own. */
function storedKey(rows: readonly KeyRow[]): StoredKey {
  const row = rows[0]!;
  return {
    id: row.id,
    hash: row.hash,
    previousHash: row.previous_hash,
    tier: row.tier,
    name: row.name,
    credits: row.credits,
    reserved: row.reserved,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revoked: row.revoked_at !== null,
    expired: row.expires_at !== null && hasPassed(row.expires_at, row.now_ms),
    rotations: row.rotations,
    rotatedAt: row.rotated_at,
    previousEndsAt:
      row.previous_ends_ms !== null && row.previous_ends_ms > row.now_ms
        ? new Date(row.previous_ends_ms).toISOString()
        : null,
    limits: {
      concurrency: ownLimit(rows, row.concurrency, 'model_concurrency'),
      freeDaily: ownLimit(rows, row.free_daily, 'model_free_daily'),
    },
  };
}

/** Groups in the order of their first rows. */
export function grouped<Row>(rows: readonly Row[], idOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(idOf(row));
    if (group === undefined) groups.set(idOf(row), [row]);
    else group.push(row);
  }
  return groups;
}

export const storedKeys = (rows: readonly KeyRow[]): StoredKey[] =>
  [...grouped(rows, ({ id }) => id).values()].map(storedKey);

export function withoutHash({ hash: _hash, previousHash: _previous, ...record }: StoredKey): KeyRecord {
  return record;
}

/** `free` are the key's counts by model; the one of no model counts for each. */
export function todayOf(
  { requests = 0, characters = 0, credits = 0 }: Partial<TodayRow>,
  free: readonly FreeTodayRow[],
): KeySummary['today'] {
  const countOf = (name: string) => free.find(({ model }) => model === name)?.requests ?? 0;
  const byModel = BASE_MODELS.map((model) => [model, countOf(freeName(model)) + countOf('')] as const);
  return {
    freeRequests: free.reduce((sum, row) => sum + row.requests, 0),
    freeRequestsByModel: Object.fromEntries(byModel) as KeySummary['today']['freeRequestsByModel'],
    requests,
    characters,
    credits,
  };
}

export const ledgerRow = (row: UsageRow): LedgerRow => ({
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

const ADDED = ['requests', 'unfinished', 'characters', 'delivered_characters', 'credits', 'audio_ms'] as const;

/** Sums of several pages of the ledger, added up: `by` are the columns that make a sum. */
export class UsageSums {
  readonly #by: readonly ('at' | 'key_id' | 'model')[];
  readonly #rows = new Map<string, SumRow>();

  constructor(...by: readonly ('at' | 'key_id' | 'model')[]) {
    this.#by = by;
  }

  add(rows: readonly SumRow[]): void {
    for (const row of rows) {
      const name = this.#by.map((column) => row[column]).join(' ');
      const sum = this.#rows.get(name);
      if (sum === undefined) this.#rows.set(name, { ...row });
      else for (const field of ADDED) sum[field] += row[field];
    }
  }

  /** In the order of the columns that make a sum. */
  all(): SumRow[] {
    return [...this.#rows.keys()].sort().map((name) => this.#rows.get(name)!);
  }
}

export const usageFigures = (row: SumRow): UsageFigures => ({
  requests: row.requests,
  unfinished: row.unfinished,
  characters: row.characters,
  deliveredCharacters: row.delivered_characters,
  credits: row.credits,
  audioMs: row.audio_ms,
});
