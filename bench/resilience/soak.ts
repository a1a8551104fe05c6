/**
 * Random clients for a while, well-behaved, slow, silent, cut off and hostile, while engine
 * processes are killed and frozen at random. Afterwards: memory level, every slot given back, the
 * ledger exact, no session without an end, and every listener heard the same to the byte as on a
 * server that nobody disturbs.
 *
 *   npm run bench -- soak [--minutes 10] [--visitors 40] [--engine sine|kokoro] [--calm]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type BenchServer, startServer } from '../support/serve.js';
import { ledgerDifferences, readAccounts } from './ledger.js';
import type { Visit } from './visit.js';
import { learnSounds, visit } from './visitors.js';

/** How much larger than after the warm-up the server may be at the end. */
const MAX_GROWTH = 1.25;

type Disturbed = { killed: number; frozen: number };

/**
 * Kills or freezes an engine every few seconds. A frozen one is left so: noticing it is the
 * server's part.
 */
async function disturb(server: BenchServer, endMs: number, tally: Disturbed): Promise<void> {
  while (performance.now() < endMs) {
    await sleep(4_000 + Math.random() * 8_000);
    const engines = await server.engines();
    const pid = engines[Math.floor(Math.random() * engines.length)];
    if (pid === undefined) continue;
    const freeze = Math.random() < 0.25;
    try {
      process.kill(pid, freeze ? 'SIGSTOP' : 'SIGKILL');
      tally[freeze ? 'frozen' : 'killed']++;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

const LEFT = ['tts_active_sessions', 'tts_queue_depth', 'tts_running_segments', 'tts_places_taken'];
async function leftBehind(server: BenchServer): Promise<number> {
  const counts = await Promise.all(LEFT.map((name) => server.metric(name)));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** A line every 15 seconds. Returns the memory of the server at each, in MB. */
async function watch(server: BenchServer, endMs: number, visits: readonly Visit[], disturbed: Disturbed) {
  const startMs = performance.now();
  const memory: number[] = [];
  const columns = ['s', 'memory MB', 'heap MB', 'sessions', 'queued', 'visits', 'failed', 'killed', 'frozen'];
  process.stdout.write(`${columns.map((name) => name.padStart(9)).join(' ')}\n`);
  while (performance.now() < endMs) {
    await sleep(Math.min(15_000, Math.max(1_000, endMs - performance.now())));
    memory.push((await server.metric('tts_process_resident_memory_bytes')) / 1e6);
    const row = [
      (performance.now() - startMs) / 1000,
      memory.at(-1)!,
      (await server.metric('tts_nodejs_heap_size_used_bytes')) / 1e6,
      await server.metric('tts_active_sessions'),
      await server.metric('tts_queue_depth'),
      visits.length,
      visits.filter(({ ending }) => ending === 'failed').length,
      disturbed.killed,
      disturbed.frozen,
    ];
    process.stdout.write(`${row.map((value) => value.toFixed(0).padStart(9)).join(' ')}\n`);
  }
  return memory;
}

/** Endings that no visit may have. */
const BAD: readonly Visit['ending'][] = ['failed', 'put off', 'hung', 'other sound'];

/** Prints what was found, and returns whether all of it was as it should be. */
async function report(
  server: BenchServer,
  visits: readonly Visit[],
  memory: readonly number[],
  disturbed: Disturbed,
): Promise<boolean> {
  for (let i = 0; i < 300 && (await leftBehind(server)) > 0; i++) await sleep(100);
  const orphans = await leftBehind(server);
  const wrong = ledgerDifferences(await readAccounts(server.run), visits);
  // The rest of the warm-up is in the first third: caches filled, code compiled.
  const third = memory.slice(0, Math.max(1, Math.floor(memory.length / 3)));
  const growth = memory.at(-1)! / Math.max(...third);
  const endings: Record<string, number> = {};
  for (const { ending } of visits) endings[ending] = (endings[ending] ?? 0) + 1;
  process.stdout.write(
    `${JSON.stringify(endings)}, engines ${JSON.stringify(disturbed)}\n` +
      `memory at the end / most of the first third: ${growth.toFixed(2)}, left behind: ${orphans}, ledger differences: ${wrong.length}\n`,
  );
  for (const line of wrong.slice(0, 20)) process.stdout.write(`  ${line}\n`);
  const bad = visits.filter(({ ending }) => BAD.includes(ending));
  for (const { requestId, manner, ending } of bad.slice(0, 20)) {
    process.stdout.write(`  ${requestId} ${manner}: ${ending}\n`);
  }
  return orphans + wrong.length + bad.length === 0 && growth <= MAX_GROWTH;
}

export async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      minutes: { type: 'string', default: '10' },
      visitors: { type: 'string', default: '40' },
      engine: { type: 'string', default: 'sine' },
      calm: { type: 'boolean', default: false },
    },
  });
  const server = await startServer(
    { TTS_ENGINE: values.engine, TTS_SINE_OPTIONS: JSON.stringify({ msPerChar: 55, pace: 40 }) },
    ['--workers', '2'],
  );
  const created = await server.run('keys', 'create', '--tier', 'free', '--json');
  const { key: freeKey } = JSON.parse(created) as { key: string };
  const sounds = await learnSounds(server);
  const endMs = performance.now() + Number(values.minutes) * 60_000;
  const visits: Visit[] = [];
  const disturbed = { killed: 0, frozen: 0 };
  const visitors = Array.from({ length: Number(values.visitors) }, async (_, i) => {
    await sleep(i * 50);
    while (performance.now() < endMs) {
      visits.push(...(await visit({ ...server, freeKey }, sounds)));
      await sleep(Math.random() * 400);
    }
  });
  const disturbing = values.calm ? [] : [disturb(server, endMs, disturbed)];
  const [memory] = await Promise.all([watch(server, endMs, visits, disturbed), ...disturbing, ...visitors]);
  if (!(await report(server, visits, memory, disturbed))) process.exitCode = 1;
  await server.stop();
}
