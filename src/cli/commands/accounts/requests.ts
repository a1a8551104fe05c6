/** `tts requests`: what became of each request, from the log in the accounts database. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Argument, Command, Option } from 'commander';
import type { AccountStore, LoggedRequest, RequestFilter } from '../../../accounts/store.js';
import { TtsError } from '../../../protocol/errors.js';
import { REQUEST_OUTCOMES, type RequestOutcome } from '../../../protocol/request-outcome.js';
import { addSettings, settingsOf } from '../../context.js';
import { parseMoment } from '../../moment.js';
import { printTable, write } from '../../output.js';
import { ACCOUNT_SETTINGS, checkKeyId, idOf, withStore } from '../../service/account-store.js';
import { type ColumnSpec, right, shrinking, table } from '../../table.js';

interface RequestsOptions {
  key?: string;
  status?: RequestOutcome;
  since?: string;
  limit: number;
  json?: boolean;
  follow?: boolean;
}

/** Rows of the database at once. */
const PAGE = 500;
const LATEST = 50;
const MAX_ROWS = 1_000_000;
const FOLLOW_MS = 1_000;
/** Rows may still appear this far back: servers write them late, and their clocks differ. */
const LATE_MS = 15_000;

const COLUMNS: readonly ColumnSpec[] = [
  ...['TIME (UTC)', 'REQUEST', 'KEY'],
  ...['ROUTE', 'MODEL', 'VOICE'].map(shrinking),
  ...['CHARS', 'CREDITS', 'FIRST', 'BREAKS'].map(right),
  ...['OUTCOME', 'WORKER', 'TRACE'].map(shrinking),
];

const cells = (row: LoggedRequest): string[] => [
  row.time.replace('T', ' ').replace(/\.\d+Z$/, ''),
  row.requestId,
  row.keyId,
  row.route,
  row.model ?? '-',
  row.voice ?? '-',
  String(row.characters),
  String(row.credits),
  row.firstAudioMs === null ? '-' : `${row.firstAudioMs} ms`,
  String(row.breaks),
  row.error === null ? row.outcome : `${row.outcome}: ${row.error}`,
  row.worker ?? '-',
  row.traceId ?? '-',
];

/** The latest rows, the oldest of them first: what a terminal shows last is the latest. */
async function latest(
  store: AccountStore,
  filter: Omit<RequestFilter, 'limit'>,
  most: number,
): Promise<LoggedRequest[]> {
  const rows: LoggedRequest[] = [];
  while (rows.length < most) {
    const limit = Math.min(PAGE, most - rows.length);
    const page = await store.requestLog({ ...filter, before: rows.at(-1), limit });
    rows.push(...page);
    if (page.length < limit) break;
  }
  return rows.reverse();
}

/** One JSON object a row. */
async function recordsOf(rows: readonly LoggedRequest[]): Promise<string[]> {
  const { requestRecord } = await import('../../../accounts/requests/request-record.js');
  return rows.map((row) => JSON.stringify(requestRecord(row)));
}

/** Rows that appeared since, for as long as the command runs; with JSON one object a line. */
async function follow(
  store: AccountStore,
  filter: Omit<RequestFilter, 'limit'>,
  { json = false, limit }: RequestsOptions,
): Promise<never> {
  const columns = COLUMNS.map((column) => (typeof column === 'string' ? column : column.title));
  let shown = new Map<number, string>();
  let isFirst = true;
  for (;;) {
    const lately = new Date(Date.now() - LATE_MS).toISOString();
    const since = filter.since !== undefined && (isFirst || filter.since > lately) ? filter.since : lately;
    const rows = await latest(store, isFirst ? filter : { ...filter, since }, isFirst ? limit : MAX_ROWS);
    const fresh = rows.filter(({ seq }) => !shown.has(seq));
    if (json) await write((await recordsOf(fresh)).map((record) => `${record}\n`).join(''));
    else if (fresh.length > 0 || isFirst) {
      const [header, ...lines] = table(columns, fresh.map(cells), undefined).split('\n');
      await write(`${[...(isFirst ? [header] : []), ...lines].join('\n')}\n`);
    }
    // Only what could be met again is remembered.
    const kept = [...shown, ...fresh.map(({ seq, time }) => [seq, time] as const)].filter(([, time]) => time >= lately);
    shown = new Map(kept);
    isFirst = false;
    await sleep(FOLLOW_MS);
  }
}

/** Why there may be nothing to show. */
function emptyLog(isKept: boolean): string {
  if (isKept) return 'No requests of this kind are in the request log.\n';
  return 'The request log is empty, and off by the settings here: tts config set requestLogDays 7 (and requestLogRows).\n';
}

async function requests(id: string | undefined, options: RequestsOptions, command: Command): Promise<void> {
  const { requestLogDays, requestLogRows } = settingsOf(command).config;
  const filter = {
    keyId: options.key === undefined ? undefined : idOf(options.key),
    outcome: options.status,
    requestId: id,
    since: options.since === undefined ? undefined : parseMoment('--since', options.since, 'behind').toISOString(),
  };
  await withStore(command, {}, async (store) => {
    await checkKeyId(store, filter.keyId);
    if (options.follow) await follow(store, filter, options);
    const rows = await latest(store, filter, options.limit);
    if (options.json) await write(`[${(await recordsOf(rows)).join(',\n')}]\n`);
    else if (rows.length > 0) printTable(COLUMNS, rows.map(cells));
    else process.stderr.write(emptyLog(requestLogDays > 0 && requestLogRows > 0));
  });
}

function rowsOf(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= MAX_ROWS) return number;
  throw new TtsError('usage', `--limit takes a number from 1 to ${MAX_ROWS}, not ${JSON.stringify(text)}.`);
}

export function command(): Command {
  const requestsCommand = new Command('requests').description(
    'Shows the request log: what became of each request, by whom, through which API, and which worker spoke it.',
  );
  return addSettings(requestsCommand, [...ACCOUNT_SETTINGS, 'requestLogDays', 'requestLogRows'])
    .addArgument(new Argument('[REQUEST]', 'only the request of this id'))
    .option('--key <id>', 'only this key ("local" is the use on the server\'s own machine)')
    .addOption(new Option('--status <outcome>', 'only what ended so').choices(REQUEST_OUTCOMES))
    .option('--since <time>', 'only what ended from then on: 15m, 24h, 7d or 2026-01-31 (UTC)')
    .addOption(new Option('--limit <N>', 'at most so many, the latest').argParser(rowsOf).default(LATEST))
    .option('--json', 'as a JSON array; with --follow one object a line')
    .option('--follow', 'go on with what ends from now on')
    .addHelpText(
      'after',
      '\nThe log holds no text. A server keeps it for --request-log-days, and --request-log-rows at most.\n' +
        '\nExamples:\n  tts requests --since 1h --status failed\n  tts requests req_01JB8Z0QK3WZJ6R4V9F2T7M5XA\n' +
        '  tts requests --key aB3dE6gH --follow --json',
    )
    .action((id: string | undefined, options: RequestsOptions, self: Command) => requests(id, options, self));
}
