/** What runs next, over all streams of all workers: whoever's listener would run dry first. The only place that decides it. */
import type { SegmentStream, SegmentTask } from './segment-task.js';
import type { Worker } from './worker.js';

/** `fifo` is first come, first served: for comparison. */
export type Policy = 'deadline' | 'fifo';

/** What a live listener has in hand at least before a whole answer that is late is preferred to him. */
const LIVE_MS = 1_000;
/** One turn in so many is for whole answers that are late, whatever else waits: none starves. */
const WHOLE_TURNS = 10;

export class Scheduler {
  readonly #policy: Policy;
  /** Segments that no worker has. */
  readonly #queue = new Set<SegmentTask>();
  /** Those that one has, by job: each asks for turns until it is through. */
  readonly #running = new Map<string, SegmentTask>();
  /** When an owner's work last had a turn, in turns; for those that have work here. */
  readonly #lastTurn = new Map<string, number>();
  #turns = 0;

  constructor(policy: Policy = 'deadline') {
    this.#policy = policy;
  }

  get queued(): number {
    return this.#queue.size;
  }

  get running(): number {
    return this.#running.size;
  }

  /** All the work there is belongs to one stream. */
  get lone(): boolean {
    let only: SegmentStream | undefined;
    for (const tasks of [this.#queue, this.#running.values()]) {
      for (const { stream } of tasks) {
        if (only !== undefined && stream !== only) return false;
        only = stream;
      }
    }
    return only !== undefined;
  }

  [Symbol.iterator](): Iterator<SegmentTask> {
    return this.#queue.values();
  }

  add(task: SegmentTask): void {
    this.#queue.add(task);
  }

  remove(task: SegmentTask): void {
    this.#queue.delete(task);
    this.#running.delete(task.job.id);
    if (this.#queue.size === 0 && this.#running.size === 0) this.#lastTurn.clear();
  }

  /** The next for `worker`, among what it has or what it may begin of the queue; undefined where it has nothing to do. */
  next(worker: Worker, nowMs: number, mayBegin: (task: SegmentTask) => boolean = () => true): SegmentTask | undefined {
    let best: SegmentTask | undefined;
    let bestMs = 0;
    const consider = (task: SegmentTask | undefined) => {
      if (task === undefined) return;
      const deadlineMs = this.#policy === 'fifo' ? task.queuedAtMs : task.stream.deadlineMs(task, nowMs);
      if (best !== undefined && !this.#precedes(task, deadlineMs, best, bestMs, nowMs)) return;
      best = task;
      bestMs = deadlineMs;
    };
    // What was begun first: of equals, it is finished before another is begun.
    for (const { id } of worker.runnable) consider(this.#running.get(id));
    for (const task of this.#queue) if (task.fits(worker) && mayBegin(task)) consider(task);
    return best;
  }

  /** The task has its turn. */
  take(task: SegmentTask): void {
    this.#queue.delete(task);
    this.#running.set(task.job.id, task);
    this.#turns += 1;
    this.#lastTurn.set(task.stream.order.owner, this.#turns);
  }

  /**
   * Whole answers fill what is left: they wait for live listeners with less than `LIVE_MS` in hand, however late they are
   * themselves, but for every tenth turn.
   */
  #precedes(a: SegmentTask, aMs: number, b: SegmentTask, bMs: number, nowMs: number): boolean {
    const [aWhole, bWhole] = [a, b].map((task) => task.stream.order.whole === true);
    if (this.#policy === 'fifo' || aWhole === bWhole) return this.#isDueBefore(a, aMs, b, bMs, nowMs);
    const [wholeMs, liveMs] = aWhole ? [aMs, bMs] : [bMs, aMs];
    const aged = wholeMs <= nowMs && this.#turns % WHOLE_TURNS === 0;
    const wholeFirst = aged || (liveMs > nowMs + LIVE_MS && wholeMs < liveMs);
    return wholeFirst === aWhole;
  }

  /** The earlier deadline; among those that are past it, owners take turns, so that nobody's many drown another's one. */
  #isDueBefore(a: SegmentTask, aMs: number, b: SegmentTask, bMs: number, nowMs: number): boolean {
    if (this.#policy === 'deadline' && aMs <= nowMs && bMs <= nowMs) {
      const [aTurn, bTurn] = [a, b].map((task) => this.#lastTurn.get(task.stream.order.owner) ?? 0) as [number, number];
      if (aTurn !== bTurn) return aTurn < bTurn;
    }
    return aMs < bMs;
  }
}
