/** The one place that uses a GPU: what waits is gathered into one run, and no run waits to be fuller. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Due, insertByDue } from './due-order.js';
import type { Grant } from './engine.js';

export interface CardOptions<Item, Result> {
  /** What may share a run has the same. */
  readonly kindOf: (item: Item) => string;
  readonly sizeOf: (item: Item) => number;
  /** A run takes what waits, what is due soonest first, until it is this large; one item in any case. */
  readonly mostOf: (kind: string) => number;
  /** Makes one run. Throws only where the device is lost: nothing is run any more then. */
  readonly run: (kind: string, items: readonly Item[]) => Promise<readonly Result[]>;
  readonly onLost: (error: unknown) => void;
  /** Runs that may be handed over at once: with 2, the next lies ready when one ends. They are still made one after the other. */
  readonly ahead?: number;
}

export interface Made<Result> {
  readonly result: Result;
  /** Its part of the run's time. */
  readonly shareMs: number;
}

interface Waiting<Item, Result> extends Due {
  readonly item: Item;
  readonly signal: AbortSignal;
  readonly done: (made: Made<Result>) => void;
  readonly failed: (reason: unknown) => void;
}

export class Card<Item, Result> {
  readonly #options: CardOptions<Item, Result>;
  /** By when they are due. */
  #waiting: Waiting<Item, Result>[] = [];
  #running = 0;
  #lost: unknown;
  #lastEndMs = 0;

  constructor(options: CardOptions<Item, Result>) {
    this.#options = options;
  }

  /** Resolves when the item was run. One that is aborted before its run is never part of one. */
  run(item: Item, { dueMs, signal }: Pick<Grant, 'dueMs' | 'signal'>): Promise<Made<Result>> {
    return new Promise((done, failed) => {
      if (this.#lost !== undefined) {
        failed(this.#lost);
        return;
      }
      insertByDue(this.#waiting, { item, dueMs, signal, done, failed });
      if (this.#running < (this.#options.ahead ?? 1)) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#running += 1;
    while (this.#waiting.length > 0 && this.#lost === undefined) {
      // Turns and cancellations that came meanwhile are let in first.
      await nextTurn();
      const batch = this.#gather();
      if (batch.length > 0) await this.#execute(batch);
    }
    this.#running -= 1;
  }

  /** Takes out the one that is due soonest and what can go with it. */
  #gather(): Waiting<Item, Result>[] {
    const { kindOf, sizeOf, mostOf } = this.#options;
    const [left, given]: [Waiting<Item, Result>[], Waiting<Item, Result>[]] = [[], []];
    for (const each of this.#waiting) (each.signal.aborted ? given : left).push(each);
    for (const { failed, signal } of given) failed(signal.reason);
    const first = left[0];
    if (first === undefined) {
      this.#waiting = [];
      return [];
    }
    const kind = kindOf(first.item);
    const most = mostOf(kind);
    const batch: Waiting<Item, Result>[] = [];
    let size = 0;
    this.#waiting = left.filter((each) => {
      const more = size + sizeOf(each.item);
      if (kindOf(each.item) !== kind || (batch.length > 0 && more > most)) return true;
      batch.push(each);
      size = more;
      return false;
    });
    return batch;
  }

  async #execute(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const { kindOf, sizeOf, run, onLost } = this.#options;
    const handedMs = performance.now();
    try {
      const items = batch.map(({ item }) => item);
      const results = await run(kindOf(items[0]!), items);
      const endMs = performance.now();
      // One that lay ready began when the one before it ended.
      const runMs = endMs - Math.max(handedMs, this.#lastEndMs);
      this.#lastEndMs = endMs;
      const total = items.reduce((sum, item) => sum + sizeOf(item), 0);
      for (const [i, { item, done }] of batch.entries()) {
        done({ result: results[i]!, shareMs: (runMs * sizeOf(item)) / Math.max(1, total) });
      }
    } catch (error) {
      const first = this.#lost === undefined;
      this.#lost = error;
      for (const { failed } of [...batch, ...this.#waiting]) failed(error);
      this.#waiting = [];
      if (first) onLost(error);
    }
  }
}
