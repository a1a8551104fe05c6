/** Where a segment is done soonest: not on a slow idle worker while a fast one is nearly done. */
import { describe, expect, it } from 'vitest';
import { Placement } from '../../src/gateway/workers/placement.js';
import type { Worker } from '../../src/gateway/workers/worker.js';
import { VirtualClock } from '../../testkit/virtual-clock.js';

const worker = (busy = 0, more: Partial<Worker> = {}) =>
  ({ busy, others: 0, state: 'ready', ...more }) as Worker & { busy: number };
/** A second of speech in so many milliseconds. */
const spoke = (placement: Placement, who: Worker, runMs: number) =>
  placement.learn(who, 'base-tts', { runMs, samples: 24_000 });

describe('placement', () => {
  it('treats workers as equal that differ by little, and those that were never measured', () => {
    const placement = new Placement(new VirtualClock());
    const all = [worker(), worker(), worker()];
    spoke(placement, all[0]!, 100);
    spoke(placement, all[1]!, 130);
    for (const each of all) expect(placement.isSoonest(each, all, 5)).toBe(true);
  });

  it('keeps a segment for a busy fast worker as long as that finishes it sooner', () => {
    const placement = new Placement(new VirtualClock());
    const [fast, slow] = [worker(2), worker(0)];
    spoke(placement, fast, 100);
    spoke(placement, slow, 800);
    // Two before it and itself, at an eighth of what it would take here.
    expect(placement.isSoonest(slow, [fast, slow], 1)).toBe(false);
    expect(placement.isSoonest(fast, [fast, slow], 1)).toBe(true);
    // With so many waiting for the fast one, the slow one is sooner.
    expect(placement.isSoonest(slow, [fast, slow], 8)).toBe(true);
    expect(placement.isSoonest(slow, [worker(0, { state: 'dead' }), slow], 1)).toBe(true);
  });

  it('gives a segment to a slow worker that is the only one who can speak it', () => {
    const placement = new Placement(new VirtualClock());
    const [fast, slow] = [worker(0), worker(0)];
    spoke(placement, fast, 100);
    spoke(placement, slow, 800);
    expect(placement.isSoonest(slow, [fast, slow], 1)).toBe(false);
    expect(placement.isSoonest(slow, [fast, slow], 1, (other) => other === slow)).toBe(true);
  });

  it('counts what other gateways have in a worker', () => {
    const placement = new Placement(new VirtualClock());
    const [fast, slow] = [worker(0, { others: 9 }), worker(0)];
    spoke(placement, fast, 100);
    spoke(placement, slow, 800);
    expect(placement.isSoonest(slow, [fast, slow], 1)).toBe(true);
  });

  it('forgets a measurement after a minute, so that a slow worker is tried again', () => {
    const clock = new VirtualClock();
    const placement = new Placement(clock);
    const [fast, slow] = [worker(1), worker(0)];
    spoke(placement, fast, 100);
    spoke(placement, slow, 800);
    expect(placement.isFastest(slow, [fast, slow])).toBe(false);
    clock.skip(60_001);
    expect(placement.isFastest(slow, [fast, slow])).toBe(true);
  });
});
