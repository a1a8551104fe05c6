/** The one place that uses a GPU: what it gathers, what it leaves out, and what becomes of those that wait when it is lost. */
import { describe, expect, it } from 'vitest';
import { Card } from '../../src/engine/card.js';
import { FREE } from '../../src/engine/engine.js';

interface Item {
  readonly name: string;
  readonly kind?: string;
  readonly size?: number;
}

/** A card whose runs end when they are told to. */
function handCard(most = 3, ahead = 1) {
  const runs: string[][] = [];
  const ends: (() => void)[] = [];
  const lost: unknown[] = [];
  const card = new Card<Item, string>({
    kindOf: ({ kind = 'one' }) => kind,
    sizeOf: ({ size = 1 }) => size,
    mostOf: () => most,
    ahead,
    async run(_kind, items) {
      runs.push(items.map(({ name }) => name));
      await new Promise<void>((resolve) => ends.push(resolve));
      if (items.some(({ name }) => name === 'poison')) throw new Error('device lost');
      return items.map(({ name }) => name.toUpperCase());
    },
    onLost: (error) => lost.push(error),
  });
  const started = async (count: number) => {
    while (runs.length < count) await new Promise((resolve) => setImmediate(resolve));
  };
  return { card, runs, ends, lost, started };
}

describe('a card', () => {
  it('runs a lone item at once, and what came meanwhile together', async () => {
    const { card, runs, ends, started } = handCard();
    const first = card.run({ name: 'a' }, FREE);
    await started(1);
    const rest = ['b', 'c', 'd', 'e'].map((name) => card.run({ name }, FREE));
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
    const { card, runs, ends, started } = handCard(4);
    const hold = card.run({ name: 'hold' }, FREE);
    await started(1);
    const small = card.run({ name: 'small', kind: 'x' }, FREE);
    const other = card.run({ name: 'other', kind: 'y' }, FREE);
    const large = card.run({ name: 'large', kind: 'x', size: 3 }, FREE);
    const more = card.run({ name: 'more', kind: 'x' }, FREE);
    for (let i = 0; i < 4; i++) {
      await started(i + 1);
      ends[i]!();
    }
    const [a, , c] = await Promise.all([small, other, large, more, hold]);
    expect(runs.slice(1)).toEqual([['small', 'large'], ['other'], ['more']]);
    expect(c.shareMs).toBeCloseTo(3 * a.shareMs, 6);
  });

  it('takes what is due soonest first, whenever it came, and fills its run in that order', async () => {
    const { card, runs, ends, started } = handCard(2);
    const all = [card.run({ name: 'hold' }, FREE)];
    await started(1);
    const waiting = { bulk: Number.MAX_SAFE_INTEGER, later: 900, other: 500, live: 100, too: 100 };
    for (const [name, dueMs] of Object.entries(waiting)) {
      all.push(card.run({ name, ...(name === 'other' && { kind: 'y' }) }, { ...FREE, dueMs }));
    }
    for (let i = 0; i < 4; i++) {
      await started(i + 1);
      ends[i]!();
    }
    await Promise.all(all);
    expect(runs).toEqual([['hold'], ['live', 'too'], ['other'], ['later', 'bulk']]);
  });

  it('runs nothing that was cancelled before its run, and does not wait for it', async () => {
    const { card, runs, ends, started } = handCard();
    const first = card.run({ name: 'a' }, FREE);
    await started(1);
    const abort = new AbortController();
    const gone = card.run({ name: 'gone' }, { ...FREE, signal: abort.signal });
    const stays = card.run({ name: 'stays' }, FREE);
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
    const { card, runs, ends, lost, started } = handCard(1);
    const poison = card.run({ name: 'poison' }, FREE);
    const behind = card.run({ name: 'behind' }, FREE);
    const failed = Promise.allSettled([poison, behind]);
    await started(1);
    ends[0]!();
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(card.run({ name: 'later' }, FREE)).rejects.toThrow('device lost');
    expect(lost).toHaveLength(1);
    expect(runs).toEqual([['poison']]);
  });

  it('hands the next run over while one is made, where it may', async () => {
    const { card, runs, ends, started } = handCard(1, 2);
    const all = Promise.all(['a', 'b', 'c'].map((name) => card.run({ name }, FREE)));
    await started(2);
    expect(runs).toEqual([['a'], ['b']]);
    for (let i = 0; i < 3; i++) {
      await started(i + 1);
      ends[i]!();
    }
    await all;
  });
});
