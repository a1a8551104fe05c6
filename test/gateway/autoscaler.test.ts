/** Workers that start while work waits and stop when idle: in memory, and as engine processes. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../src/clock.js';
import { createSineEngine, type SineOptions } from '../../src/engine/sine.js';
import { createGateway } from '../../src/gateway/gateway.js';
import type { ObservableGateway } from '../../src/gateway/types.js';
import { Autoscaler, type AutoscalerOptions } from '../../src/gateway/workers/autoscaler.js';
import { WorkerPool } from '../../src/gateway/workers/pool.js';
import { createProcessWorker } from '../../src/gateway/workers/process-worker.js';
import { silentLogger } from '../../src/log.js';
import { loadCatalogue } from '../../src/models/catalogue.js';
import { createEngineWorker } from '../../testkit/engine-worker.js';
import { VirtualClock } from '../../testkit/virtual-clock.js';
import { until } from '../support/books/jobs.js';
import { hear, orderOf, segmentsOf } from '../support/orders.js';

const never = new AbortController().signal;
const log = silentLogger();
const SENTENCE = 'A sentence of some length.';
/** Bytes of three sentences with 50 ms a character. */
const HEARD = 2 * 3 * 22 * 1_200;
let autoscaler: Autoscaler;
let pool: WorkerPool;
let gateway: ObservableGateway;

afterEach(async () => {
  autoscaler.stop();
  await gateway.close();
});

type Options = Partial<AutoscalerOptions> & Pick<AutoscalerOptions, 'startWorker'>;

function open(clock: Clock, options: Options): void {
  pool = new WorkerPool([], clock);
  const limits = () => ({ least: 1, most: 3 });
  autoscaler = new Autoscaler({ pool, clock, limits, maxStarting: 2, idleMs: 60_000, log, ...options });
  gateway = createGateway({ pool, clock, catalogue: loadCatalogue(), log, queueLimit: 100, lookahead: 3, autoscaler });
  autoscaler.start();
}

/** Speaks three sentences; resolves with the bytes heard. */
const listen = async (): Promise<number> => (await hear(gateway, orderOf(), [SENTENCE, SENTENCE, SENTENCE])).length;

const crowd = (size: number): Promise<number[]> => Promise.all(Array.from({ length: size }, listen));

describe('the autoscaler', () => {
  let clock: VirtualClock;

  /** Workers in memory, which are ready after a second but for the first. */
  async function openVirtual(sine: SineOptions, more: Partial<AutoscalerOptions> = {}): Promise<void> {
    clock = new VirtualClock();
    const engine = await createSineEngine({ msPerChar: 50, ...sine }, { clock });
    const startWorker = (number: number) => {
      const state = number === 1 ? 'ready' : 'starting';
      const worker = createEngineWorker(engine, { id: `e${number}`, clock, capacity: 2, state });
      if (state === 'starting') clock.setTimeout(() => worker.state === 'starting' && worker.setState('ready'), 1_000);
      return worker;
    };
    open(clock, { startWorker, ...more });
  }

  it('leaves a single listener one worker, starts more under load, and stops them after the idle time', async () => {
    await openVirtual({ pace: 2 });
    expect(gateway.stats).toMatchObject({ workers: { ready: 1 }, mostWorkers: 3 });
    expect(await clock.runUntil(listen())).toBe(HEARD);
    expect(pool.workers.length).toBe(1);
    const heard = crowd(8);
    await clock.runUntil(() => pool.workers.length === 3);
    expect(pool.counts).toMatchObject({ ready: 1, starting: 2 });
    expect(gateway.stats.mostWorkers).toBe(3);
    expect(new Set(await clock.runUntil(heard))).toEqual(new Set([HEARD]));
    await clock.advance(59_000);
    expect(pool.workers.length).toBe(3);
    await clock.advance(60_000);
    expect(pool.workers.map(({ id }) => id)).toEqual(['e1']);
    expect(await clock.runUntil(listen())).toBe(HEARD);
  });

  it('starts no more at once than a start takes cores, and none beyond the limit of the device in use', async () => {
    await openVirtual({ pace: 2 }, { limits: () => ({ least: 1, most: 4 }) });
    expect(autoscaler.spare).toBe(3);
    let most = 0;
    pool.onChange(() => {
      most = Math.max(most, pool.counts.starting);
    });
    await clock.runUntil(crowd(12));
    expect(most).toBe(2);
    expect([pool.workers.length, autoscaler.spare]).toEqual([4, 0]);
  });

  it('keeps workers with a job, also while its listener has stopped reading', async () => {
    await openVirtual({ msPerChar: 200 });
    const text = 'A sentence that is very much longer than a reader who has stopped reading will ever hold.';
    const parked = Array.from({ length: 6 }, () =>
      gateway.open(orderOf()).speak(segmentsOf(text), never)[Symbol.asyncIterator](),
    );
    await clock.runUntil(Promise.all(parked.map((events) => events.next())));
    await clock.runUntil(crowd(8));
    await clock.advance(300_000);
    expect(pool.workers.every(({ busy }) => busy === 0)).toBe(true);
    for (const worker of pool.workers.slice(1)) expect(worker.idle).toBe(false);
    await Promise.all(parked.map((events) => events.return?.(undefined)));
    await clock.advance(120_000);
    expect(pool.workers.length).toBe(1);
  });

  it('starts nothing where more workers make nothing faster, nor once it is stopped', async () => {
    await openVirtual({ pace: 2 }, { limits: () => ({ least: 1, most: 1 }) });
    await clock.runUntil(crowd(6));
    expect([pool.workers.length, gateway.stats.mostWorkers]).toEqual([1, 1]);
    await openVirtual({ pace: 2 });
    autoscaler.stop();
    await clock.runUntil(crowd(6));
    expect(pool.workers.length).toBe(1);
  });
});

describe('engine processes', () => {
  /** The engine processes of this process, including those that are starting. */
  function engines(): number[] {
    const children = readdirSync('/proc/self/task').flatMap((thread) =>
      readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
    return children.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('bundle/engine.js'));
  }

  async function openProcesses(startMs: number): Promise<void> {
    const options = { engine: 'sine', sine: { pace: 10, msPerChar: 50, startMs } } as const;
    open(systemClock, {
      startWorker: (number) => createProcessWorker({ id: `e${number}`, options, log, backoffMs: 20 }),
      idleMs: 400,
    });
    await until(() => pool.state === 'ready');
  }

  it('are started again when they are killed while they start, and stop when idle', async () => {
    await openProcesses(1_000);
    const heard = crowd(8);
    await until(() => engines().length > 1);
    process.kill(engines().at(-1)!, 'SIGKILL');
    expect(new Set(await heard)).toEqual(new Set([HEARD]));
    await until(() => pool.workers.length === 1 && engines().length === 1);
  });

  it('end with the gateway, also while they start', async () => {
    await openProcesses(2_000);
    const broken = crowd(8).catch((error: unknown) => error);
    await until(() => pool.workers.length > 1);
    autoscaler.stop();
    await gateway.close();
    expect(await broken).toMatchObject({ code: 'shutting_down' });
    expect(pool.workers.every(({ state }) => state === 'closed')).toBe(true);
    expect(engines()).toEqual([]);
  });
});
