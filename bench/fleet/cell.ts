/**
 * A cell on one machine: gateways, workers with tone engines, a NATS server and PostgreSQL, and as
 * many live listeners as they carry. What a stream costs each of them in processor time, bytes and
 * transactions, and where it ends (the knee). Then PostgreSQL alone: requests a second that are
 * reserved and settled, over many keys and with one hot key, and how many round trips a request
 * takes.
 *
 *   npm run bench -- cell [--gateways 2] [--workers 2] [--streams 50,100,200,400] [--rounds 2]
 *                         [--only streams|database]
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import type * as AccountsModule from '../../src/accounts/accounts.js';
import type * as KeyringModule from '../../src/accounts/keyring.js';
import type * as PostgresModule from '../../src/accounts/postgres/store.js';
import type { Accounts } from '../../src/accounts/types.js';
import { quantile, tryStreams } from '../../src/client/load/capacity.js';
import type { Listen } from '../../src/client/load/listener.js';
import { freePort, startNats } from '../../testkit/nats.js';
import { startPostgres } from '../../testkit/postgres.js';
import { startProxy } from '../../testkit/proxy.js';
import { startListeners } from '../streams/listeners.js';
import { startMachine } from '../support/machines.js';
import { type BenchServer, cpuSeconds, startServer } from '../support/serve.js';

const MODEL = 'base-tts-fast';
const VOICE = 'english_female_professional';
/** From 4 to 20 s of speech at 55 ms a character. Listeners arrive over the length of the first. */
const TEXTS = [
  'Somebody had left a lantern on the wall, still burning, with a folded letter under it. He shook his head, and they went on. Behind them the lamps along the platform went out one by one. A dog barked twice, then thought better of it. It was late when the last train came in, and nobody was waiting for it. The driver looked out, saw the empty station, and was glad of the quiet.',
  'The four of them walked back along the river to the old house. It was cold for the time of year, and the bridge lay in the dark. They stopped there for a while, and nobody spoke.',
  'Good evening, everybody, and welcome to the late train. It leaves in a minute.',
];
/**
 * An engine process speaks this many times as fast as a listener hears, in pieces as long as those
 * of base-tts-fast: so fast that engines are never what is short here.
 */
const SINE = { msPerChar: 55, pace: 400, chunkMs: 1_000 };
/** A first sound that is later than this does not count as carried. */
const FIRST_WITHIN_MS = 1_000;
const LANES = [1, 4, 16, 64];
const KEYS = 64;
/** Added to each direction between a server and its database to count round trips. */
const DELAY_MS = 20;

type Built = (file: string) => Promise<unknown>;

/** Processor time of a process and all that it started, in seconds. */
async function familySeconds(pid: number): Promise<number> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean);
  const each = await Promise.all(children.map((child) => familySeconds(Number(child)).catch(() => 0)));
  return each.reduce((sum, seconds) => sum + seconds, await cpuSeconds(pid));
}

/** An idle process of PostgreSQL reports its counts after 10 s. */
const COUNTED_AFTER_MS = 11_000;

async function commits(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()');
  await client.end();
  return Number(rows[0].xact_commit);
}

export async function main(argv: readonly string[], built: Built): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      gateways: { type: 'string', default: '2' },
      workers: { type: 'string', default: '2' },
      streams: { type: 'string', default: '50,100,200,400' },
      rounds: { type: 'string', default: '2' },
      seconds: { type: 'string', default: '5' },
      only: { type: 'string' },
    },
  });
  if (values.only !== 'database') {
    await streams({
      gateways: Number(values.gateways),
      workers: Number(values.workers),
      levels: values.streams.split(',').map(Number),
      rounds: Number(values.rounds),
    });
  }
  if (values.only !== 'streams') await database(built, Number(values.seconds));
}

interface CellOptions {
  readonly gateways: number;
  readonly workers: number;
  readonly levels: readonly number[];
  readonly rounds: number;
}

