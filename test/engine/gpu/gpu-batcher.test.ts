/**
 * The GPU batcher: what it puts into a run, what it leaves out, and what fails when the GPU is
 * lost.
 */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { UNSCHEDULED } from '../../../src/engine/engine.js';
import { GpuBatcher } from '../../../src/engine/gpu/gpu-batcher.js';

interface Item {
  readonly name: string;
  readonly kind?: string;
  readonly size?: number;
}

/** A GPU whose runs end when they are told to, `wayMs` away. */
function manualGpu(most = 3, ahead = 1, wayMs = 0) {
  let freeMs = 0;
  const runs: string[][] = [];
  const ends: (() => void)[] = [];
  const lost: unknown[] = [];
  const gpu = new GpuBatcher<Item, string>({
    kindOf: ({ kind = 'one' }) => kind,
    sizeOf: ({ size = 1 }) => size,
    mostOf: () => most,
    ahead,
    async run(_kind, items) {
      runs.push(items.map(({ name }) => name));
      const handedMs = performance.now();
      await new Promise<void>((resolve) => ends.push(resolve));
      if (items.some(({ name }) => name === 'poison')) throw new Error('device lost');
      // The device has one run at a time, and each a way to it.
      const beganMs = Math.max(freeMs, handedMs + wayMs);
      freeMs = performance.now();
      const results = items.map(({ name }) => name.toUpperCase());
      return { results, beganMs: performance.timeOrigin + beganMs, deviceMs: freeMs - beganMs };
    },
    onLost: (error) => lost.push(error),
  });
  const started = async (count: number) => {
    while (runs.length < count) await new Promise((resolve) => setImmediate(resolve));
  };
  return { gpu, runs, ends, lost, started };
}

describe('the GPU batcher', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('runs a lone item at once, and what came meanwhile together', async () => {
    const { gpu, runs, ends, started } = manualGpu();
    const first = gpu.run({ name: 'a' }, UNSCHEDULED);
    await started(1);
    const rest = ['b', 'c', 'd', 'e'].map((name) => gpu.run({ name }, UNSCHEDULED));
    ends[0]!();
    expect((await first).result).toBe('A');
    await started(2);
    expect(runs).toEqual([['a'], ['b', 'c', 'd']]);
    ends[1]!();
    await started(3);
    ends[2]!();
    expect((await Promise.all(rest)).map(({ result }) => result)).toEqual(['B', 'C', 'D', 'E']);
    expect(runs[2]).toEqual(['e']);
  });

  it('puts only what is of one kind into a run, and shares out the time by size', async () => {
    const { gpu, runs, ends, started } = manualGpu(4);
    const hold = gpu.run({ name: 'hold' }, UNSCHEDULED);
    await started(1);
    const small = gpu.run({ name: 'small', kind: 'x' }, UNSCHEDULED);
    const other = gpu.run({ name: 'other', kind: 'y' }, UNSCHEDULED);
    const large = gpu.run({ name: 'large', kind: 'x', size: 3 }, UNSCHEDULED);
    const more = gpu.run({ name: 'more', kind: 'x' }, UNSCHEDULED);
    for (let i = 0; i < 4; i++) {
      await started(i + 1);
      ends[i]!();
    }
    const [a, , c] = await Promise.all([small, other, large, more, hold]);
    expect(runs.slice(1)).toEqual([['small', 'large'], ['other'], ['more']]);
    expect(c.shareMs).toBeCloseTo(3 * a.shareMs, 6);
  });

  it('takes what is due soonest first, whenever it came, and fills its run in that order', async () => {
    const { gpu, runs, ends, started } = manualGpu(2);
    const all = [gpu.run({ name: 'hold' }, UNSCHEDULED)];
    await started(1);
    const waiting = { bulk: Number.MAX_SAFE_INTEGER, later: 900, other: 500, live: 100, too: 100 };
    for (const [name, dueMs] of Object.entries(waiting)) {
      all.push(gpu.run({ name, ...(name === 'other' && { kind: 'y' }) }, { ...UNSCHEDULED, dueMs }));
    }
    for (let i = 0; i < 4; i++) {
      await started(i + 1);
      ends[i]!();
    }
    await Promise.all(all);
    expect(runs).toEqual([['hold'], ['live', 'too'], ['other'], ['later', 'bulk']]);
  });

  it('runs nothing that was cancelled before its run, and does not wait for it', async () => {
    const { gpu, runs, ends, started } = manualGpu();
    const first = gpu.run({ name: 'a' }, UNSCHEDULED);
    await started(1);
    const abort = new AbortController();
    const gone = gpu.run({ name: 'gone' }, { ...UNSCHEDULED, signal: abort.signal });
    const stays = gpu.run({ name: 'stays' }, UNSCHEDULED);
    const left = expect(gone).rejects.toThrow('nobody listens');
    abort.abort(new Error('nobody listens'));
    ends[0]!();
    await first;
    await started(2);
    await left;
    ends[1]!();
    await stays;
    expect(runs).toEqual([['a'], ['stays']]);
  });

  it('fails everything when the device is lost, says so once, and runs nothing more', async () => {
    const { gpu, runs, ends, lost, started } = manualGpu(1);
    const poison = gpu.run({ name: 'poison' }, UNSCHEDULED);
    const behind = gpu.run({ name: 'behind' }, UNSCHEDULED);
    const failed = Promise.allSettled([poison, behind]);
    await started(1);
    ends[0]!();
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(gpu.run({ name: 'later' }, UNSCHEDULED)).rejects.toThrow('device lost');
    expect(lost).toHaveLength(1);
    expect(runs).toEqual([['poison']]);
  });

  it('hands the next run over while one is made, where it may', async () => {
    const { gpu, runs, ends, started } = manualGpu(1, 2);
    const all = Promise.all(['a', 'b', 'c'].map((name) => gpu.run({ name }, UNSCHEDULED)));
    await started(2);
    expect(runs).toEqual([['a'], ['b']]);
    for (let i = 0; i < 3; i++) {
      await started(i + 1);
      ends[i]!();
    }
    await all;
  });

  it('hands the next run over twice its way to the device before one ends, and what is due soon comes behind one run', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    const { gpu, runs, ends, started } = manualGpu(1, 2, 50);
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(1_000);
    const all = [gpu.run({ name: 'known' }, UNSCHEDULED)];
    await started(1);
    // A tenth of 50 ms is learnt of its way, and that it takes 100 ms there.
    vi.advanceTimersByTime(150);
    ends[0]!();
    await Promise.all(all);
    for (const name of ['a', 'later']) all.push(gpu.run({ name }, { ...UNSCHEDULED, dueMs: 9_000 }));
    await started(2);
    vi.advanceTimersByTime(89);
    await turn();
    all.push(gpu.run({ name: 'soon' }, { ...UNSCHEDULED, dueMs: 100 }));
    await turn();
    expect(runs).toEqual([['known'], ['a']]);
    vi.advanceTimersByTime(1);
    await turn();
    expect(runs).toEqual([['known'], ['a'], ['soon']]);
    vi.advanceTimersByTime(60);
    ends[1]!();
    await turn();
    await turn();
    expect(runs).toHaveLength(3);
    // One that ends before its time is followed at once.
    ends[2]!();
    await started(4);
    ends[3]!();
    await Promise.all(all);
    expect(runs[3]).toEqual(['later']);
  });
});

