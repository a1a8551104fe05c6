/** `tts keys`: make, list, rotate and revoke API keys, and grant them credits. */
import { Command, Option } from 'commander';
import type { KeySummary } from '../../../accounts/store.js';
import type { KeyRecord, Tier } from '../../../accounts/types.js';
import { TtsError } from '../../../protocol/errors.js';
import {
  allowedFreeLimit,
  freeLimitText,
  MAX_LIMIT,
  type OwnFreeLimit,
  parseFreeLimit,
} from '../../../protocol/free-limit.js';
import { addSettings } from '../../context.js';
import { parseMoment } from '../../moment.js';
import { printJson, printTable } from '../../output.js';
import { ACCOUNT_SETTINGS, idOf, withKeyring } from '../../service/account-store.js';
import { right, shrinking } from '../../table.js';

function wholeNumber(option: string, text: string, min: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value) && value >= min) return value;
  throw new TtsError('usage', `${option} takes a whole number of at least ${min}, not ${JSON.stringify(text)}.`);
}

/** In place of a limit: the server's own holds. */
const USUAL = 'usual';

/** A limit of a key's own; null where the server's own is asked for, undefined where nothing is. */
function ownLimit(option: string, text: string | undefined): OwnFreeLimit | null | undefined {
  if (text === undefined) return undefined;
  if (text === USUAL) return null;
  const limit = parseFreeLimit(text, MAX_LIMIT);
  if (limit !== undefined) return limit;
  const allowed = `${allowedFreeLimit(MAX_LIMIT)}, or ${USUAL} for the server's own`;
  throw new TtsError('usage', `${option} takes ${allowed}, not ${JSON.stringify(text)}.`);
}

interface LimitOptions {
  concurrency?: string;
  freeDaily?: string;
}

const ownLimits = (options: LimitOptions) => ({
  concurrency: ownLimit('--concurrency', options.concurrency),
  freeDaily: ownLimit('--free-daily', options.freeDaily),
});

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
  expired: key.expired,
  reserved: key.reserved,
  concurrency: key.limits.concurrency,
  free_daily: key.limits.freeDaily,
  rotated_at: key.rotatedAt,
  previous_ends_at: key.previousEndsAt,
});
const summary = (key: KeySummary) => ({
  ...listed(key),
  today: {
    free_requests: key.today.freeRequests,
    free_requests_by_model: key.today.freeRequestsByModel,
    requests: key.today.requests,
    characters: key.today.characters,
    credits: key.today.credits,
  },
});

interface CreateOptions extends LimitOptions {
  tier: Tier;
  credits?: string;
  name?: string;
  expires?: string;
  json?: boolean;
}

