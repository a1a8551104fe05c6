/**
 * The accounts after a disturbed while: every difference between what visitors saw and what the
 * ledger says.
 */
import type { LedgerRow } from '../../src/accounts/store.js';
import { BENCH_CREDITS } from '../support/serve.js';
import type { Visit } from './visit.js';

export type BilledRow = Pick<LedgerRow, 'requestId' | 'credits' | 'outcome' | 'deliveredCharacters'>;

/** The ledger, and the key all visitors came with. */
export interface Accounts {
  readonly rows: readonly BilledRow[];
  readonly key: { readonly credits: number; readonly reserved: number };
}

/** `run` is a `tts` command on the accounts, of whose keys the first with Partner access speaks. */
export async function readAccounts(run: (...args: string[]) => Promise<string>): Promise<Accounts> {
  const rows = JSON.parse(await run('usage', '--json')) as {
    request_id: string;
    credits: number;
    outcome: BilledRow['outcome'];
    delivered_characters: number;
  }[];
  const keys = JSON.parse(await run('keys', 'list', '--json')) as (Accounts['key'] & { tier: string })[];
  const key = keys.find(({ tier }) => tier === 'partner');
  const camel = ({
    request_id: requestId,
    delivered_characters: deliveredCharacters,
    credits,
    outcome,
  }: (typeof rows)[0]) => ({ requestId, deliveredCharacters, credits, outcome });
  return { rows: rows.map(camel), key: key! };
}

/**
 * What befell a visit's server meanwhile: a killed one may leave no row, never a wrong one; one
 * that was out of reach refuses late.
 */
export type Fate = 'killed' | 'out of reach';

export function rowsById(rows: readonly BilledRow[]): Map<string, BilledRow[]> {
  const byId = new Map<string, BilledRow[]>();
  for (const row of rows) byId.set(row.requestId, [...(byId.get(row.requestId) ?? []), row]);
  return byId;
}

/**
 * With `billDelivered` what was delivered of a visit that broke off is debited, or nothing where
 * that was the server's fault.
 */
export function ledgerDifferences(
  { rows, key }: Accounts,
  visits: readonly (Visit & { readonly fate?: Fate | undefined; readonly where?: string })[],
  { billDelivered = false } = {},
): string[] {
  const byId = rowsById(rows);
  const wrong: string[] = [];
  for (const { manner, requestId, chars, ending, fate, where } of visits) {
    const found = byId.get(requestId) ?? [];
    const [row] = found;
    const about = [manner, ending, fate, where].filter((each) => each !== undefined).join(', ');
    const say = (what: string) => wrong.push(`${requestId} (${about}): ${what}`);
    if (found.length > 1) say(`${found.length} rows`);
    if (row === undefined) {
      if (fate !== 'killed' && (ending === 'completed' || ending === 'open')) say('no row');
      continue;
    }
    const { outcome, credits, deliveredCharacters: delivered } = row;
    if (ending === 'refused' && (fate === undefined || credits > 0)) say(`refused, yet a row says ${outcome}`);
    // Killed between the last sample and the settlement: returned when the lease ran out.
    if (fate === 'killed' && outcome === 'interrupted' && credits === 0) continue;
    if (ending === 'completed' && (outcome !== 'completed' || credits !== chars)) {
      say(`${outcome}, ${credits} credits for ${chars} characters`);
    }
    if (outcome !== 'completed' && credits !== 0 && !(billDelivered && credits === delivered)) {
      say(`${outcome}, and debited ${credits} for ${delivered} delivered`);
    }
  }
  const debited = rows.reduce((sum, row) => sum + row.credits, 0);
  if (key.credits !== BENCH_CREDITS - debited)
    wrong.push(`the balance is off by ${BENCH_CREDITS - debited - key.credits}`);
  if (key.reserved !== 0) wrong.push(`${key.reserved} credits are still reserved`);
  return wrong;
}
