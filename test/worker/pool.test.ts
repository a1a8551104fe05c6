/** Which worker takes the next segment. */
import { afterEach, expect, it } from 'vitest';
import { WorkerPool } from '../../src/gateway/workers/pool.js';
import { createProcessWorker } from '../../src/gateway/workers/process-worker.js';
import { type Worker, WorkerLost } from '../../src/gateway/workers/worker.js';
import { silentLogger } from '../../src/log.js';
import { failureOf, grantAll, jobOf, until } from '../support/books/jobs.js';

let pool: WorkerPool;
afterEach(() => pool.close());

const ready = async (workers: number) => {
  const options = { engine: 'sine', sine: { pace: 1 } } as const;
  const made = Array.from({ length: workers }, (_, i) =>
    createProcessWorker({ id: `w${i}`, options, log: silentLogger(), capacity: 2 }),
  );
  pool = new WorkerPool(made);
  pool.onChange(() => made.forEach(grantAll));
  await new Promise<void>((resolve) => {
    const look = () => made.every((worker) => worker.state === 'ready') && resolve();
    pool.onChange(look);
    look();
  });
  return pool;
};

const job = (worker: Worker) => {
  const abort = new AbortController();
  const spoken = failureOf(() => worker.run(jobOf('A sentence of some length, read slowly.'), abort.signal));
  return async () => {
    abort.abort();
    await spoken;
  };
};

it('names the least busy worker, of equals the first, then none, and calls back when one has room', async () => {
  const { capacity } = await ready(2);
  expect(capacity).toBe(4);
  const names: string[] = [];
  const stops: (() => Promise<void>)[] = [];
  for (let worker = pool.next(); worker; worker = pool.next()) {
    names.push(worker.id);
    stops.push(job(worker));
  }
  expect(names).toEqual(['w0', 'w1', 'w0', 'w1']);
  let calls = 0;
  pool.onChange(() => {
    calls += 1;
  });
  await stops[1]!();
  await until(() => calls > 0 && pool.workers[1]!.busy === 1);
  expect(pool.next()!.id).toBe('w1');
  await Promise.all(stops.map((stop) => stop()));
  await until(() => pool.workers.every(({ busy }) => busy === 0));
  expect([1, 2, 3, 4].map(() => pool.next()!.id)).toEqual(['w0', 'w0', 'w0', 'w0']);
});

it('gives no work to a worker that is gone', async () => {
  await ready(2);
  await pool.workers[0]!.close();
  expect(pool.state).toBe('ready');
  expect(pool.next()!.id).toBe('w1');
  await pool.workers[1]!.close();
  expect(pool.state).toBe('closed');
  expect(pool.next()).toBeUndefined();
});

it('forgets a worker that is taken out, and closes it with its jobs', async () => {
  await ready(2);
  const [going, staying] = pool.workers as [Worker, Worker];
  const lost = failureOf(() =>
    going.run(jobOf('A sentence of some length, read slowly.'), new AbortController().signal),
  );
  await pool.remove(going);
  expect(await lost).toBeInstanceOf(WorkerLost);
  expect(going.state).toBe('closed');
  expect(pool.workers).toEqual([staying]);
  expect(pool.counts).toMatchObject({ ready: 1, closed: 0 });
  expect([1, 2].map(() => pool.next()!.id)).toEqual(['w1', 'w1']);
  await pool.remove(going);
  expect(pool.workers).toEqual([staying]);
});
