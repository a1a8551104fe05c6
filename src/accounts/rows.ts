/** Rows as the tables hold them, and what the store makes of them. */
import type { LedgerRow, UsageSum } from './store.js';
import type { KeyRecord, Tier } from './types.js';

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
  concurrency: number | null;
  free_daily: number | null;
}
export interface TodayRow {
  free_requests: number;
  requests: number;
  characters: number;
  spent: number;
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
  day: string;
  requests: number;
  unfinished: number;
  delivered_characters: number;
}

export const keyRecord = (row: KeyRow): KeyRecord => ({
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

export const usageSum = (row: SumRow): UsageSum => ({
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
