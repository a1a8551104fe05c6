/** The one place that uses a GPU: what waits is gathered into one run, and no run waits to be fuller. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Due, insertByDue } from '../due-order.js';
import type { StepGrant } from '../engine.js';

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
  /** Kinds whose items cost what they cost in a full run. Without it, each its part of the run's time. */
  readonly isShared?: (kind: string) => boolean;
}

export interface Made<Result> {
  readonly result: Result;
  /** What it cost of the GPU's time. */
  readonly shareMs: number;
}

/** A run that is this full says what full runs cost. */
const FULL = 0.5;
/** How much it says. */
const PRICE_STEP = 0.1;

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
  /**
   * Milliseconds of a full run for each of its size, by kind. A run costs a good part of its time however little is in it, and none
   * waits to be fuller, so that a GPU which could do three times as much is always at work. What is in it would be done as well if more
   * came, and in the time of a full run: that is what it costs.
   */
  readonly #prices = new Map<string, number>();

  constructor(options: CardOptions<Item, Result>) {
    this.#options = options;
  }

  /** Resolves when the item was run. One that is aborted before its run is never part of one. */
  run(item: Item, { dueMs, signal }: Pick<StepGrant, 'dueMs' | 'signal'>): Promise<Made<Result>> {
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
    const kind = kindOf(batch[0]!.item);
    const handedMs = performance.now();
    try {
      const items = batch.map(({ item }) => item);
      const results = await run(kind, items);
      const endMs = performance.now();
      // One that lay ready began when the one before it ended.
      const runMs = endMs - Math.max(handedMs, this.#lastEndMs);
      this.#lastEndMs = endMs;
      const total = items.reduce((sum, item) => sum + sizeOf(item), 0);
      const msPerSize = this.#price(kind, total, runMs);
      for (const [i, { item, done }] of batch.entries()) {
        done({ result: results[i]!, shareMs: msPerSize * sizeOf(item) });
      }
    } catch (error) {
      const first = this.#lost === undefined;
      this.#lost = error;
      for (const { failed } of [...batch, ...this.#waiting]) failed(error);
      this.#waiting = [];
      if (first) onLost(error);
    }
  }

  #price(kind: string, size: number, runMs: number): number {
    const actual = runMs / Math.max(1, size);
    if (!this.#options.isShared?.(kind)) return actual;
    const known = this.#prices.get(kind) ?? actual;
    const full = size >= FULL * this.#options.mostOf(kind);
    const price = full ? known + PRICE_STEP * (actual - known) : Math.min(known, actual);
    this.#prices.set(kind, price);
    return price;
  }
}
