/**
 * Jobs: speech that is ordered now and fetched later, made by any of the servers of a database. A
 * server holds a job by a lease on its row; the row of a server that is silent is taken by another.
 */
import { type AccountsDatabase, ask, tell, type Value } from '../database.js';
import { JOBS_HOLDER } from '../jobs-holder.js';
import type { JobRow, JobTable, JobTotals } from './job-rows.js';

const COLUMNS = `seq, id, key_id, reservation_id, folder, state, outcome, speech, model, voice, characters, credits,
  made_characters, audio_ms, bytes, epoch, progress, result, error, created_ms, started_ms, ended_ms, expires_ms,
  webhook_url, webhook_secret, webhook_state, webhook_attempts, webhook_error`;

/** All columns, for copies of the whole table. */
export const JOB_COLUMNS: readonly string[] = [
  ...COLUMNS.split(',').map((column) => column.trim()),
  ...['lease_ms', 'webhook_due_ms'],
];

/** The row of a job is there before its reservation, and goes after it. */
const ORPHANS = `SELECT id, key_id, request_id, model, voice FROM reservations WHERE holder = '${JOBS_HOLDER}'
  AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.reservation_id = reservations.id)`;
interface OrphanRow {
  id: string;
  key_id: string;
  request_id: string;
  model: string;
  voice: string;
}

/** Rows at once. */
const PAGE = 50;
const SUMS = `SELECT count(*) FILTER (WHERE state <> 'ended') AS open, coalesce(sum(bytes), 0) AS bytes
  FROM jobs WHERE key_id = ?`;

const TOTALS = `SELECT count(*) FILTER (WHERE state = 'queued') AS queued,
  count(*) FILTER (WHERE state IN ('running', 'ending')) AS running, coalesce(sum(bytes), 0) AS bytes
  FROM jobs WHERE folder = ?`;

function statementsOf({ nowMs, forUpdate }: AccountsDatabase['dialect']) {
  const skipLocked = forUpdate === '' ? '' : `${forUpdate} OF job SKIP LOCKED`;
  const isSilent = `job.state IN ('new', 'running', 'ending') AND job.lease_ms <= ${nowMs}`;
  const takes = (which: string) => `UPDATE jobs SET epoch = epoch + 1, lease_ms = ${nowMs} + ?,
      started_ms = coalesce(started_ms, ${nowMs}), state = CASE WHEN state = 'queued' THEN 'running' ELSE state END
    WHERE id = (SELECT job.id FROM jobs AS job WHERE job.folder = ? AND (${which})
      ORDER BY (SELECT count(*) FROM jobs AS other WHERE other.key_id = job.key_id AND other.state = 'running'),
        job.seq LIMIT 1${skipLocked})
    RETURNING ${COLUMNS}`;
  return {
    lockKey: `SELECT id FROM keys WHERE id = ?${forUpdate}`,
    add: `INSERT INTO jobs (id, key_id, reservation_id, folder, speech, model, voice, characters, bytes, webhook_url,
        webhook_secret, webhook_state, state, created_ms, lease_ms)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'new', ${nowMs}, ${nowMs} + ?)`,
    claim: takes(`job.state = 'queued' OR (${isSilent})`),
    claimSilent: takes(`${isSilent} AND job.state <> 'running'`),
    beat: `UPDATE jobs SET lease_ms = ${nowMs} + ?, progress = ? WHERE id = ? AND epoch = ? AND state = 'running'
      RETURNING id`,
    end: `UPDATE jobs SET state = 'ending', outcome = ?, made_characters = ?, audio_ms = ?, result = ?, error = ?,
        lease_ms = ${nowMs} + ?
      WHERE id = ? AND state IN ('queued', 'running') AND (? < 0 OR epoch = ?) RETURNING id`,
    settled: `UPDATE jobs SET state = 'ended', credits = ?, bytes = ?, ended_ms = ${nowMs}, expires_ms = ${nowMs} + ?,
        webhook_state = CASE WHEN webhook_state = 'waiting' THEN 'due' ELSE webhook_state END,
        webhook_due_ms = ${nowMs}
      WHERE id = ? AND state = 'ending'`,
    expired: `SELECT ${COLUMNS} FROM jobs WHERE expires_ms <= ${nowMs} AND folder = ? LIMIT ${PAGE}`,
    abandoned: `SELECT ${COLUMNS} FROM jobs WHERE folder <> ? AND
        ((state <> 'ended' AND lease_ms < ${nowMs} - ? AND created_ms < ${nowMs} - ?)
          OR (state = 'ended' AND expires_ms < ${nowMs} - ?)) LIMIT ${PAGE}`,
    claimWebhook: `UPDATE jobs SET webhook_due_ms = ${nowMs} + ?, webhook_attempts = webhook_attempts + 1
      WHERE id = (SELECT job.id FROM jobs AS job WHERE job.webhook_state = 'due' AND job.webhook_due_ms <= ${nowMs}
        ORDER BY job.webhook_due_ms LIMIT 1${skipLocked}) RETURNING ${COLUMNS}`,
    webhookAgain: `UPDATE jobs SET webhook_due_ms = ${nowMs} + ?, webhook_error = ? WHERE id = ?`,
  };
}

const LIST = (where: string) => `SELECT ${COLUMNS} FROM jobs WHERE state <> 'new'${where} ORDER BY seq DESC LIMIT ?`;