async function create(options: CreateOptions, command: Command): Promise<void> {
  const credits = options.credits === undefined ? 0 : wholeNumber('--credits', options.credits, 0);
  const expiresAt = options.expires === undefined ? undefined : parseMoment('--expires', options.expires, 'ahead');
  const { concurrency = null, freeDaily = null } = ownLimits(options);
  await withKeyring(command, { create: true }, async (keyring) => {
    const { tier, name } = options;
    const limits = { concurrency, freeDaily };
    const key = await keyring.create({ tier, credits, name, expiresAt, limits });
    if (options.json) {
      printJson({ key: key.key, ...record(key), ...(expiresAt && { expires_at: key.expiresAt }) });
    } else {
      process.stdout.write(`${key.key}\n`);
      const access = key.tier === 'free' ? 'Free access' : `Partner access, ${key.credits} credits`;
      const until = key.expiresAt === null ? '' : `, until ${key.expiresAt}`;
      process.stderr.write(`Key ${key.id} (${access}${until}). Keep the key itself: it is not shown again.\n`);
    }
    if (key.expired) {
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
  return key.expired ? 'expired' : `until ${key.expiresAt.slice(0, 10)}`;
}

async function list({ json }: { json?: boolean }, command: Command): Promise<void> {
  await withKeyring(command, {}, async (keyring, { place }) => {
    const keys = await keyring.list();
    if (json) return printJson(keys.map(summary));
    if (keys.length === 0) {
      process.stderr.write(`No keys in ${place} yet. Make one with: tts keys create --tier partner --credits 10000\n`);
      return;
    }
    const figures = ['CREDITS', 'RESERVED', 'FREE TODAY', 'FAST TODAY'].map(right);
    const rows = keys.map((key) => [
      key.id,
      key.tier,
      state(key),
      String(key.credits),
      String(key.reserved),
      String(key.today.freeRequestsByModel['base-tts']),
      String(key.today.freeRequestsByModel['base-tts-fast']),
      key.name ?? '',
    ]);
    printTable(['ID', 'TIER', 'STATE', ...figures, shrinking('NAME')], rows);
  });
}

async function limit(text: string, options: LimitOptions & { json?: boolean }, command: Command): Promise<void> {
  const limits = ownLimits(options);
  if (limits.concurrency === undefined && limits.freeDaily === undefined) {
    throw new TtsError('usage', 'Say which limit: --concurrency, --free-daily, or both.');
  }
  await withKeyring(command, {}, async (keyring) => {
    const key = await keyring.change(idOf(text), limits);
    if (options.json) return printJson(listed(key));
    const shown = (own: OwnFreeLimit | null) => (own === null ? USUAL : freeLimitText(own));
    const { concurrency, freeDaily } = key.limits;
    process.stdout.write(`Key ${key.id}: ${shown(concurrency)} at once, ${shown(freeDaily)} Free requests a day.\n`);
  });
}

const MAX_GRACE_MS = 90 * 86_400_000;

function graceOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const now = new Date();
  const ms = parseMoment('--grace', text, 'ahead', now).getTime() - now.getTime();
  if (ms >= 0 && ms <= MAX_GRACE_MS) return ms;
  throw new TtsError('usage', `--grace takes a time within the next 90 days, not ${JSON.stringify(text)}.`);
}

async function rotate(text: string, options: { grace?: string; json?: boolean }, command: Command): Promise<void> {
  const graceMs = graceOf(options.grace);
  await withKeyring(command, {}, async (keyring) => {
    const key = await keyring.rotate(idOf(text), graceMs);
    if (options.json) return printJson({ key: key.key, ...listed(key) });
    process.stdout.write(`${key.key}\n`);
    const before = key.previousEndsAt === null ? 'is refused from now on' : `works until ${key.previousEndsAt}`;
    process.stderr.write(
      `Key ${key.id} has another secret, and the one before ${before}. Keep it: it is not shown again.\n`,
    );
  });
}

async function revoke(text: string, { json }: { json?: boolean }, command: Command): Promise<void> {
  await withKeyring(command, {}, async (keyring) => {
    const key = await keyring.revoke(idOf(text));
    if (json) printJson(listed(key));
    else process.stdout.write(`Revoked key ${key.id}${key.name === null ? '' : ` (${key.name})`}.\n`);
  });
}

async function grant(text: string, amount: string, { json }: { json?: boolean }, command: Command): Promise<void> {
  const credits = wholeNumber('The amount', amount, 1);
  await withKeyring(command, {}, async (keyring) => {
    const key = await keyring.grantCredits(idOf(text), credits);
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
  addMaking(sub);
  addChanging(sub);
  return keys;
}

type Sub = (name: string, description: string) => Command;

const addLimits = (made: Command) =>
  made
    .option('--concurrency <n>', 'sessions at once, for Partner access and each :free model; or by :free model')
    .option(
      '--free-daily <n>',
      'Free requests a UTC day of each :free model; or by model: base-tts=9,base-tts-fast=90',
    );

/** The commands that make and list keys. */
function addMaking(sub: Sub): void {
  addLimits(
    sub('create', 'Makes a key and prints it, once.')
      .addOption(
        new Option('--tier <tier>', 'free: only the :free models; partner: all models, paid with credits')
          .choices(['free', 'partner'])
          .makeOptionMandatory(),
      )
      .option('--credits <n>', 'credits to begin with, 1 per character (default: 0)')
      .option('--name <text>', 'what the key is for')
      .option('--expires <time>', 'when it stops working, and what it speaks ends: 30d, 12h or 2027-01-31 (UTC)'),
  )
    .option('--json', 'print {"key","id","tier","credits","name","created_at"}')
    .addHelpText(
      'after',
      '\nExamples:\n  tts keys create --tier free --name laptop\n  tts keys create --tier partner --credits 50000 --expires 90d --json',
    )
    .action((options: CreateOptions, command: Command) => create(options, command));
  sub(
    'list',
    "Lists all keys with balance and today's use, in order of creation: FREE TODAY counts base-tts:free, FAST TODAY base-tts-fast:free.",
  )
    .option('--json', 'print an array instead of a table, with the limits of each key')
    .addHelpText('after', '\nExamples:\n  tts keys list\n  tts keys list --json | jq ".[] | select(.credits < 100)"')
    .action((options: { json?: boolean }, command: Command) => list(options, command));
}

/** The commands that change a key. */
function addChanging(sub: Sub): void {
  addLimits(sub('limit', `Gives a key limits of its own, or the server's own with "${USUAL}"; what is left out stays.`))
    .argument('<id>', 'the first 8 characters after tts_, as in "tts keys list"')
    .option('--json', 'print the key as in "keys list"')
    .addHelpText(
      'after',
      '\nExamples:\n  tts keys limit aB3dE6gH --free-daily base-tts=100,base-tts-fast=400\n  tts keys limit aB3dE6gH --concurrency usual',
    )
    .action((id: string, options: LimitOptions & { json?: boolean }, command: Command) => limit(id, options, command));
  sub('rotate', 'Gives a key another secret and prints it, once. Id, name, credits, limits and usage stay.')
    .argument('<id>', 'the first 8 characters after tts_, as in "tts keys list"')
    .option(
      '--grace <time>',
      'how long the secret before works too: 24h, 7d or 2027-01-31 (default: it ends at once, and what it speaks)',
    )
    .option('--json', 'print the key as in "keys list", and "key"')
    .addHelpText('after', '\nExamples:\n  tts keys rotate aB3dE6gH\n  tts keys rotate aB3dE6gH --grace 24h')
    .action((id: string, options: { grace?: string; json?: boolean }, command: Command) =>
      rotate(id, options, command),
    );
  sub('revoke', 'Refuses a key from now on, and ends what it is speaking within 3 seconds.')
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
}
