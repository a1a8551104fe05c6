/**
 * Brings the tables and functions up to date, under a lock that gateways which start together
 * share.
 */
import type pg from 'pg';
import { TtsError } from '../../protocol/errors.js';
import { POSTGRES_MIGRATIONS as MIGRATIONS } from '../migrations/index.js';
import { isStatementFailure } from './failure.js';
import { BEGIN, NO_TIME_LIMIT } from './pool.js';

/**
 * Held while the tables are made or changed; any number that nothing else in the database locks.
 */
const MIGRATION_LOCK = 7_787_001;

async function versionOf(client: pg.PoolClient): Promise<number> {
  const { rows } = await client.query<{ there: boolean }>("SELECT to_regclass('tts_schema') IS NOT NULL AS there");
  if (!rows[0]!.there) return 0;
  return (await client.query<{ version: number }>('SELECT version FROM tts_schema')).rows[0]?.version ?? 0;
}

async function migrateUnderLock(client: pg.PoolClient): Promise<void> {
  await client.query(BEGIN);
  try {
    await client.query('SET LOCAL statement_timeout = 0');
    await client.query({ text: `SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`, ...NO_TIME_LIMIT });
    await client.query('CREATE TABLE IF NOT EXISTS tts_schema (version INTEGER NOT NULL)');
    const from = await versionOf(client);
    for (let next = from; next < MIGRATIONS.length; next++) {
      await client.query({ text: MIGRATIONS[next]!, ...NO_TIME_LIMIT });
    }
    await client.query('DELETE FROM tts_schema');
    await client.query('INSERT INTO tts_schema (version) VALUES ($1)', [Math.max(from, MIGRATIONS.length)]);
    await client.query('COMMIT');
  } catch (error) {
    if (isStatementFailure(error)) await client.query('ROLLBACK');
    throw error;
  }
}

/** Forward only. Two gateways that start at once take turns, and the second finds the work done. */
export async function migrate(client: pg.PoolClient, place: string): Promise<void> {
  if ((await versionOf(client)) < MIGRATIONS.length) await migrateUnderLock(client);
  if ((await versionOf(client)) > MIGRATIONS.length) {
    const message = `The accounts database ${place} was written by a newer version of tts. Update tts.`;
    throw new TtsError('internal_error', message);
  }
}