export function createJobs(database: AccountsDatabase): JobTable {
  const sql = statementsOf(database.dialect);
  const write = <Row>(text: string, ...values: Value[]) => database.writeOne<Row>({ durable: true }, text, ...values);
  return {
    add: (job, { jobs, bytes, leaseMs }) =>
      database.write({ durable: true, takesOn: true, keyId: job.key_id }, function* () {
        yield* ask(sql.lockKey, job.key_id);
        const [sums] = yield* ask<{ open: number; bytes: number }>(SUMS, job.key_id);
        if (sums!.open >= jobs) return 'too_many';
        if (sums!.bytes + job.bytes > bytes) return 'no_room';
        const { id, key_id, reservation_id, folder, speech, model, voice, characters } = job;
        const { webhook_url: url, webhook_secret: secret } = job;
        const about = [id, key_id, reservation_id, folder, speech, model, voice, characters, job.bytes] as const;
        yield* tell(sql.add, ...about, url, secret, url === null ? null : 'waiting', leaseMs);
        return 'added';
      }),
    async queue(id) {
      const queued = `UPDATE jobs SET state = 'queued', lease_ms = 0 WHERE id = ? AND state = 'new' RETURNING id`;
      return (await write(queued, id)).length > 0;
    },
    async find(id) {
      return (await database.read<JobRow>(`SELECT ${COLUMNS} FROM jobs WHERE id = ? AND state <> 'new'`, id))[0];
    },
    async sums(keyId) {
      return (await database.read<{ open: number; bytes: number }>(SUMS, keyId))[0]!;
    },
    async totals(folder) {
      return (await database.read<JobTotals>(TOTALS, folder))[0]!;
    },
    list({ keyId, before, limit }) {
      const where = `${keyId === undefined ? '' : ' AND key_id = ?'}${before === undefined ? '' : ' AND seq < ?'}`;
      const values = [...(keyId === undefined ? [] : [keyId]), ...(before === undefined ? [] : [before])];
      return database.read<JobRow>(LIST(where), ...values, limit);
    },
    ...createLeasing(database, sql),
    ...createEndings(database, sql),
    ...createWebhooks(database, sql),
  };
}

type Statements = ReturnType<typeof statementsOf>;

function createLeasing(
  database: AccountsDatabase,
  sql: Statements,
): Pick<JobTable, 'claim' | 'beat' | 'release' | 'releaseAll'> {
  // A lost lease is taken again, so that nothing here has to survive a loss of power.
  const write = <Row>(text: string, ...values: Value[]) => database.writeOne<Row>({ durable: false }, text, ...values);
  return {
    async claim(folder, { leaseMs, runs }) {
      return (await write<JobRow>(runs ? sql.claim : sql.claimSilent, leaseMs, folder))[0];
    },
    async beat(id, epoch, { leaseMs, progress }) {
      return (await write(sql.beat, leaseMs, progress, id, epoch)).length > 0;
    },
    async release(id, epoch) {
      const given = `UPDATE jobs SET state = 'queued', lease_ms = 0 WHERE id = ? AND epoch = ? AND state = 'running'`;
      await write(given, id, epoch);
    },
    async releaseAll() {
      await write(`UPDATE jobs SET lease_ms = 0 WHERE state <> 'ended'`);
    },
  };
}

function createEndings(
  database: AccountsDatabase,
  sql: Statements,
): Pick<JobTable, 'end' | 'settled' | 'forgetResult' | 'remove' | 'expired' | 'abandoned' | 'orphans' | 'known'> {
  const write = <Row>(text: string, ...values: Value[]) => database.writeOne<Row>({ durable: true }, text, ...values);
  return {
    async end(id, { outcome, made_characters: made, audio_ms: audioMs, result, error }, { epoch = -1, leaseMs }) {
      const told = [outcome, made, Math.round(audioMs), result, error, leaseMs] as const;
      return (await write(sql.end, ...told, id, epoch, epoch)).length > 0;
    },
    async settled(id, { credits, bytes, keepMs }) {
      await write(sql.settled, credits, bytes, keepMs, id);
    },
    async forgetResult(id) {
      await write('UPDATE jobs SET result = NULL, bytes = 0 WHERE id = ?', id);
    },
    async remove(id) {
      await write('DELETE FROM jobs WHERE id = ?', id);
    },
    expired: (folder) => database.read<JobRow>(sql.expired, folder),
    abandoned: (folder, sinceMs) => database.read<JobRow>(sql.abandoned, folder, sinceMs, sinceMs, sinceMs),
    async orphans() {
      const rows = await database.read<OrphanRow>(ORPHANS);
      return rows.map(({ key_id: keyId, request_id: requestId, ...rest }) => ({ ...rest, keyId, requestId }));
    },
    async known(ids) {
      const places = ids.map(() => '?').join(', ');
      if (ids.length === 0) return new Set();
      const rows = await database.read<{ id: string }>(`SELECT id FROM jobs WHERE id IN (${places})`, ...ids);
      return new Set(rows.map(({ id }) => id));
    },
  };
}

function createWebhooks(database: AccountsDatabase, sql: Statements): Pick<JobTable, 'claimWebhook' | 'webhookDone'> {
  return {
    async claimWebhook(holdMs) {
      return (await database.writeOne<JobRow>({ durable: false }, sql.claimWebhook, holdMs))[0];
    },
    async webhookDone(id, { isDelivered, error, againMs }) {
      if (!isDelivered && againMs !== undefined) {
        await database.writeOne({ durable: false }, sql.webhookAgain, againMs, error, id);
        return;
      }
      const done = `UPDATE jobs SET webhook_state = ?, webhook_error = ?, webhook_secret = NULL WHERE id = ?`;
      await database.writeOne({ durable: true }, done, isDelivered ? 'delivered' : 'failed', error, id);
    },
  };
}
