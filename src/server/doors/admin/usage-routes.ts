/** /admin/v1/usage: what was spoken by day, key and model, as JSON and as CSV; and over time. */
import type { FastifyInstance } from 'fastify';
import { AdminUsageSeries, UsageSeriesQuery } from '../../../protocol/admin/figures.js';
import { AdminUsage, UsageQuery } from '../../../protocol/admin.js';
import { TtsError } from '../../../protocol/errors.js';
import { type AdminParts, described, onlyKey } from './parts.js';
import { figuresOf, usageSeries } from './usage-series.js';

const DAYS = 30;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const COLUMNS = [
  'day',
  'key_id',
  'model',
  'requests',
  'unfinished',
  'characters',
  'delivered_characters',
  'credits',
  'audio_ms',
] as const;
const CSV = { type: 'string', description: COLUMNS.join(',') };

export function addUsage(app: FastifyInstance, { admin, signedIn }: AdminParts): void {
  async function usage(query: UsageQuery, only: string | undefined): Promise<AdminUsage> {
    const since = query.since ?? new Date(Date.now() - (DAYS - 1) * 86_400_000).toISOString().slice(0, 10);
    if (!DAY.test(since) || Number.isNaN(Date.parse(since))) {
      throw new TtsError('invalid_value', 'The parameter "since" must be a day such as 2026-01-31.', {
        param: 'since',
      });
    }
    const keyId = only ?? query.key;
    const sums = await admin.store.usageByDay({ since, ...(keyId !== undefined && { keyId }) });
    const data = sums.map((sum) => ({ day: sum.day, key_id: sum.keyId, ...figuresOf(sum) }));
    return { since, data };
  }

  app.get<{ Querystring: UsageQuery }>(
    '/usage',
    {
      schema: { ...described('getUsage', 'Usage by day, key and model', AdminUsage), querystring: UsageQuery },
      onRequest: signedIn,
    },
    async ({ query, caller }) => usage(query, onlyKey(caller)),
  );

  const series = 'Usage of the last hour, day, week, month or year: over time and by key, each by model';
  app.get<{ Querystring: UsageSeriesQuery }>(
    '/usage/series',
    {
      schema: { ...described('getUsageSeries', series, AdminUsageSeries), querystring: UsageSeriesQuery },
      onRequest: signedIn,
    },
    async ({ query, caller }) => usageSeries(admin.store, query.range ?? 'month', onlyKey(caller) ?? query.key),
  );

  app.get<{ Querystring: UsageQuery }>(
    '/usage.csv',
    {
      schema: { ...described('getUsageCsv', 'The same as CSV', CSV), querystring: UsageQuery },
      onRequest: signedIn,
    },
    async ({ query, caller }, reply) => {
      const { data } = await usage(query, onlyKey(caller));
      const lines = data.map((row) => COLUMNS.map((column) => row[column]).join(','));
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="usage.csv"')
        .send(Buffer.from(`${[COLUMNS.join(','), ...lines].join('\n')}\n`));
    },
  );
}