describe('what an item costs', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  /**
   * Makes runs of `sizes`, each of which takes its milliseconds, and says what a size of each cost.
   */
  async function pricesOf(runs: readonly (readonly [size: number, runMs: number])[], shared = true): Promise<number[]> {
    vi.useFakeTimers({ toFake: ['performance'] });
    let runMs = 0;
    const gpu = new GpuBatcher<number, number>({
      kindOf: () => 'one',
      sizeOf: (size) => size,
      mostOf: () => 8,
      async run(_kind, items) {
        vi.advanceTimersByTime(runMs);
        return { results: items, beganMs: performance.timeOrigin + performance.now() - runMs, deviceMs: runMs };
      },
      onLost: () => undefined,
      isShared: () => shared,
    });
    const prices: number[] = [];
    for (const [size, takesMs] of runs) {
      runMs = takesMs;
      const { shareMs } = await gpu.run(size, UNSCHEDULED);
      prices.push(Math.round((shareMs / size) * 1_000) / 1_000);
    }
    return prices;
  }

  it('is its part of a full run, however empty its own was', async () => {
    const [full, lone, few] = await pricesOf([
      [8, 40],
      [1, 20],
      [2, 22],
    ]);
    expect(full).toBe(5);
    expect(lone).toBe(5);
    expect(few).toBe(5);
  });

  it('is never more than it took, and the whole of a run before there was a full one', async () => {
    expect(
      await pricesOf([
        [1, 20],
        [2, 22],
        [1, 30],
        [1, 3],
      ]),
    ).toEqual([20, 11, 11, 3]);
  });

  it('follows full runs by tenths, slower ones as well, and is not moved by lone ones that are', async () => {
    expect(
      await pricesOf([
        [8, 40],
        [4, 40],
        [1, 40],
        [8, 40],
      ]),
    ).toEqual([5, 5.5, 5.5, 5.45]);
  });

  it('is what its run took where runs are not shared', async () => {
    expect(
      await pricesOf(
        [
          [8, 40],
          [1, 20],
        ],
        false,
      ),
    ).toEqual([5, 20]);
  });
});
