/** What a segment reports of its cost. */
import { expect, it } from 'vitest';
import { type SegmentStream, SegmentTask } from '../../src/gateway/segment-task.js';
import type { Worker, WorkerEvent } from '../../src/gateway/workers/worker.js';
import { VirtualClock } from '../../testkit/virtual-clock.js';
import { jobOf } from '../support/books/jobs.js';

it('counts engine time needed before the first sample, without what went into early audio', async () => {
  const events: WorkerEvent[] = [
    { type: 'ran', runMs: 100, earlyMs: 0 },
    { type: 'ran', runMs: 400, earlyMs: 320 },
    { type: 'audio', pcm: new Int16Array(24_000) },
    { type: 'ran', runMs: 200, earlyMs: 50 },
    { type: 'audio', pcm: new Int16Array(24_000) },
  ];
  const stream: Partial<SegmentStream> = {
    order: { model: 'base-tts-fast', voice: '', seed: 0, owner: 'a', requestId: 'r' },
    revision: 0,
    deadlineMs: () => 0,
    made: () => undefined,
    ran: () => undefined,
    started: () => undefined,
    changed: () => undefined,
    room: async () => undefined,
  };
  const worker: Partial<Worker> = {
    version: '1',
    async *run() {
      yield* events;
    },
  };
  const task = new SegmentTask(jobOf('A text.'), stream as SegmentStream, new VirtualClock());
  await task.run(worker as Worker, { retries: 0 });
  expect(task.state).toBe('done');
  expect(task.leadMs).toBe(180);
  expect(task.runMs).toBe(700);
});
