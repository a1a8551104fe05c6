/** The order of steps: whose listener runs dry first, and how owners alternate. */
import { describe, expect, it } from 'vitest';
import { type Policy, Scheduler } from '../../src/gateway/scheduler.js';
import { type SegmentStream, SegmentTask } from '../../src/gateway/segment-task.js';
import type { Worker } from '../../src/gateway/workers/worker.js';
import { VirtualClock } from '../../testkit/virtual-clock.js';
import { jobOf } from '../support/books/jobs.js';

const NOW_MS = 1_000_000;

function task(deadlineMs: number, owner = 'a', whole = false, playing = true): SegmentTask {
  const stream: SegmentStream = {
    order: { model: 'base-tts', voice: 'someone', seed: 0, owner, requestId: 'r', whole },
    started: () => undefined,
    made: () => undefined,
    ran: () => undefined,
    revision: 0,
    playing,
    deadlineMs: () => NOW_MS + deadlineMs,
    changed: () => undefined,
    room: async () => undefined,
  };
  return new SegmentTask(jobOf(`due in ${deadlineMs}`), stream, new VirtualClock());
}
const workerWith = (...tasks: SegmentTask[]) =>
  ({ runnable: tasks.map(({ job }) => ({ id: job.id, steps: 0 })), takes: () => true }) as unknown as Worker;
const IDLE = workerWith();

function order(scheduler: Scheduler, tasks: readonly SegmentTask[]): number[] {
  for (const each of tasks) scheduler.add(each);
  return tasks.map(() => {
    const next = scheduler.round(NOW_MS).next(IDLE)!;
    scheduler.take(next);
    return tasks.indexOf(next);
  });
}

