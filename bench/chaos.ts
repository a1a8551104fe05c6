/**
 * A whole distributed service on one machine, of which parts are killed and frozen at random: gateways, workers, the broker, the
 * database. Afterwards every session that was finished sounded as it does undisturbed, to the byte, the ledger balances to the
 * credit, and nothing is stuck.
 *
 *   npm run bench -- chaos [--minutes 5] [--sessions 40] [--gateways 2] [--workers 4] [--calm]
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { freePort, startNats } from '../test/support/nats.js';
import { startPostgres } from '../test/support/postgres.js';
import { ledgerDifferences } from './ledger.js';
import { type Machine, startMachine } from './machines.js';
import { BENCH_CREDITS } from './serve.js';
import { type Door, learnSounds, type Visit, visit } from './visitors.js';

const BIN = path.resolve(import.meta.dirname, '../bin/tts.js');
/** What a service manager waits before it starts something again. */
const RESTART_MS = 1_000;
/** Leases of a killed gateway run out within half a minute; twice that is stuck. */
const SETTLE_MS = 60_000;

/** A part that can be disturbed, and comes back. */
interface Part {
  readonly name: string;
  readonly weight: number;
  /** Milliseconds it may stay frozen or away. */
  readonly mostMs: number;
  kill(): Promise<void>;
  restart(): Promise<void>;
  freeze(): void;
  thaw(): void;
}

interface Gateway extends Door {
  /** Changes whenever it is killed. */
  life: number;
  up: boolean;
}

const between = (least: number, most: number) => least + Math.random() * (most - least);

/** One part at a time is taken, others may still be away from before. */
async function disturb(parts: readonly Part[], endMs: number, tally: Record<string, number>): Promise<void> {
  const away = new Set<Part>();
  const comingBack: Promise<void>[] = [];
  const lot = parts.flatMap((part) => Array<Part>(part.weight).fill(part));
  while (performance.now() < endMs) {
    await sleep(between(1_500, 4_500));
    const part = lot[Math.floor(Math.random() * lot.length)]!;
    if (away.has(part)) continue;
    away.add(part);
    const freeze = Math.random() < 0.5;
    const what = `${part.name.replace(/ \d+$/, '')} ${freeze ? 'frozen' : 'killed'}`;
    tally[what] = (tally[what] ?? 0) + 1;
    if (freeze) part.freeze();
    else await part.kill();
    comingBack.push(
      sleep(freeze ? between(300, part.mostMs) : between(RESTART_MS / 2, part.mostMs)).then(async () => {
        if (freeze) part.thaw();
        else await part.restart();
        away.delete(part);
      }),
    );
  }
  await Promise.all(comingBack);
}

function machinePart(name: string, start: () => Machine, more: Pick<Part, 'weight' | 'mostMs'>) {
  let machine = start();
  const part: Part = {
    name,
    ...more,
    kill: () => machine.kill(),
    async restart() {
      machine = start();
    },
    freeze: () => machine.signal('SIGSTOP'),
    thaw: () => machine.signal('SIGCONT'),
  };
  return { part, stop: () => machine.stop() };
}

async function ready({ baseUrl }: Door): Promise<boolean> {
  try {
    return (await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(2_000) })).status === 200;
  } catch {
    return false;
  }
}

const LEFT = ['tts_active_sessions', 'tts_queue_depth', 'tts_running_segments', 'tts_places_taken'];
async function leftBehind({ baseUrl }: Door): Promise<number> {
  const text = await (await fetch(`${baseUrl}/metrics`)).text();
  const numbers = LEFT.flatMap((name) => [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))]);
  return numbers.reduce((sum, [, value]) => sum + Number(value), 0);
}

