/** Who has the only stream: a worker with all cores, unless another machine is faster. */
import { expect, it } from 'vitest';
import { Dispatcher } from '../../src/gateway/dispatcher.js';
import { Scheduler } from '../../src/gateway/scheduler.js';
import { type SegmentStream, SegmentTask } from '../../src/gateway/segment-task.js';
import { Placement } from '../../src/gateway/workers/placement.js';
import { WorkerPool } from '../../src/gateway/workers/pool.js';
import type { Worker } from '../../src/gateway/workers/worker.js';
import { VirtualClock } from '../../testkit/virtual-clock.js';
import { jobOf } from '../support/books/jobs.js';

const idle = (id: string, more: Partial<Worker> = {}): Worker =>
  ({
    id,
    state: 'ready',
    capacity: 2,
    busy: 0,
    background: 0,
    others: 0,
    idle: true,
    runnable: [],
    version: 'one',
    takes: () => true,
    onChange: () => () => undefined,
    ...more,
  }) as unknown as Worker;

/** Which worker begins the only segment there is, and whether with all cores. */
async function begins(allCores: Worker, other: Worker): Promise<readonly [string, boolean] | undefined> {
  const clock = new VirtualClock();
  const [pool, scheduler, placement] = [
    new WorkerPool([allCores, other], clock),
    new Scheduler(),
    new Placement(clock),
  ];
  // Measured while all of the machine's cores were busy: four times as slow as the other.
  placement.learn(allCores, 'base-tts', { runMs: 400, samples: 24_000 });
  placement.learn(other, 'base-tts', { runMs: 100, samples: 24_000 });
  const stream: SegmentStream = {
    order: { model: 'base-tts', voice: 'someone', seed: 0, owner: 'a', requestId: 'r', whole: false },
    started: () => undefined,
    made: () => undefined,
    ran: () => undefined,
    revision: 0,
    playing: false,
    deadlineMs: () => clock.now() + 100,
    changed: () => undefined,
    room: async () => undefined,
  };
  scheduler.add(new SegmentTask(jobOf('The only one.'), stream, clock));
  let begun: readonly [string, boolean] | undefined;
  const dispatcher = new Dispatcher({
    pool,
    scheduler,
    placement,
    clock,
    autoscaler: undefined,
    models: new Set(),
    start: (_task, worker, multiThreaded) => {
      begun = [worker.id, multiThreaded];
    },
    onDispatched: () => undefined,
  });
  dispatcher.soon();
  await new Promise((resolve) => setTimeout(resolve, 20));
  return begun;
}
const all = (more: Partial<Worker> = {}) => idle('all cores', { setMultiThreaded: () => undefined, ...more });

it('gives it to the worker with all cores at once, though one of a core was faster under load', async () => {
  expect(await begins(all(), idle('a core'))).toEqual(['all cores', true]);
});

it('gives it to another machine that is faster', async () => {
  expect(await begins(all(), idle('elsewhere', { roundTripMs: 1 }))).toEqual(['elsewhere', false]);
});

it('gives it to who can speak it', async () => {
  expect(await begins(all({ takes: () => false }), idle('a core'))).toEqual(['a core', false]);
});
