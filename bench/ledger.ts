/** The accounts after a disturbed while: every difference between what visitors saw and what the ledger says. */
import { BENCH_CREDITS } from './serve.js';
import type { Visit } from './visitors.js';

interface Row {
  readonly request_id: string;
  readonly credits: number;
  readonly outcome: string;
}

/** `run` is a `tts` command on the accounts. The server of a `cut` visit was killed under it: it may have no row, never a wrong one. */
export async function ledgerDifferences(
  run: (...args: string[]) => Promise<string>,
  visits: readonly (Visit & { readonly cut?: boolean })[],
): Promise<string[]> {
  const rows = JSON.parse(await run('usage', '--json')) as Row[];
  const [key] = JSON.parse(await run('keys', 'list', '--json')) as { credits: number; reserved: number }[];
  const byId = new Map<string, Row[]>();
  for (const row of rows) byId.set(row.request_id, [...(byId.get(row.request_id) ?? []), row]);
  const wrong: string[] = [];
  for (const { manner, requestId, chars, ending, cut = false } of visits) {
    const found = byId.get(requestId) ?? [];
    const [row] = found;
    const say = (what: string) => wrong.push(`${requestId} (${manner}, ${ending}${cut ? ', cut' : ''}): ${what}`);
    if (found.length > 1) say(`${found.length} rows`);
    if (ending === 'refused' && row !== undefined) say(`refused, yet a row says ${row.outcome}`);
    if (!cut && (ending === 'completed' || ending === 'open') && row === undefined) say('no row');
    // Killed between the last sample and the settlement: returned when the lease ran out.
    if (cut && row?.outcome === 'interrupted' && row.credits === 0) continue;
    if (ending === 'completed' && row !== undefined && (row.outcome !== 'completed' || row.credits !== chars)) {
      say(`${row.outcome}, ${row.credits} credits for ${chars} characters`);
    }
    if (row !== undefined && row.outcome !== 'completed' && row.credits !== 0) say(`${row.outcome}, and debited`);
  }
  const debited = rows.reduce((sum, row) => sum + row.credits, 0);
  if (key!.credits !== BENCH_CREDITS - debited)
    wrong.push(`the balance is off by ${BENCH_CREDITS - debited - key!.credits}`);
  if (key!.reserved !== 0) wrong.push(`${key!.reserved} credits are still reserved`);
  return wrong;
}