export async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      minutes: { type: 'string', default: '5' },
      sessions: { type: 'string', default: '40' },
      gateways: { type: 'string', default: '2' },
      workers: { type: 'string', default: '4' },
      calm: { type: 'boolean', default: false },
    },
  });
  const folder = await mkdtemp(path.join(tmpdir(), 'tts-chaos-'));
  const [nats, postgres] = await Promise.all([startNats(), startPostgres()]);
  const database = await postgres.create();
  const env = {
    TTS_NATS: nats.url,
    TTS_DATABASE: database,
    TTS_ENGINE: 'sine',
    TTS_SINE_OPTIONS: JSON.stringify({ msPerChar: 55, pace: 40 }),
    TTS_LOG_LEVEL: 'fatal',
    TTS_PARTNER_CONCURRENCY: '1000',
    TTS_QUEUE_LIMIT: '1000',
  };
  const run = async (...args: string[]): Promise<string> => {
    const limits = { env: { ...process.env, ...env }, maxBuffer: 2 ** 30 };
    return (await promisify(execFile)(process.execPath, [BIN, ...args], limits)).stdout;
  };
  const { key } = JSON.parse(
    await run('keys', 'create', '--tier', 'partner', '--credits', String(BENCH_CREDITS), '--json'),
  ) as { key: string };

  const workers = Array.from({ length: Number(values.workers) }, (_, i) =>
    machinePart(`worker ${i}`, () => startMachine(`worker ${i}`, ['worker', '--workers', '1'], env), {
      weight: 2,
      mostMs: 6_000,
    }),
  );
  const gateways: (Gateway & { stop: () => Promise<void>; part: Part })[] = [];
  for (let i = 0; i < Number(values.gateways); i++) {
    const port = await freePort();
    const args = ['serve', '--port', String(port), '--workers', '0'];
    const own = {
      ...env,
      TTS_RUNTIME_DIR: path.join(folder, `run-${i}`),
      TTS_DATA_DIR: path.join(folder, `data-${i}`),
    };
    const { part, stop } = machinePart(`gateway ${i}`, () => startMachine(`gateway ${i}`, args, own), {
      weight: 1,
      mostMs: 2_500,
    });
    const gateway = { baseUrl: `http://127.0.0.1:${port}`, key, life: 0, up: false, stop, part };
    gateways.push({
      ...gateway,
      part: {
        ...part,
        async kill() {
          gateways[i]!.life += 1;
          gateways[i]!.up = false;
          await part.kill();
        },
        async restart() {
          await part.restart();
          while (!(await ready(gateway))) await sleep(100);
          gateways[i]!.up = true;
        },
      },
    });
    while (!(await ready(gateway))) await sleep(100);
    gateways[i]!.up = true;
  }
  const broker: Part = {
    name: 'broker',
    weight: 2,
    mostMs: 3_000,
    kill: nats.kill,
    restart: nats.start,
    freeze: () => nats.signal('SIGSTOP'),
    thaw: () => nats.signal('SIGCONT'),
  };
  const store: Part = {
    name: 'database',
    weight: 2,
    mostMs: 3_000,
    kill: postgres.stop,
    restart: postgres.start,
    freeze: postgres.freeze,
    thaw: postgres.thaw,
  };
  const parts = [...workers.map(({ part }) => part), ...gateways.map(({ part }) => part), broker, store];

  const sounds = await learnSounds(gateways[0]!);
  const startMs = performance.now();
  const endMs = startMs + Number(values.minutes) * 60_000;
  const visits: (Visit & { cut: boolean })[] = [];
  const disturbed: Record<string, number> = {};
  const sessions = Array.from({ length: Number(values.sessions) }, async (_, i) => {
    await sleep(i * 50);
    while (performance.now() < endMs) {
      const up = gateways.filter((gateway) => gateway.up);
      const gateway = up[Math.floor(Math.random() * up.length)];
      if (gateway !== undefined) {
        const { life } = gateway;
        const seen = await visit(gateway, sounds);
        const cut = gateway.life !== life;
        visits.push(...seen.map((each) => ({ ...each, cut })));
      }
      await sleep(Math.random() * 400);
    }
  });
  const watch = async () => {
    while (performance.now() < endMs) {
      await sleep(Math.min(15_000, Math.max(1_000, endMs - performance.now())));
      const done = visits.filter(({ ending }) => ending === 'completed').length;
      const seconds = ((performance.now() - startMs) / 1000).toFixed(0);
      process.stdout.write(`${seconds} s: ${visits.length} visits, ${done} completed; ${JSON.stringify(disturbed)}\n`);
    }
  };
  await Promise.all([watch(), ...(values.calm ? [] : [disturb(parts, endMs, disturbed)]), ...sessions]);

  const settleBy = performance.now() + SETTLE_MS;
  let stuck = 0;
  let wrong: string[] = [];
  do {
    await sleep(1_000);
    stuck = 0;
    for (const gateway of gateways) stuck += await leftBehind(gateway);
    wrong = await ledgerDifferences(run, visits);
  } while ((stuck > 0 || wrong.length > 0) && performance.now() < settleBy);

  // Its own server was killed under it: it had no end, and can have none.
  const endings: Record<string, number> = {};
  for (const { ending, cut } of visits) {
    const name = cut && ending !== 'completed' && ending !== 'other sound' ? 'cut with its gateway' : ending;
    endings[name] = (endings[name] ?? 0) + 1;
  }
  process.stdout.write(
    `${JSON.stringify(endings)}\n${JSON.stringify(disturbed)}\n` +
      `left behind: ${stuck}, ledger differences: ${wrong.length}, settled ${((settleBy - performance.now()) / -1000 + SETTLE_MS / 1000).toFixed(0)} s after the end\n`,
  );
  for (const line of wrong.slice(0, 20)) process.stdout.write(`  ${line}\n`);
  const bad = visits.filter(
    ({ ending, cut }) => ending === 'other sound' || (!cut && ['failed', 'hung'].includes(ending)),
  );
  for (const { requestId, manner, ending, said = '' } of bad.slice(0, 20))
    process.stdout.write(`  ${requestId} ${manner}: ${ending} ${said}\n`);
  await Promise.all([...gateways, ...workers].map(({ stop }) => stop()));
  await Promise.all([nats.close(), postgres.close()]);
  await rm(folder, { recursive: true });
  if (bad.length + wrong.length + stuck > 0) process.exitCode = 1;
}
