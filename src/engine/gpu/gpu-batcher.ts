/** Batches work for the GPU: a run takes all that waits, and never waits to become fuller. */
import { type Due, insertByDue } from '../due-order.js';
import type { StepGrant } from '../engine.js';

export interface GpuBatcherOptions<Item, Result> {
  /** Items of one kind may share a run. */
  readonly kindOf: (item: Item) => string;
  /** In a unit of its own for each kind, such as frames. */
  readonly sizeOf: (item: Item) => number;
  /** The largest sum of sizes in one run of a kind. A single item may be larger. */
  readonly mostOf: (kind: string) => number;
  /** Makes one run. An error means that the device is lost; nothing is run after it. */
  readonly run: (kind: string, items: readonly Item[]) => Promise<DeviceRun<Result>>;
  readonly onLost: (error: unknown) => void;
  /**
   * Runs that may be handed over at once (default 1). With 2, the next one is handed over shortly
   * before a run ends and lies ready then; the device still makes them one after the other.
   */
  readonly ahead?: number;
  /**
   * Kinds whose items are charged as in a full run. Items of other kinds are charged their part of
   * the run they were in.
   */
  readonly isShared?: (kind: string) => boolean;
}

/** What one run made of its items. */
export interface DeviceRun<Result> {
  readonly results: readonly Result[];
  /** When the device began it, in milliseconds since 1970, and what it took there. */
  readonly beganMs: number;
  readonly deviceMs: number;
}

export interface Made<Result> {
  readonly result: Result;
  /** The GPU time charged for it. */
  readonly shareMs: number;
}

/** From this share of its largest size on, a run counts as full. */
const FULL_SHARE = 0.5;
/** Weight of one run in the moving averages of times and prices. */
const WEIGHT = 0.1;
const moved = (average: number, value: number): number => average + WEIGHT * (value - average);

/**
 * The next run is handed over so many times earlier than its way to the device takes. What comes
 * until then is in the next run if it is due soon, and not in the one behind it. A way that takes
 * longer than usual leaves the device idle; with once its time it did so for a third of the time
 * (H200, 400 clients, two processes).
 */
const WAYS_AHEAD = 2;
/** From this gap between two runs on, the device was idle. */
const IDLE_MS = 1;

interface Waiting<Item, Result> extends Due {
  readonly item: Item;
  readonly signal: AbortSignal;
  readonly done: (made: Made<Result>) => void;
  readonly failed: (reason: unknown) => void;
}

/** A run that the device has. */
interface Handed {
  /** When it began, or was handed over behind another. */
  startMs: number;
  /** What it should take on the device. */
  readonly expectedMs: number;
}

export class GpuBatcher<Item, Result> {
  readonly #options: GpuBatcherOptions<Item, Result>;
  /** In the order of `insertByDue`. */
  #waiting: Waiting<Item, Result>[] = [];
  #lost: unknown;
  /** In the order in which the device makes them. */
  readonly #handed: Handed[] = [];
  /** Takes back the call that will hand over the next run, where one is planned. */
  #unplan: (() => void) | undefined;
  /** What runs took on the device on average (ms), by kind and number of items. */
  readonly #times = new Map<string, number>();
  /** What a run's way to the device takes on average (ms). */
  #wayMs = 0;
  /** When the device ended its last run, in milliseconds since 1970. */
  #freeMs = 0;
  /**
   * Milliseconds per unit of size in a full run, by kind. A run takes a good part of its time
   * however little is in it, and no run waits to become fuller, so a GPU that could do three times
   * as much is never idle. More items would fit into the same runs; hence the price of a full one.
   */
  readonly #prices = new Map<string, number>();

  constructor(options: GpuBatcherOptions<Item, Result>) {
    this.#options = options;
  }

  /** Resolves when the item was run. An item that is aborted before its run is left out of it. */
  run(item: Item, { dueMs, signal }: Pick<StepGrant, 'dueMs' | 'signal'>): Promise<Made<Result>> {
    return new Promise((done, failed) => {
      if (this.#lost !== undefined) {
        failed(this.#lost);
        return;
      }
      insertByDue(this.#waiting, { item, dueMs, signal, done, failed });
      this.#plan();
    });
  }

  /** Plans to hand over the next run: in the next turn of the loop, or when one nearly ends. */
  #plan(): void {
    if (this.#unplan || this.#waiting.length === 0 || this.#handed.length >= (this.#options.ahead ?? 1)) return;
    const last = this.#handed.at(-1);
    const waitMs = last ? last.startMs + last.expectedMs - WAYS_AHEAD * this.#wayMs - performance.now() : 0;
    const hand = () => {
      this.#unplan = undefined;
      const batch = this.#gather();
      if (batch.length > 0) void this.#execute(batch);
      this.#plan();
    };
    if (waitMs >= 1) {
      const timer = setTimeout(hand, waitMs);
      this.#unplan = () => clearTimeout(timer);
    } else {
      // Lets in work and cancellations that arrived meanwhile.
      const next = setImmediate(hand);
      this.#unplan = () => clearImmediate(next);
    }
  }

  /** What was planned for the end of a run that has ended is planned anew. */
  #ended(handed: Handed, endMs: number): void {
    this.#handed.splice(this.#handed.indexOf(handed), 1);
    // A run that lay ready begins now.
    if (this.#handed[0]) this.#handed[0].startMs = endMs;
    this.#unplan?.();
    this.#unplan = undefined;
    this.#plan();
  }

  /** Takes out the item that is due soonest, and those that can share its run. */
  #gather(): Waiting<Item, Result>[] {
    const { kindOf, sizeOf, mostOf } = this.#options;
    const [left, cancelled]: [Waiting<Item, Result>[], Waiting<Item, Result>[]] = [[], []];
    for (const each of this.#waiting) (each.signal.aborted ? cancelled : left).push(each);
    for (const { failed, signal } of cancelled) failed(signal.reason);
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
    const sort = `${kind} ${batch.length}`;
    const handedMs = performance.now();
    const handed: Handed = { startMs: handedMs, expectedMs: this.#times.get(sort) ?? 0 };
    this.#handed.push(handed);
    try {
      const items = batch.map(({ item }) => item);
      const { results, beganMs, deviceMs } = await run(kind, items);
      const endMs = performance.now();
      const runMs = endMs - handed.startMs;
      this.#times.set(sort, moved(this.#times.get(sort) ?? deviceMs, deviceMs));
      // The device had nothing to do until this run came.
      if (beganMs - this.#freeMs > IDLE_MS)
        this.#wayMs = moved(this.#wayMs, beganMs - performance.timeOrigin - handedMs);
      this.#freeMs = beganMs + deviceMs;
      this.#ended(handed, endMs);
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
    const full = size >= FULL_SHARE * this.#options.mostOf(kind);
    const price = full ? moved(known, actual) : Math.min(known, actual);
    this.#prices.set(kind, price);
    return price;
  }
}
