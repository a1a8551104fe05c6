/** /admin/v1/requests: what became of the last requests, by page, the latest first. */
import type { FastifyInstance } from 'fastify';
import { requestRecord } from '../../../accounts/requests/request-record.js';
import type { LoggedRequest } from '../../../accounts/store.js';
import { type AdminRequest, AdminRequests, RequestsQuery } from '../../../protocol/admin.js';
import { TtsError } from '../../../protocol/errors.js';
import { type AdminParts, described, onlyKey } from './parts.js';

const PAGE = 50;
const CURSOR = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) (\d{1,15})$/;

const cursorOf = ({ time, seq }: LoggedRequest): string => Buffer.from(`${time} ${seq}`).toString('base64url');

function placeOf(cursor: string): Pick<LoggedRequest, 'time' | 'seq'> {
  const [, time, seq] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (time !== undefined) return { time, seq: Number(seq) };
  const message = 'The parameter "cursor" must be the "next_cursor" of an earlier answer.';
  throw new TtsError('invalid_value', message, { param: 'cursor' });
}

function momentOf(since: string): string {
  const ms = /^\d{4}-\d\d-\d\d/.test(since) ? Date.parse(since) : Number.NaN;
  if (!Number.isNaN(ms)) return new Date(ms).toISOString();
  const message = 'The parameter "since" must be a time such as 2026-01-31 or 2026-01-31T18:00:00Z.';
  throw new TtsError('invalid_value', message, { param: 'since' });
}

/** A worker's name is that of a machine, which is the operator's to know. */
const adminRequest = (row: LoggedRequest, isOperator: boolean): AdminRequest =>
  isOperator ? requestRecord(row) : { ...requestRecord(row), worker: null };

export function addRequests(app: FastifyInstance, { admin, requestLog, signedIn }: AdminParts): void {
  const summary = 'The request log by page, the latest first; nothing of a text is in it';
  app.get<{ Querystring: RequestsQuery }>(
    '/requests',
    {
      logLevel: 'warn',
      schema: { ...described('listRequests', summary, AdminRequests), querystring: RequestsQuery },
      onRequest: signedIn,
    },
    async ({ query, caller }): Promise<AdminRequests> => {
      if (requestLog === undefined) {
        throw new TtsError(
          'request_log_off',
          'This server keeps no request log. Start it with --request-log-days and --request-log-rows above 0.',
        );
      }
      const only = onlyKey(caller);
      const limit = query.limit === undefined ? PAGE : Number(query.limit);
      const rows = await admin.store.requestLog({
        keyId: only ?? query.key,
        outcome: query.status,
        requestId: query.request,
        since: query.since === undefined ? undefined : momentOf(query.since),
        before: query.cursor === undefined ? undefined : placeOf(query.cursor),
        limit: limit + 1,
      });
      const shown = rows.slice(0, limit);
      return {
        data: shown.map((row) => adminRequest(row, only === undefined)),
        next_cursor: rows.length > limit ? cursorOf(shown.at(-1)!) : null,
      };
    },
  );
}