async function startCell({ gateways, workers }: CellOptions) {
  const monitor = await freePort();
  const [nats, postgres] = await Promise.all([startNats(['-m', String(monitor)]), startPostgres({ durable: true })]);
  const url = await postgres.create();
  const env = {
    TTS_NATS: nats.url,
    TTS_DATABASE: url,
    TTS_ENGINE: 'sine',
    TTS_SINE_OPTIONS: JSON.stringify(SINE),
    TTS_QUEUE_LIMIT: '100000',
    TTS_PARTNER_CONCURRENCY: '100000',
    TTS_MAX_CONNECTIONS_PER_ADDRESS: '0',
  };
  const engines = Array.from({ length: workers }, (_, i) =>
    startMachine(`worker ${i}`, ['worker', '--workers', '2', '--log-level', 'error'], env),
  );
  const servers: BenchServer[] = [];
  for (let i = 0; i < gateways; i++)
    servers.push(await startServer(env, ['--workers', '0', '--queue-limit', '100000']));
  const listeners = servers.map((server) =>
    startListeners({ server, model: MODEL, voice: VOICE, tokensPerSecond: 20, processes: 1 }),
  );
  let next = 0;
  const listen: Listen = (text, signal) => listeners[next++ % listeners.length]!.listen.http(text, signal);
  const sum = async (parts: readonly { readonly pid: number }[]) =>
    (await Promise.all(parts.map(({ pid }) => familySeconds(pid)))).reduce((a, b) => a + b, 0);
  return {
    listen,
    async seen() {
      const { in_bytes, out_bytes, in_msgs } = (await (
        await fetch(`http://127.0.0.1:${monitor}/varz`)
      ).json()) as Record<'in_bytes' | 'out_bytes' | 'in_msgs', number>;
      return {
        gateway: await sum(servers),
        worker: await sum(engines),
        broker: await sum([nats]),
        database: await sum([postgres]),
        listeners: (await Promise.all(listeners.map((each) => each.cpuSeconds()))).reduce((a, b) => a + b, 0),
        brokerBytes: in_bytes + out_bytes,
        messages: in_msgs,
        commits: await commits(url),
      };
    },
    async stop() {
      for (const each of listeners) each.close();
      await Promise.all([...servers.map((server) => server.stop()), ...engines.map((engine) => engine.stop())]);
      await Promise.all([nats.close(), postgres.close()]);
    },
  };
}

async function streams(options: CellOptions): Promise<void> {
  const cell = await startCell(options);
  const { signal } = new AbortController();
  const trial = (count: number, rounds: number) =>
    tryStreams(
      count,
      { listen: cell.listen, texts: TEXTS, arrivals: 'spread', rounds, firstWithinMs: FIRST_WITHIN_MS },
      signal,
    );
  await trial(Math.min(...options.levels), 1);
  process.stdout.write(
    'streams | carried | stalled, late, lost | first audio p50, p99 ms | core ms for a second of audio: gateway, worker, broker, database, (listeners) | broker kB and messages for a second of audio | transactions a request | machine busy\n',
  );
  const cores = (await import('node:os')).availableParallelism();
  for (const level of options.levels) {
    const before = await cell.seen();
    const { heard, carried, stalled, late, lost, wallMs } = await trial(level, options.rounds);
    const after = await cell.seen();
    const used = (name: keyof typeof before) => after[name] - before[name];
    const audioS = heard.reduce((sum, { audioMs }) => sum + audioMs, 0) / 1000;
    const firsts = heard.map(({ firstAudioMs }) => firstAudioMs);
    const perSecond = (name: keyof typeof before) => ((used(name) * 1000) / audioS).toFixed(2);
    if (!carried) {
      process.stdout.write(`${level} | no | ${stalled}, ${late}, ${lost} | ended early\n`);
      break;
    }
    const parts = (['gateway', 'worker', 'broker', 'database', 'listeners'] as const).map(perSecond);
    const busy = (['gateway', 'worker', 'broker', 'database', 'listeners'] as const).reduce((a, b) => a + used(b), 0);
    process.stdout.write(
      `${level} | yes | ${stalled}, ${late}, ${lost} | ` +
        `${quantile(firsts, 0.5).toFixed(0)}, ${quantile(firsts, 0.99).toFixed(0)} | ` +
        `${parts.slice(0, 4).join(', ')}, (${parts[4]}) | ` +
        `${(used('brokerBytes') / 1000 / audioS).toFixed(1)}, ${(used('messages') / audioS).toFixed(1)} | ` +
        `${(used('commits') / Math.max(1, heard.length)).toFixed(1)} | ` +
        `${((100 * busy) / (cores * (wallMs / 1000))).toFixed(0)} %\n`,
    );
  }
  await cell.stop();
}

interface Database {
  readonly url: string;
  readonly pid: number;
  readonly keys: readonly string[];
  /** Accounts beside the database, and behind a proxy that can delay. */
  readonly near: Accounts;
  readonly far: Accounts;
  delay(ms: number): void;
  close(): Promise<void>;
}