describe('the scheduler', () => {
  it('takes the earliest deadline, not the first arrival', () => {
    expect(order(new Scheduler(), [task(300), task(100), task(200)])).toEqual([1, 2, 0]);
  });

  it('continues a job of the worker that is due before what waits, and none of another worker', () => {
    const scheduler = new Scheduler();
    const [begun, elsewhere, waiting] = [task(100), task(50), task(200)];
    for (const each of [begun, elsewhere]) {
      scheduler.add(each);
      scheduler.take(each);
    }
    scheduler.add(waiting);
    expect(scheduler.round(NOW_MS).next(workerWith(begun))).toBe(begun);
    expect(scheduler.round(NOW_MS).next(IDLE)).toBe(waiting);
    scheduler.remove(waiting);
    expect(scheduler.round(NOW_MS).next(IDLE)).toBeUndefined();
    expect([scheduler.queued, scheduler.running]).toEqual([0, 2]);
  });

  it("alternates between owners where all are late: one's many do not delay another's one", () => {
    const many = Array.from({ length: 4 }, (_, i) => task(-1_000 + i, 'greedy'));
    expect(order(new Scheduler(), [...many, task(-10, 'modest')])).toEqual([0, 4, 1, 2, 3]);
  });

  it("alternates between owners that wait for first audio, late or not: one's fifty do not delay another's one", () => {
    const many = Array.from({ length: 50 }, (_, i) => task(i, 'greedy', false, false));
    const modest = [task(100, 'modest', false, false), task(101, 'modest', false, false)];
    const steps = order(new Scheduler(), [...many, ...modest]);
    expect(steps.slice(0, 4)).toEqual([0, 50, 1, 51]);
    const pressed = Array.from({ length: 3 }, (_, i) => task(500 + i, 'greedy'));
    expect(order(new Scheduler(), [...pressed, ...modest])).toEqual([0, 1, 2, 3, 4]);
  });

  it('goes by deadlines where an owner is in time', () => {
    const scheduler = new Scheduler();
    scheduler.take(task(0, 'a'));
    expect(order(scheduler, [task(500, 'b'), task(100, 'a')])).toEqual([1, 0]);
  });

  it('lets a playing stream with little in hand go before first audio, but for a tenth of the steps', () => {
    const first = (dueInMs: number) => task(dueInMs, 'a', false, false);
    expect(order(new Scheduler(), [first(-2_000), task(500), task(700)])).toEqual([1, 0, 2]);
    expect(order(new Scheduler(), [first(900), task(800), task(700)])).toEqual([2, 1, 0]);
    const slow = new Scheduler();
    slow.learnStep(1_000);
    expect(order(slow, [first(-2_000), task(1_500), task(1_700)])).toEqual([1, 0, 2]);
    const heard = Array.from({ length: 12 }, (_, i) => task(i));
    expect(order(new Scheduler(), [first(-3_000), ...heard]).indexOf(0)).toBe(5);
    expect(order(new Scheduler(), [first(-2_000), ...heard]).indexOf(0)).toBe(12);
  });

  it('sees that a deadline has changed', () => {
    const scheduler = new Scheduler();
    const [a, b] = [task(100), task(200)];
    scheduler.add(a);
    scheduler.add(b);
    expect(scheduler.round(NOW_MS).next(IDLE)).toBe(a);
    Object.assign(a.stream, { revision: 1, deadlineMs: () => NOW_MS + 300 });
    expect(scheduler.round(NOW_MS).next(IDLE)).toBe(b);
  });

  it('lets buffered responses fill what live streams leave, however late, and a tenth of the steps besides', () => {
    const whole = Array.from({ length: 3 }, (_, i) => task(-5_000 + i, 'a', true));
    expect(order(new Scheduler(), [whole[0]!, task(5_000), task(900)])).toEqual([0, 2, 1]);
    const scheduler = new Scheduler();
    scheduler.take(task(0));
    expect(order(scheduler, [whole[0]!, task(5_000), task(900)])).toEqual([2, 0, 1]);
    const live = Array.from({ length: 30 }, (_, i) => task(100 + i));
    const busy = new Scheduler();
    const steps = order(busy, [...whole, ...live]);
    expect(
      steps
        .slice(0, 21)
        .map((index, step) => (index < 3 ? step : -1))
        .filter((step) => step >= 0),
    ).toEqual([0, 10, 20]);
  });

  it('finds what is urgent among live streams alone, and leaves the rest where it is', () => {
    const scheduler = new Scheduler();
    const [buffered, inTime, first] = [task(-5_000, 'a', true), task(5_000), task(100, 'b', false, false)];
    for (const each of [buffered, inTime]) scheduler.add(each);
    const round = scheduler.round(NOW_MS);
    expect(round.next(IDLE, undefined, { urgent: true })).toBeUndefined();
    expect(round.next(IDLE)).toBe(buffered);
    scheduler.add(first);
    expect(scheduler.round(NOW_MS).next(IDLE, undefined, { urgent: true })).toBe(first);
  });

  it('names up to two live streams that have work, queued or running', () => {
    const scheduler = new Scheduler();
    const [one, other] = [task(100), task(200)];
    const more = new SegmentTask(jobOf('more'), one.stream, new VirtualClock());
    for (const each of [task(0, 'a', true), one, more, task(0, 'b', true)]) scheduler.add(each);
    scheduler.take(one);
    expect(scheduler.liveStreams).toEqual([one.stream]);
    scheduler.add(other);
    scheduler.take(other);
    expect(scheduler.liveStreams).toHaveLength(2);
    scheduler.remove(other);
    expect(scheduler.liveStreams).toEqual([one.stream]);
  });

  it('gives all cores to the only stream, or to a live one that waits for first audio among buffered ones', () => {
    const scheduler = new Scheduler();
    const [buffered, waiting, playing, other] = [
      task(0, 'a', true),
      task(100, 'b', false, false),
      task(100),
      task(200, 'c', false, false),
    ];
    scheduler.add(buffered);
    expect(scheduler.foremost).toBe(buffered.stream);
    scheduler.add(playing);
    expect(scheduler.foremost).toBeUndefined();
    scheduler.remove(playing);
    scheduler.add(waiting);
    expect(scheduler.foremost).toBe(waiting.stream);
    scheduler.add(other);
    expect(scheduler.foremost).toBeUndefined();
  });

  it('serves in order of arrival with the policy fifo', () => {
    const scheduler = new Scheduler('fifo' satisfies Policy);
    expect(order(scheduler, [task(300), task(100), task(200)])).toEqual([0, 1, 2]);
  });
});
