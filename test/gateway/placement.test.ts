/** Where a segment is done soonest: not on a slow worker that is free while a fast one is nearly through. */
import { describe, expect, it } from 'vitest';
import { Placement } from '../../src/gateway/workers/placement.js';
import type { Worker } from '../../src/gateway/workers/worker.js';

const worker = (busy = 0, more: Partial<Worker> = {}) =>
  ({ busy, others: 0, state: 'ready', ...more }) as Worker & { busy: number };
/** A second of speech in so many milliseconds. */
const spoke = (placement: Placement, who: Worker, runMs: number) =>
  placement.learn(who, 'base-tts', { runMs, samples: 24_000 });

describe('placement', () => {
  it('takes workers for equal that differ by little, and those of which nothing is known', () => {
    const placement = new Placement();
    const all = [worker(), worker(), worker()];
    spoke(placement, all[0]!, 100);
    spoke(placement, all[1]!, 130);
    for (const each of all) expect(placement.isSoonest(each, all, 5)).toBe(true);
  });

  it('keeps a segment for a fast worker as long as that is through with it sooner, and no longer', () => {
    const placement = new Placement();
    const [fast, slow] = [worker(2), worker(0)];
    spoke(placement, fast, 100);
    spoke(placement, slow, 800);
    // Two before it and itself, at an eighth of what it would take here.
    expect(placement.isSoonest(slow, [fast, slow], 1)).toBe(false);
    expect(placement.isSoonest(fast, [fast, slow], 1)).toBe(true);
    // So many wait for the fast one that the slow one is no loss.
    expect(placement.isSoonest(slow, [fast, slow], 8)).toBe(true);
    expect(placement.isSoonest(slow, [worker(0, { state: 'dead' }), slow], 1)).toBe(true);
  });

  it('gives a segment to a slow worker that is the only one who can speak it', () => {
    const placement = new Placement();
    const [fast, slow] = [worker(0), worker(0)];
    spoke(placement, fast, 100);
    spoke(placement, slow, 800);
    expect(placement.isSoonest(slow, [fast, slow], 1)).toBe(false);
    expect(placement.isSoonest(slow, [fast, slow], 1, (other) => other === slow)).toBe(true);
  });

  it('counts what other gateways have in a worker', () => {
    const placement = new Placement();
    const [fast, slow] = [worker(0, { others: 9 }), worker(0)];
    spoke(placement, fast, 100);
    spoke(placement, slow, 800);
    expect(placement.isSoonest(slow, [fast, slow], 1)).toBe(true);
  });
});