async function openDatabase(built: Built): Promise<Database> {
  const { createAccounts } = (await built('accounts/accounts.js')) as typeof AccountsModule;
  const { createKeyring } = (await built('accounts/keyring.js')) as typeof KeyringModule;
  const { openPostgresStore } = (await built('accounts/postgres/store.js')) as typeof PostgresModule;
  const postgres = await startPostgres({ durable: true });
  const url = await postgres.create();
  const proxy = await startProxy({ port: Number(new URL(url).port) });
  const limits = { freeConcurrency: 1000, freeDaily: 1_000_000, partnerConcurrency: 100_000 };
  const store = await openPostgresStore(url);
  const near = await createAccounts({ store, limits });
  const behindProxy = await openPostgresStore(url.replace(/:\d+\//, `:${proxy.port}/`));
  const far = await createAccounts({ store: behindProxy, limits });
  const keyring = createKeyring(store);
  const keys: string[] = [];
  for (let i = 0; i < KEYS; i++) keys.push((await keyring.create({ tier: 'partner', credits: 1_000_000_000 })).key);
  return {
    url,
    pid: postgres.pid,
    keys,
    near,
    far,
    delay: (ms) => proxy.delay(ms),
    async close() {
      await Promise.all([near.close(), far.close()]);
      await proxy.close();
      await postgres.close();
    },
  };
}

async function request(accounts: Accounts, key: string): Promise<number> {
  const fromMs = performance.now();
  const found = await accounts.authenticate(key);
  const about = { key: found, requestId: 'r', model: MODEL, voice: VOICE, chars: 60 } as const;
  const admission = await accounts.admit(about);
  await admission.settle({ audioMs: 4000 });
  return performance.now() - fromMs;
}

/** As many requests as `lanes` at once get through, over these keys in turn. */
async function load({ near, pid }: Database, lanes: number, keys: readonly string[], seconds: number) {
  const [startMs, startCpu, startDatabaseS] = [performance.now(), process.cpuUsage(), await familySeconds(pid)];
  const tookMs: number[] = [];
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      for (let n = lane; performance.now() - startMs < seconds * 1000; n += lanes) {
        tookMs.push(await request(near, keys[n % keys.length]!));
      }
    }),
  );
  const wallS = (performance.now() - startMs) / 1000;
  const { user, system } = process.cpuUsage(startCpu);
  const databaseMs = 1000 * ((await familySeconds(pid)) - startDatabaseS);
  return {
    perSecond: tookMs.length / wallS,
    tookMs,
    gatewayCpuMs: (user + system) / 1000 / tookMs.length,
    databaseCpuMs: databaseMs / tookMs.length,
  };
}

/** The median time (ms) of a request whose packets pass the proxy. */
async function farMs({ far, keys }: Database, count: number): Promise<number> {
  const tookMs: number[] = [];
  for (let i = 0; i < count; i++) tookMs.push(await request(far, keys[i % keys.length]!));
  return quantile(tookMs, 0.5);
}

async function database(built: Built, seconds: number): Promise<void> {
  const opened = await openDatabase(built);
  const { url, keys } = opened;
  await load(opened, 4, keys, seconds);
  process.stdout.write('at once | keys | requests/s | ms, median | p99 | core ms a request: gateway, database\n');
  await sleep(COUNTED_AFTER_MS);
  const startCommits = await commits(url);
  let requests = 0;
  for (const of of [keys, keys.slice(0, 1)]) {
    for (const lanes of LANES) {
      const { perSecond, tookMs, gatewayCpuMs, databaseCpuMs } = await load(opened, lanes, of, seconds);
      requests += tookMs.length;
      process.stdout.write(
        `${lanes} | ${of.length} | ${perSecond.toFixed(0)} | ${quantile(tookMs, 0.5).toFixed(1)} | ${quantile(tookMs, 0.99).toFixed(1)} | ${gatewayCpuMs.toFixed(2)}, ${databaseCpuMs.toFixed(2)}\n`,
      );
    }
  }
  await sleep(COUNTED_AFTER_MS);
  const each = ((await commits(url)) - startCommits) / requests;
  process.stdout.write(`transactions of a request: ${each.toFixed(2)}\n`);
  const nearbyMs = await farMs(opened, 40);
  opened.delay(DELAY_MS);
  const delayedMs = await farMs(opened, 40);
  opened.delay(0);
  process.stdout.write(
    `round trips of a request, one after the other: ${((delayedMs - nearbyMs) / (2 * DELAY_MS)).toFixed(1)} ` +
      `(${nearbyMs.toFixed(1)} ms near, ${delayedMs.toFixed(1)} ms at ${2 * DELAY_MS} ms away)\n`,
  );
  await opened.close();
}
