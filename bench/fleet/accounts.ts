/**
 * What the accounts cost: requests a second that are reserved and settled in SQLite and in
 * PostgreSQL, in turns, and what either adds to the first audio of a lone listener. Both write to
 * the disk as they do for their users.
 *
 *   npm run bench -- accounts [--seconds 5] [--turns 3] [--rounds 30]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type * as AccountsModule from '../../src/accounts/accounts.js';
import type * as KeyringModule from '../../src/accounts/keyring.js';
import type * as PostgresModule from '../../src/accounts/postgres/store.js';
import type * as SqliteModule from '../../src/accounts/sqlite/store.js';
import type { AccountStore } from '../../src/accounts/store.js';
import { createHttpClient } from '../../src/client/http.js';
import { quantile } from '../../src/client/load/capacity.js';
import { httpListener } from '../../src/client/load/listener.js';
import { startPostgres } from '../../testkit/postgres.js';
import { startServer } from '../support/serve.js';

const LANES = [1, 8, 64];
const KEYS = 16;

/** Rounds of the comparison that are not counted. */
const WARM_UP_ROUNDS = 5;

type Built = (file: string) => Promise<unknown>;

interface Side {
  readonly accounts: Awaited<ReturnType<typeof AccountsModule.createAccounts>>;
  readonly keys: readonly string[];
}
interface Sides {
  readonly SQLite: Side;
  readonly PostgreSQL: Side;
}

async function openSides(built: Built, file: string, database: string): Promise<Sides> {
  const { createAccounts } = (await built('accounts/accounts.js')) as typeof AccountsModule;
  const { createKeyring } = (await built('accounts/keyring.js')) as typeof KeyringModule;
  const { openSqliteStore } = (await built('accounts/sqlite/store.js')) as typeof SqliteModule;
  const { openPostgresStore } = (await built('accounts/postgres/store.js')) as typeof PostgresModule;
  async function open(store: AccountStore): Promise<Side> {
    const limits = { freeConcurrency: 1000, freeDaily: 1000, partnerConcurrency: 1000 };
    const accounts = await createAccounts({ store, limits });
    const keyring = createKeyring(store);
    const keys: string[] = [];
    for (let n = 0; n < KEYS; n++) {
      keys.push((await keyring.create({ tier: 'partner', credits: 1_000_000_000 })).key);
    }
    return { accounts, keys };
  }
  return { SQLite: await open(await openSqliteStore(file)), PostgreSQL: await open(await openPostgresStore(database)) };
}

/** Requests a second, and how long each was in front of its audio. */
async function load({ accounts, keys }: Side, lanes: number, seconds: number) {
  const admittedMs: number[] = [];
  const startMs = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      while (performance.now() - startMs < seconds * 1000) {
        const fromMs = performance.now();
        const key = await accounts.authenticate(keys[lane % KEYS]);
        const request = { key, requestId: 'r', model: 'base-tts-fast', voice: 'v', chars: 60 } as const;
        const admission = await accounts.admit(request);
        admittedMs.push(performance.now() - fromMs);
        await admission.settle({ audioMs: 4000 });
        done++;
      }
    }),
  );
  return { perSecond: done / ((performance.now() - startMs) / 1000), admittedMs };
}

/** Both stores in turns, so that what else the machine does meets both. */
async function compareLoad(sides: Sides, lanes: number, turns: number, seconds: number): Promise<void> {
  const found: Record<string, { perSecond: number[]; admittedMs: number[] }> = {};
  for (let turn = 0; turn < turns; turn++) {
    for (const [name, side] of Object.entries(sides)) {
      const { perSecond, admittedMs } = await load(side, lanes, seconds / turns);
      const all = found[name] ?? { perSecond: [], admittedMs: [] };
      found[name] = all;
      all.perSecond.push(perSecond);
      all.admittedMs.push(...admittedMs);
    }
  }
  for (const [name, { perSecond, admittedMs }] of Object.entries(found)) {
    process.stdout.write(
      `${lanes} | ${name} | ${quantile(perSecond, 0.5).toFixed(0)} | ${quantile(admittedMs, 0.5).toFixed(2)} | ${quantile(admittedMs, 0.99).toFixed(2)}\n`,
    );
  }
}

/** The engine takes no time of its own here: what differs is the way to it. */
async function compareFirstAudio(database: string, rounds: number): Promise<void> {
  const env = { TTS_ENGINE: 'sine', TTS_SINE_OPTIONS: JSON.stringify({ msPerChar: 5 }) };
  const servers = {
    SQLite: await startServer(env),
    PostgreSQL: await startServer({ ...env, TTS_DATABASE: database }),
  };
  const { signal } = new AbortController();
  const firstMs: Record<string, number[]> = { SQLite: [], PostgreSQL: [] };
  const fields = { model: 'base-tts-fast', voice: 'english_female_professional' };
  for (let round = 0; round < rounds + WARM_UP_ROUNDS; round++) {
    for (const [name, { baseUrl, key }] of Object.entries(servers)) {
      const listen = httpListener(createHttpClient({ baseUrl, apiKey: key }), fields);
      const { firstAudioMs } = await listen('One moment.', signal);
      if (round >= WARM_UP_ROUNDS) firstMs[name]!.push(firstAudioMs);
    }
  }
  const median = (name: string) => quantile(firstMs[name]!, 0.5);
  process.stdout.write(
    `first audio: ${median('SQLite').toFixed(1)} ms with SQLite, ${median('PostgreSQL').toFixed(1)} ms with PostgreSQL (+${(median('PostgreSQL') - median('SQLite')).toFixed(1)} ms)\n`,
  );
  await Promise.all(Object.values(servers).map((server) => server.stop()));
}

export async function main(argv: readonly string[], built: Built): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      seconds: { type: 'string', default: '5' },
      turns: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '30' },
    },
  });
  const folder = await mkdtemp(path.join(tmpdir(), 'tts-accounts-'));
  const postgres = await startPostgres({ durable: true });
  const sides = await openSides(built, path.join(folder, 'accounts.db'), await postgres.create());
  process.stdout.write('at once | store | requests/s | admitted after ms, median | p99\n');
  for (const lanes of LANES) await compareLoad(sides, lanes, Number(values.turns), Number(values.seconds));
  await Promise.all([sides.SQLite.accounts.close(), sides.PostgreSQL.accounts.close()]);
  await compareFirstAudio(await postgres.create(), Number(values.rounds));
  await postgres.close();
  await rm(folder, { recursive: true });
}
