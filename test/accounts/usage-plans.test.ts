/** A year of usage is read by indexes: what the databases say of the statements that read it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Libsql from 'libsql';
import { afterAll, describe, expect, it } from 'vitest';
import type { AccountsDatabase, Value } from '../../src/accounts/database.js';
import { tell } from '../../src/accounts/database.js';
import { createStore } from '../../src/accounts/database-store.js';
import { openPostgresDatabase } from '../../src/accounts/postgres/database.js';
import { openSqliteDatabase } from '../../src/accounts/sqlite/database.js';
import { hasPostgres, type Postgres, startPostgres } from '../../testkit/postgres.js';
import { withClock } from '../support/processes/database-clock.js';

const ROWS = 20_000;
/** A year of requests, of 20 keys and 2 models. */
const YEAR: Readonly<Record<'sqlite' | 'postgres', string>> = {
  sqlite: `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS - 1})
    INSERT INTO ledger (reservation_id, time, request_id, key_id, model, voice, characters, credits, audio_ms, outcome)
    SELECT 'r' || i, strftime('%Y-%m-%dT%H:%M:%fZ', '2025-03-01', '+' || (i * 31536 / 20) || ' seconds'), 'q',
      'key' || (i % 20), CASE i % 2 WHEN 0 THEN 'base-tts' ELSE 'base-tts-fast' END, 'v', 2, 1, 10, 'completed' FROM n`,
  postgres: `INSERT INTO ledger (reservation_id, time, request_id, key_id, model, voice, characters, credits, audio_ms, outcome)
    SELECT 'r' || i, to_char(timestamp '2025-03-01' + (i * 31536 / 20) * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'q', 'key' || (i % 20), CASE i % 2 WHEN 0 THEN 'base-tts' ELSE 'base-tts-fast' END, 'v', 2, 1, 10, 'completed'
    FROM generate_series(0, ${ROWS - 1}) AS i`,
};

/** Every statement that a store reads with. */
function recording(database: AccountsDatabase) {
  const asked: { sql: string; values: readonly Value[] }[] = [];
  const recorded: AccountsDatabase = Object.assign(Object.create(database), {
    dialect: database.dialect,
    read: (sql: string, ...values: Value[]) => {
      asked.push({ sql, values });
      return database.read(sql, ...values);
    },
  });
  return { recorded, asked };
}

async function plansOfAYear(
  database: Awaited<ReturnType<typeof withClock>>,
  kind: 'sqlite' | 'postgres',
  explain: (sql: string, values: readonly Value[]) => unknown[] | Promise<unknown[]>,
) {
  await database.write({ durable: false }, () => tell(YEAR[kind]));
  const { recorded, asked } = recording(database);
  const store = createStore(recorded);
  const clock = ['2026-03-01T00:00:00.000Z', '2026-03-01T01:00:00.000Z'];
  for (const time of clock) {
    await database.freezeAt(time);
    await store.rollUsage();
  }
  await database.write({ durable: false }, () => tell('ANALYZE'));
  asked.length = 0;
  const year = await store.usageSeries({ since: '2025-03-02', step: 'day' });
  const own = await store.usageSeries({ since: '2025-03-02', step: 'day', keyId: 'key3' });
  const week = await store.usageSeries({ since: '2026-02-21T00:00:00.000Z', step: 'hour' });
  const total = (series: typeof year) => series.keys.reduce((sum, { requests }) => sum + requests, 0);
  expect(total(year)).toBe(Math.floor(ROWS - ROWS / 365));
  expect(total(own)).toBeGreaterThan(total(year) / 20 - 2);
  expect(total(week)).toBeLessThan(ROWS / 40);
  expect(year.times.length).toBe(364 * 2);
  // Rows of the ledger are left out altogether where days are asked for.
  const statements = asked.filter(
    ({ sql }) => /FROM (ledger|usage_days|usage_loose)/.test(sql) && !/max\(seq\)/.test(sql),
  );
  expect(statements.some(({ sql }) => sql.includes('usage_days'))).toBe(true);
  const plans: string[] = [];
  for (const { sql, values } of statements) {
    const rows = await explain(sql, values);
    plans.push(rows.map((row) => Object.values(row as object).join(' ')).join('\n'));
  }
  return plans;
}

describe('a year of usage', () => {
  it('is read by indexes from SQLite', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'tts-plans-'));
    const file = path.join(folder, 'accounts.db');
    const database = await withClock(await openSqliteDatabase(file));
    const direct = new Libsql(file);
    const plans = await plansOfAYear(database, 'sqlite', (sql, values) =>
      direct.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values),
    );
    direct.close();
    for (const plan of plans) expect(plan).not.toMatch(/SCAN (ledger|usage_days)/);
    expect(plans.join()).toMatch(/SEARCH usage_days USING PRIMARY KEY/);
    expect(plans.join()).toMatch(/SEARCH usage_days USING INDEX usage_days_by_key/);
    expect(plans.join()).toMatch(/SEARCH ledger USING (COVERING )?INDEX ledger_by_time/);
    await database.close();
    await rm(folder, { recursive: true });
  });

  it.skipIf(!hasPostgres())('is read by indexes from PostgreSQL', async () => {
    const postgres: Postgres = await startPostgres();
    afterAll(() => postgres.close());
    const database = await withClock(await openPostgresDatabase(await postgres.create(), { connections: 2 }));
    const plans = await plansOfAYear(database, 'postgres', (sql, values) => database.read(`EXPLAIN ${sql}`, ...values));
    for (const plan of plans) expect(plan).not.toMatch(/Seq Scan on ledger/);
    expect(plans.join()).toMatch(/Index.* using usage_days_by_key|Index.* on usage_days_by_key/);
    expect(plans.join()).toMatch(/Index.* ledger_by_time/);
    await database.close();
  });
});
