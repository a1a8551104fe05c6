/** `tts keys`: make, list and revoke API keys, and grant them credits. */
import { Command, Option } from 'commander';
import type { KeySummary } from '../accounts/store.js';
import type { KeyRecord, Tier } from '../accounts/types.js';
import { TtsError } from '../protocol/errors.js';
import { ACCOUNT_SETTINGS, idOf, printJson, withStore } from './account-store.js';
import { addSettings } from './context.js';
import { parseMoment } from './moment.js';
import { table, terminalWidth } from './table.js';

function wholeNumber(option: string, text: string, min: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value) && value >= min) return value;
  throw new TtsError('usage', `${option} takes a whole number of at least ${min}, not ${JSON.stringify(text)}.`);
}

const record = (key: KeyRecord) => ({
  id: key.id,
  tier: key.tier,
  credits: key.credits,
  name: key.name,
  created_at: key.createdAt,
});
const listed = (key: KeyRecord) => ({
  ...record(key),
  expires_at: key.expiresAt,
  revoked: key.revoked,
  reserved: key.reserved,
});
const summary = (key: KeySummary) => ({
  ...listed(key),
  today: {
    free_requests: key.today.freeRequests,
    requests: key.today.requests,
    characters: key.today.characters,
    credits: key.today.credits,
  },
});

interface CreateOptions {
  tier: Tier;
  credits?: string;
  name?: string;
  expires?: string;
  json?: boolean;
}

async function create(options: CreateOptions, command: Command): Promise<void> {
  const credits = options.credits === undefined ? 0 : wholeNumber('--credits', options.credits, 0);
  const expiresAt = options.expires === undefined ? undefined : parseMoment('--expires', options.expires, 'ahead');
  const { createKeyring } = await import('../accounts/keyring.js');
  await withStore(command, { create: true }, async (store) => {
    const key = await createKeyring(store).create({ tier: options.tier, credits, name: options.name, expiresAt });
    if (options.json) {
      printJson({ key: key.key, ...record(key), ...(expiresAt && { expires_at: key.expiresAt }) });
    } else {
      process.stdout.write(`${key.key}\n`);
      const access = key.tier === 'free' ? 'Free access' : `Partner access, ${key.credits} credits`;
      const until = key.expiresAt === null ? '' : `, until ${key.expiresAt}`;
      process.stderr.write(`Key ${key.id} (${access}${until}). Keep the key itself: it is not shown again.\n`);
    }
    if (expiresAt && expiresAt.getTime() <= Date.now()) {
      process.stderr.write(`Note: ${key.expiresAt} has passed, so this key is refused from the start.\n`);
    }
    if (!options.json && key.tier === 'partner' && key.credits === 0) {
      process.stderr.write(`It has no credits yet: tts keys grant ${key.id} 10000\n`);
    }
  });
}

function state(key: KeySummary): string {
  if (key.revoked) return 'revoked';
  if (key.expiresAt === null) return 'valid';
  return Date.parse(key.expiresAt) <= Date.now() ? 'expired' : `until ${key.expiresAt.slice(0, 10)}`;
}

async function list({ json }: { json?: boolean }, command: Command): Promise<void> {
  const { createKeyring } = await import('../accounts/keyring.js');
  await withStore(command, {}, async (store, { place }) => {
    const keys = await createKeyring(store).list();
    if (json) return printJson(keys.map(summary));
    if (keys.length === 0) {
      process.stderr.write(`No keys in ${place} yet. Make one with: tts keys create --tier partner --credits 10000\n`);
      return;
    }
    const columns = [
      { title: 'ID' },
      { title: 'TIER' },
      { title: 'STATE' },
      { title: 'CREDITS', align: 'right' },
      { title: 'RESERVED', align: 'right' },
      { title: 'FREE TODAY', align: 'right' },
      { title: 'NAME', shrink: true },
    ] as const;
    const rows = keys.map((key) => [
      key.id,
      key.tier,
      state(key),
      String(key.credits),
      String(key.reserved),
      String(key.today.freeRequests),
      key.name ?? '',
    ]);
    process.stdout.write(`${table(columns, rows, terminalWidth())}\n`);
  });
}

async function revoke(text: string, { json }: { json?: boolean }, command: Command): Promise<void> {
  const { createKeyring } = await import('../accounts/keyring.js');
  await withStore(command, {}, async (store) => {
    const key = await createKeyring(store).revoke(idOf(text));
    if (json) printJson(listed(key));
    else process.stdout.write(`Revoked key ${key.id}${key.name === null ? '' : ` (${key.name})`}.\n`);
  });
}

async function grant(text: string, amount: string, { json }: { json?: boolean }, command: Command): Promise<void> {
  const credits = wholeNumber('The amount', amount, 1);
  const { createKeyring } = await import('../accounts/keyring.js');
  await withStore(command, {}, async (store) => {
    const key = await createKeyring(store).grant(idOf(text), credits);
    if (json) printJson(listed(key));
    else process.stdout.write(`Key ${key.id} has ${key.credits} credits.\n`);
    if (key.tier === 'free') process.stderr.write('Note: it is a Free key, which spends no credits.\n');
  });
}

export function command(): Command {
  const keys = new Command('keys').description(
    'Makes and looks after API keys. Works while servers of the same accounts run, and takes effect at once.',
  );
  const sub = (name: string, description: string) =>
    addSettings(keys.command(name).description(description), ACCOUNT_SETTINGS);
  sub('create', 'Makes a key and prints it, once.')
    .addOption(
      new Option('--tier <tier>', 'free: only the :free models; partner: all models, paid with credits')
        .choices(['free', 'partner'])
        .makeOptionMandatory(),
    )
    .option('--credits <n>', 'credits to begin with, 1 per character (default: 0)')
    .option('--name <text>', 'what the key is for')
    .option('--expires <time>', 'when it stops working: 30d, 12h or 2027-01-31 (UTC)')
    .option('--json', 'print {"key","id","tier","credits","name","created_at"}')
    .addHelpText(
      'after',
      '\nExamples:\n  tts keys create --tier free --name laptop\n  tts keys create --tier partner --credits 50000 --expires 90d --json',
    )
    .action((options: CreateOptions, command: Command) => create(options, command));
  sub('list', "Lists all keys with balance and today's use, in order of creation.")
    .option('--json', 'print an array instead of a table')
    .addHelpText('after', '\nExamples:\n  tts keys list\n  tts keys list --json | jq ".[] | select(.credits < 100)"')
    .action((options: { json?: boolean }, command: Command) => list(options, command));
  sub('revoke', 'Refuses a key from now on, and ends what it is speaking within a second.')
    .argument('<id>', 'the first 8 characters after tts_, as in "tts keys list"')
    .option('--json', 'print the key as in "keys list"')
    .addHelpText('after', '\nExample:\n  tts keys revoke aB3dE6gH')
    .action((id: string, options: { json?: boolean }, command: Command) => revoke(id, options, command));
  sub('grant', 'Adds credits to the balance of a key.')
    .argument('<id>', 'the first 8 characters after tts_, as in "tts keys list"')
    .argument('<credits>', 'how many, 1 per character')
    .option('--json', 'print the key as in "keys list"')
    .addHelpText('after', '\nExample:\n  tts keys grant aB3dE6gH 10000')
    .action((id: string, credits: string, options: { json?: boolean }, command: Command) =>
      grant(id, credits, options, command),
    );
  return keys;
}
