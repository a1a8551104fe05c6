/** Workers that come while work waits and go when they have none: engine processes of the sine engine, under a gateway. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import type { SineOptions } from '../../src/engine/sine.js';
import { createGateway } from '../../src/gateway/gateway.js';
import type { ObservableGateway } from '../../src/gateway/types.js';
import { type Crew, type CrewOptions, createCrew } from '../../src/gateway/workers/crew.js';
import { createPool, type WorkerPool } from '../../src/gateway/workers/pool.js';
import { createProcessWorker } from '../../src/gateway/workers/process-worker.js';
import { silentLogger } from '../../src/log.js';
import { loadCatalogue } from '../../src/models/catalogue.js';
import { segmentOf } from '../../testkit/speech.js';
import { until } from '../support/jobs.js';

const never = new AbortController().signal;
let crew: Crew;
let pool: WorkerPool;
let gateway: ObservableGateway;
const log = silentLogger();

/** The engine processes of this one, those that are starting as well. */
function engines(): number[] {
  const children = readdirSync('/proc/self/task').flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return children.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('worker/main.js'));
}

afterEach(async () => {
  crew.stop();
  await gateway.close();
  expect(engines()).toEqual([]);
});

async function open(sine: SineOptions, more: Partial<CrewOptions> = {}) {
  pool = createPool();
  crew = createCrew({
    pool,
    hire: (number) => createProcessWorker({ id: `e${number}`, options: { engine: 'sine', sine }, log, backoffMs: 20 }),
    least: 1,
    most: 3,
    startsAtOnce: 2,
    idleMs: 400,
    log,
    ...more,
  });
  gateway = createGateway({ pool, catalogue: loadCatalogue(), log, queueLimit: 100, lookahead: 3, crew });
  crew.start();
  await until(() => pool.state === 'ready');
}

/** Says three sentences; resolves with the samples heard. */
async function listen(whole = false): Promise<number> {
  const order = {
    model: 'base-tts',
    voice: 'english_female_professional',
    seed: 0,
    owner: 'a',
    requestId: 'r',
  } as const;
  const speech = gateway.open({ ...order, whole });
  async function* segments() {
    for (let i = 0; i < 3; i++) yield segmentOf('A sentence of some length.');
  }
  let samples = 0;
  try {
    for await (const event of speech.speak(segments(), never)) if (event.type === 'audio') samples += event.pcm.length;
  } finally {
    speech.close();
  }
  return samples;
}

const crowd = (size: number): Promise<number[]> => Promise.all(Array.from({ length: size }, () => listen()));

it('lets a lone listener have one, brings more for a crowd, and lets them go again', async () => {
  await open({ pace: 10, msPerChar: 50 });
  expect(gateway.stats).toMatchObject({ workers: { ready: 1 }, mostWorkers: 3 });
  await listen();
  expect(pool.workers.length).toBe(1);
  const heard = crowd(8);
  await until(() => pool.workers.length === 3);
  expect(pool.counts.starting).toBeLessThanOrEqual(2);
  expect(gateway.stats.mostWorkers).toBe(3);
  expect(new Set(await heard)).toEqual(new Set([3 * 22 * 1_200]));
  await until(() => pool.workers.length === 1);
  expect(pool.workers[0]!.id).toBe('e1');
  await listen();
});

it('keeps those that have work, and does not count a pause of their listeners as leisure', async () => {
  await open({ msPerChar: 200 }, { idleMs: 200 });
  const parked = Array.from({ length: 6 }, () => {
    const order = {
      model: 'base-tts',
      voice: 'english_female_professional',
      seed: 0,
      owner: 'a',
      requestId: 'r',
    } as const;
    const speech = gateway.open(order);
    async function* segments() {
      yield segmentOf('A sentence that is very much longer than a reader who has stopped reading will ever hold.');
    }
    return speech.speak(segments(), never)[Symbol.asyncIterator]();
  });
  await Promise.all(parked.map((events) => events.next()));
  await crowd(8);
  await until(() => pool.workers.every(({ busy }) => busy === 0));
  await sleep(1_500);
  for (const worker of pool.workers.slice(1)) expect(worker.idle).toBe(false);
  await Promise.all(parked.map((events) => events.return?.(undefined)));
  await until(() => pool.workers.length === 1);
});

it('starts one again that is killed while it starts', async () => {
  await open({ pace: 10, msPerChar: 50, startMs: 1_000 });
  const heard = crowd(8);
  await until(() => pool.workers.length > 1);
  await sleep(200);
  process.kill(engines().at(-1)!, 'SIGKILL');
  expect(new Set(await heard).size).toBe(1);
  await until(() => pool.workers.length === 1 || pool.restarts > 0);
});

it('ends those that are starting when it is closed', async () => {
  await open({ pace: 10, msPerChar: 50, startMs: 2_000 });
  const broken = crowd(8).catch((error: unknown) => error);
  await until(() => pool.workers.length > 1);
  crew.stop();
  await gateway.close();
  expect(await broken).toMatchObject({ code: 'shutting_down' });
  expect(pool.workers.every(({ state }) => state === 'closed')).toBe(true);
});

it('brings one more to a card while work waits, not a third, and lets it go again', async () => {
  // The engine's capacity is small, so that six listeners have more to do than it takes.
  await open({ card: { runMs: 20, most: 2, capacity: 4 }, msPerChar: 50 }, { mostNow: () => 2 });
  expect(gateway.stats.mostWorkers).toBe(2);
  await listen();
  expect(pool.workers.length).toBe(1);
  let [most, helped] = [0, false];
  pool.onChange(() => {
    most = Math.max(most, pool.workers.length);
    helped ||= (pool.workers[1]?.busy ?? 0) > 0;
  });
  // As long as it takes for the second to come and have a part of what waits.
  while (!helped) expect(new Set(await crowd(12))).toEqual(new Set([3 * 22 * 1_200]));
  expect(gateway.stats.mostWorkers).toBe(2);
  await until(() => pool.workers.length === 1);
  expect(most).toBe(2);
  expect(pool.workers[0]!.id).toBe('e1');
});

it('brings nobody where that would make nothing faster', async () => {
  await open({ pace: 10, msPerChar: 50 }, { mostNow: () => 1 });
  await crowd(6);
  expect(pool.workers.length).toBe(1);
  expect(gateway.stats.mostWorkers).toBe(1);
});
