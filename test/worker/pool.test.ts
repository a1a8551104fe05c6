/** Which worker takes the next segment. */
import { afterEach, expect, it } from 'vitest';
import { createPool, type WorkerPool } from '../../src/gateway/pool.js';
import { createProcessWorker } from '../../src/gateway/process-worker.js';
import { silentLogger } from '../../src/log.js';

let pool: WorkerPool;
afterEach(() => pool.close());

const ready = async (workers: number) => {
  const options = { engine: 'sine', sine: {} } as const;
  const made = Array.from({ length: workers }, (_, i) =>
    createProcessWorker({ id: `w${i}`, options, log: silentLogger(), capacity: 2 }),
  );
  pool = createPool(made);
  await new Promise<void>((resolve) => {
    const look = () => made.every((worker) => worker.state === 'ready') && resolve();
    pool.onChange(look);
    look();
  });
  return pool;
};

it('hands out the least busy worker, then none, and calls when a place is free again', async () => {
  const { capacity } = await ready(2);
  expect(capacity).toBe(4);
  const leases = [1, 2, 3, 4].map(() => pool.acquire()!);
  expect(leases.map(({ worker }) => worker.id)).toEqual(['w0', 'w1', 'w0', 'w1']);
  expect(pool.acquire()).toBeUndefined();
  let calls = 0;
  const stop = pool.onChange(() => {
    calls += 1;
  });
  leases[1]!.release();
  leases[1]!.release();
  stop();
  expect(calls).toBe(1);
  expect(pool.busy).toBe(3);
  expect(pool.acquire()!.worker.id).toBe('w1');
});

it('gives no work to a worker that is gone', async () => {
  await ready(2);
  await pool.workers[0]!.close();
  expect(pool.state).toBe('ready');
  expect(pool.acquire()!.worker.id).toBe('w1');
  await pool.workers[1]!.close();
  expect(pool.state).toBe('closed');
  expect(pool.acquire()).toBeUndefined();
});
