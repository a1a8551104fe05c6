/** /admin/v1/comparisons: which of two was preferred by ear, summed over all listeners. */
import type { FastifyInstance } from 'fastify';
import type { ComparisonSum } from '../../../accounts/tables/comparisons.js';
import { AdminComparisons } from '../../../protocol/admin/kept.js';
import { comparedOf } from '../../../protocol/playground/compared-name.js';
import { preferenceOf } from '../../../protocol/playground/preference-test.js';
import { type AdminParts, described } from './parts.js';

function sumOf({ a, b, runs, aPreferred, bPreferred }: ComparisonSum): AdminComparisons['data'][number] {
  const { low, high, p } = preferenceOf(aPreferred, aPreferred + bPreferred);
  return { a: comparedOf(a), b: comparedOf(b), runs, a_preferred: aPreferred, b_preferred: bPreferred, low, high, p };
}

export function addComparisonSums(app: FastifyInstance, { admin, operator }: AdminParts): void {
  const summary = 'Comparisons by ear, summed by pair; no text and no listener is kept';
  app.get(
    '/comparisons',
    { logLevel: 'warn', schema: described('listComparisons', summary, AdminComparisons), onRequest: operator },
    async (): Promise<AdminComparisons> => ({ data: (await admin.store.comparisons.list()).map(sumOf) }),
  );
}
