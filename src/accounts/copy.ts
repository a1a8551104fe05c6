/**
 * All accounts from one database into another, empty one: everything that money follows from and
 * the request log, checked before it counts.
 */
import { TtsError } from '../protocol/errors.js';
import type { AccountsDatabase, Read, Value } from './database.js';
import { REQUEST_COLUMNS } from './requests/request-rows.js';
import { JOB_COLUMNS } from './tables/jobs.js';

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** Columns that make a row what it is, to page by. */
  readonly order: readonly string[];
  /** Columns whose sums must agree. */
  readonly sums: readonly string[];
}

/**
 * Leases are not copied: in the new database no server holds the reservations of the old one. Sums
 * by day are made anew from the ledger.
 */
const TABLES: readonly Table[] = [
  {
    name: 'keys',
    columns: [
      ...['seq', 'id', 'hash', 'tier', 'name', 'credits', 'reserved', 'created_at', 'expires_at', 'revoked_at'],
      ...['concurrency', 'free_daily', 'rotations', 'rotated_at', 'previous_hash', 'previous_ends_ms'],
    ],
    order: ['seq'],
    sums: ['credits', 'reserved'],
  },
  {
    name: 'free_limits',
    columns: ['key_id', 'model', 'concurrency', 'free_daily'],
    order: ['key_id', 'model'],
    sums: ['concurrency', 'free_daily'],
  },
  { name: 'secrets', columns: ['name', 'hash'], order: ['name'], sums: [] },
  { name: 'grants', columns: ['seq', 'time', 'key_id', 'credits'], order: ['seq'], sums: ['credits'] },
  {
    name: 'free_requests',
    columns: ['key_id', 'day', 'model', 'requests'],
    order: ['key_id', 'day', 'model'],
    sums: ['requests'],
  },
  {
    name: 'reservations',
    columns: ['id', 'key_id', 'request_id', 'model', 'voice', 'characters', 'credits', 'free_day', 'holder'],
    order: ['id'],
    sums: ['characters', 'credits'],
  },
  {
    name: 'ledger',
    columns: [
      ...['seq', 'reservation_id', 'time', 'request_id', 'key_id', 'model', 'voice', 'characters', 'credits'],
      ...['audio_ms', 'outcome', 'delivered_characters'],
    ],
    order: ['seq'],
    sums: ['characters', 'credits', 'audio_ms', 'delivered_characters'],
  },
  {
    name: 'request_log',
    columns: ['seq', ...REQUEST_COLUMNS],
    order: ['seq'],
    sums: ['characters', 'credits', 'audio_ms'],
  },
  { name: 'jobs', columns: JOB_COLUMNS, order: ['seq'], sums: ['characters', 'credits', 'bytes'] },
  { name: 'kept', columns: ['kind', 'name', 'value'], order: ['kind', 'name'], sums: [] },
  { name: 'dictionaries', columns: ['key_id', 'id', 'value'], order: ['key_id', 'id'], sums: [] },
  {
    name: 'comparisons',
    columns: ['a', 'b', 'runs', 'a_preferred', 'b_preferred'],
    order: ['a', 'b'],
    sums: ['runs', 'a_preferred', 'b_preferred'],
  },
];

const PAGE = 1_000;

/** What was copied: rows by table. */
export type Copied = Readonly<Record<string, number>>;

async function totals(read: Read, { name, sums }: Table): Promise<Record<string, number>> {
  const columns = ['count(*) AS rows', ...sums.map((column) => `coalesce(sum(${column}), 0) AS ${column}`)];
  const [row] = await read<Record<string, number>>(`SELECT ${columns.join(', ')} FROM ${name}`);
  return row!;
}

async function* pages(read: Read, { name, columns, order }: Table): AsyncGenerator<Record<string, Value>[]> {
  const by = order.join(', ');
  const head = `SELECT ${columns.join(', ')} FROM ${name}`;
  const tail = `ORDER BY ${by} LIMIT ${PAGE}`;
  let rows = await read<Record<string, Value>>(`${head} ${tail}`);
  while (rows.length > 0) {
    yield rows;
    const last = rows.at(-1)!;
    const after = order.map((column) => last[column]!);
    const places = order.map(() => '?').join(', ');
    rows = await read<Record<string, Value>>(`${head} WHERE (${by}) > (${places}) ${tail}`, ...after);
  }
}

/**
 * All or nothing: refuses a target that holds anything, and leaves it empty where the copy does not
 * come to the same.
 */
export function copyAccounts(source: AccountsDatabase, target: AccountsDatabase): Promise<Copied> {
  return source.snapshot((read) =>
    target.fill(async (into) => {
      const copied: Record<string, number> = {};
      for (const table of TABLES) {
        if ((await totals(into.read, table)).rows !== 0) {
          throw new TtsError(
            'usage',
            'The database to copy to holds accounts already, and nothing was changed. Copy into an empty one.',
          );
        }
      }
      for (const table of TABLES) {
        for await (const rows of pages(read, table)) await into.insert(table.name, rows);
        const [here, there] = [await totals(read, table), await totals(into.read, table)];
        const wrong = Object.keys(here).find((column) => here[column] !== there[column]);
        if (wrong !== undefined) {
          throw new TtsError(
            'internal_error',
            `The copy of ${table.name} came to ${there[wrong]} ${wrong} instead of ${here[wrong]}, and was undone.`,
          );
        }
        copied[table.name] = here.rows!;
      }
      return copied;
    }),
  );
}
