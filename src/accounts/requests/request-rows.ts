/**
 * The request log's statements over any database: rows written together, read by page, removed by
 * age and by number.
 */
import { loopTurn } from '../../loop-turn.js';
import { type AccountsDatabase, tell, type Value } from '../database.js';
import type { LoggedRequest, RequestFilter, RequestLogStore, RequestRow } from '../store.js';

/** Columns in the order of `valuesOf`. */
export const REQUEST_COLUMNS = [
  'time',
  'request_id',
  'key_id',
  'route',
  'model',
  'voice',
  'characters',
  'credits',
  'audio_ms',
  'duration_ms',
  'first_audio_ms',
  'breaks',
  'outcome',
  'error',
  'worker',
  'trace_id',
] as const;

const valuesOf = (row: RequestRow): Value[] => [
  row.time,
  row.requestId,
  row.keyId,
  row.route,
  row.model,
  row.voice,
  row.characters,
  row.credits,
  row.audioMs,
  row.durationMs,
  row.firstAudioMs,
  row.breaks,
  row.outcome,
  row.error,
  row.worker,
  row.traceId,
];

interface StoredRow extends Record<(typeof REQUEST_COLUMNS)[number], never> {
  readonly seq: number;
}

const logged = (row: StoredRow): LoggedRequest => ({
  seq: row.seq,
  time: row.time,
  requestId: row.request_id,
  keyId: row.key_id,
  route: row.route,
  model: row.model,
  voice: row.voice,
  characters: row.characters,
  credits: row.credits,
  audioMs: row.audio_ms,
  durationMs: row.duration_ms,
  firstAudioMs: row.first_audio_ms,
  breaks: row.breaks,
  outcome: row.outcome,
  error: row.error,
  worker: row.worker,
  traceId: row.trace_id,
});

const INSERT = `INSERT INTO request_log (${REQUEST_COLUMNS.join(', ')}) VALUES (${REQUEST_COLUMNS.map(() => '?').join(', ')})`;
/** Rows removed in one statement: SQLite holds up the process for some milliseconds meanwhile. */
const TRIM_PAGE = 50;
/** Pages of one call: what is left over is removed by the next. */
const TRIM_PAGES = 20;
const removeRows = (which: string) =>
  `DELETE FROM request_log WHERE seq IN (SELECT seq FROM request_log WHERE ${which} LIMIT ${TRIM_PAGE}) RETURNING seq`;
const REMOVE_OLD = removeRows('time < ?');
/** Numbers may have gaps, so that there are no more rows than this leaves. */
const REMOVE_SURPLUS = removeRows('seq <= (SELECT max(seq) FROM request_log) - ?');

/**
 * The conditions of a filter, the most selective index first; the same filter always makes the same
 * statement.
 */
function conditionsOf({ keyId, outcome, since, requestId, before }: RequestFilter): { sql: string; values: Value[] } {
  const parts: [string, ...Value[]][] = [];
  if (requestId !== undefined) parts.push(['request_id = ?', requestId]);
  if (keyId !== undefined) parts.push(['key_id = ?', keyId]);
  if (outcome !== undefined) parts.push(['outcome = ?', outcome]);
  if (since !== undefined) parts.push(['time >= ?', since]);
  if (before !== undefined) parts.push(['(time, seq) < (?, ?)', before.time, before.seq]);
  const sql = parts.map(([condition]) => condition).join(' AND ');
  return { sql: sql && ` WHERE ${sql}`, values: parts.flatMap(([, ...values]) => values) };
}

export function createRequestRows(database: AccountsDatabase): RequestLogStore {
  const remove = (sql: string, value: Value): Promise<number> =>
    database.write({ durable: false }, function* () {
      return ((yield { sql, values: [value] }) as unknown[]).length;
    });

  return {
    async logRequests(rows) {
      await database.write({ durable: false }, function* () {
        for (const row of rows) yield* tell(INSERT, ...valuesOf(row));
      });
    },

    async requestLog(filter) {
      const { sql, values } = conditionsOf(filter);
      const select = `SELECT * FROM request_log${sql} ORDER BY time DESC, seq DESC LIMIT ?`;
      return (await database.read<StoredRow>(select, ...values, filter.limit)).map(logged);
    },

    async trimRequestLog({ before, rows }) {
      const steps = [() => remove(REMOVE_OLD, before), () => remove(REMOVE_SURPLUS, rows)];
      let removed = 0;
      for (let page = 0; page < TRIM_PAGES && steps.length > 0; page++) {
        const count = await steps[0]!();
        removed += count;
        if (count < TRIM_PAGE) steps.shift();
        await loopTurn();
      }
      return { removed, done: steps.length === 0 };
    },
  };
}
