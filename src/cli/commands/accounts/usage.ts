/** `tts usage`: what was spoken, by whom, and what it cost. */
import { Command, Option } from 'commander';
import type { LedgerRow, UsageFilter } from '../../../accounts/store.js';
import { addSettings } from '../../context.js';
import { parseMoment } from '../../moment.js';
import { printTable, write } from '../../output.js';
import { ACCOUNT_SETTINGS, checkKeyId, idOf, withStore } from '../../service/account-store.js';
import { right, shrinking } from '../../table.js';

interface UsageOptions {
  key?: string;
  since?: string;
  json?: boolean;
  csv?: boolean;
}

const record = (row: LedgerRow) => ({
  time: row.time,
  request_id: row.requestId,
  key_id: row.keyId,
  model: row.model,
  voice: row.voice,
  characters: row.characters,
  credits: row.credits,
  audio_ms: row.audioMs,
  outcome: row.outcome,
  delivered_characters: row.deliveredCharacters,
});
const CSV_HEADER = 'time,request_id,key_id,model,voice,characters,credits,audio_ms,outcome,delivered_characters';
const csvCell = (value: string | number): string =>
  /[",\r\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value);

async function writeJson(rows: AsyncIterable<LedgerRow>): Promise<void> {
  let separator = '[';
  for await (const row of rows) {
    await write(`${separator}${JSON.stringify(record(row))}`);
    separator = ',\n';
  }
  await write(separator === '[' ? '[]\n' : ']\n');
}

async function writeCsv(rows: AsyncIterable<LedgerRow>): Promise<void> {
  await write(`${CSV_HEADER}\n`);
  for await (const row of rows) await write(`${Object.values(record(row)).map(csvCell).join(',')}\n`);
}

interface Sum {
  requests: number;
  unfinished: number;
  characters: number;
  delivered: number;
  credits: number;
  audioMs: number;
}
const emptySum = (): Sum => ({ requests: 0, unfinished: 0, characters: 0, delivered: 0, credits: 0, audioMs: 0 });
function add(sum: Sum, row: LedgerRow): void {
  sum.requests++;
  if (row.outcome !== 'completed') sum.unfinished++;
  sum.characters += row.characters;
  sum.delivered += row.deliveredCharacters;
  sum.credits += row.credits;
  sum.audioMs += row.audioMs;
}
const duration = (ms: number): string => {
  const seconds = Math.round(ms / 1000);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
};
const cells = (sum: Sum): string[] => [
  String(sum.requests),
  String(sum.unfinished),
  String(sum.characters),
  String(sum.delivered),
  String(sum.credits),
  duration(sum.audioMs),
];

async function writeTable(rows: AsyncIterable<LedgerRow>): Promise<void> {
  const groups = new Map<string, Sum>();
  const total = emptySum();
  for await (const row of rows) {
    const group = JSON.stringify([row.time.slice(0, 10), row.keyId, row.model]);
    const sum = groups.get(group) ?? emptySum();
    groups.set(group, sum);
    add(sum, row);
    add(total, row);
  }
  if (groups.size === 0) {
    process.stderr.write('No requests have ended yet in this time.\n');
    return;
  }
  const figures = ['REQUESTS', 'UNFINISHED', 'CHARS', 'DELIVERED', 'CREDITS', 'AUDIO'].map(right);
  const lines = [...groups].map(([group, sum]) => [...(JSON.parse(group) as string[]), ...cells(sum)]);
  printTable(['DAY (UTC)', 'KEY', shrinking('MODEL'), ...figures], [...lines, ['total', '', '', ...cells(total)]]);
}

async function usage(options: UsageOptions, command: Command): Promise<void> {
  const filter: UsageFilter = {
    ...(options.key !== undefined && { keyId: idOf(options.key) }),
    ...(options.since !== undefined && { since: parseMoment('--since', options.since, 'behind').toISOString() }),
  };
  await withStore(command, {}, async (store) => {
    await checkKeyId(store, filter.keyId);
    const rows = store.usage(filter);
    if (options.json) await writeJson(rows);
    else if (options.csv) await writeCsv(rows);
    else await writeTable(rows);
  });
}

export function command(): Command {
  const usageCommand = new Command('usage').description(
    'Shows what was spoken: a sum for every day, key and model, or every request with --json or --csv.',
  );
  return addSettings(usageCommand, ACCOUNT_SETTINGS)
    .option('--key <id>', 'only this key ("local" is the use on the server\'s own machine)')
    .option('--since <time>', 'only from then on: 24h, 7d or 2026-01-31 (UTC)')
    .addOption(new Option('--json', 'every request, as a JSON array').conflicts('csv'))
    .addOption(new Option('--csv', 'every request, as CSV').conflicts('json'))
    .addHelpText(
      'after',
      '\nDELIVERED counts the characters whose audio reached the client, also of requests that it left before the end.\n' +
        '\nExamples:\n  tts usage --since 7d\n  tts usage --key aB3dE6gH --since 2026-01-01 --csv > january.csv',
    )
    .action((options: UsageOptions, command: Command) => usage(options, command));
}
