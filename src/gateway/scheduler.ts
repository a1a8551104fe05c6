/** What runs next, over all streams of all workers: whoever's listener would run dry first. The only place that decides it. */
import type { SegmentStream, SegmentTask } from './segment-task.js';
import type { Worker } from './worker.js';

/** `fifo` is first come, first served: for comparison. */
export type Policy = 'deadline' | 'fifo';

/** What a live listener has in hand at least before a whole answer that is late is preferred to him. */
const LIVE_MS = 1_000;
/**
 * Whoever hears something already and has less than this in hand, and what a worker may be busy with before it comes to him, goes
 * before whoever hears nothing yet: a break is worse than a later begin.
 */
const PRESSING_MS = 600;
/** One turn in so many is for whole answers that are late, and one for first sounds that are, whatever else waits: none starves. */
export const AGED_TURNS = 10;

/** Of a stream that is heard; of one that is not, or fell silent because nothing was written; of an answer that is heard when it is whole. */
const KINDS = ['heard', 'first', 'whole'] as const;
type Kind = (typeof KINDS)[number];

const any = (): boolean => true;

export class Scheduler {
  /** What a worker that has just begun something is busy with, about. */
  turnMs = 0;
  readonly #policy: Policy;
  /** Segments that no worker has, by when they are due as of the last look. */
  readonly #queue: SegmentTask[] = [];
  /** Those that one has, by job: each asks for turns until it is through. */
  readonly #running = new Map<string, SegmentTask>();
  /** When an owner's work last had a turn, in turns; for those that have work here. */
  readonly #lastTurn = new Map<string, number>();
  #turns = 0;

  constructor(policy: Policy = 'deadline') {
    this.#policy = policy;
  }

  get queued(): number {
    return this.#queue.length;
  }

  get running(): number {
    return this.#running.size;
  }

  /** All the work there is belongs to one stream. */
  get lone(): boolean {
    const only: SegmentStream | undefined = (this.#queue[0] ?? this.#running.values().next().value)?.stream;
    if (only === undefined) return false;
    for (const { stream } of this.#queue) if (stream !== only) return false;
    for (const { stream } of this.#running.values()) if (stream !== only) return false;
    return true;
  }

  [Symbol.iterator](): Iterator<SegmentTask> {
    return this.#queue.values();
  }

  add(task: SegmentTask): void {
    this.#queue.push(task);
  }

  remove(task: SegmentTask): void {
    this.#unqueue(task);
    this.#running.delete(task.job.id);
    if (this.#queue.length === 0 && this.#running.size === 0) this.#lastTurn.clear();
  }

  /** The next for `worker`, among what it has or what it may begin of the queue; undefined where it has nothing to do. */
  next(worker: Worker, nowMs: number, mayBegin: (task: SegmentTask) => boolean = any): SegmentTask | undefined {
    const begun: SegmentTask[] = [];
    for (const { id } of worker.runnable) {
      const task = this.#running.get(id);
      if (task !== undefined) begun.push(task);
    }
    this.#order(begun);
    this.#order(this.#queue);
    const fits = (task: SegmentTask) => task.fits(worker) && mayBegin(task);
    if (this.#policy === 'fifo') {
      const queued = this.#queue.find(fits);
      return begun[0] === undefined || (queued && queued.queuedAtMs < begun[0].queuedAtMs) ? queued : begun[0];
    }
    let best: SegmentTask | undefined;
    for (const kind of KINDS) {
      // What was begun first: of equals, it is finished before another is begun.
      best = this.#preferred(best, this.#earliest(begun, kind, nowMs, any), nowMs);
      best = this.#preferred(best, this.#earliest(this.#queue, kind, nowMs, fits), nowMs);
    }
    return best;
  }

  /** The task has its turn. */
  take(task: SegmentTask): void {
    this.#unqueue(task);
    this.#running.set(task.job.id, task);
    this.#turns += 1;
    this.#lastTurn.set(task.stream.order.owner, this.#turns);
  }

  #unqueue(task: SegmentTask): void {
    const at = this.#queue.indexOf(task);
    if (at >= 0) this.#queue.splice(at, 1);
  }

  #keyOf(task: SegmentTask): number {
    return this.#policy === 'fifo' ? task.queuedAtMs : task.deadlineMs;
  }

  /** Between two looks few deadlines change, so that most often there is nothing to move. */
  #order(tasks: SegmentTask[]): void {
    for (let i = 1; i < tasks.length; i++) {
      if (this.#keyOf(tasks[i]!) >= this.#keyOf(tasks[i - 1]!)) continue;
      tasks.sort((a, b) => this.#keyOf(a) - this.#keyOf(b));
      return;
    }
  }

  /** The earliest of a kind; among those that are past their time owners take turns, so that nobody's many drown another's one. */
  #earliest(
    ordered: readonly SegmentTask[],
    kind: Kind,
    nowMs: number,
    may: (task: SegmentTask) => boolean,
  ): SegmentTask | undefined {
    let best: SegmentTask | undefined;
    for (const task of ordered) {
      if (best !== undefined && task.deadlineMs > nowMs) break;
      if (kindOf(task) !== kind || !may(task)) continue;
      if (best === undefined || this.#turnOf(task) < this.#turnOf(best)) best = task;
    }
    return best;
  }

  #turnOf({ stream }: SegmentTask): number {
    return this.#lastTurn.get(stream.order.owner) ?? 0;
  }

  /** `a` unless `b` goes first. */
  #preferred(a: SegmentTask | undefined, b: SegmentTask | undefined, nowMs: number): SegmentTask | undefined {
    if (a === undefined || b === undefined) return a ?? b;
    const [aKind, bKind] = [kindOf(a), kindOf(b)];
    if (aKind === bKind) {
      const bothLate = a.deadlineMs <= nowMs && b.deadlineMs <= nowMs;
      if (bothLate && this.#turnOf(a) !== this.#turnOf(b)) return this.#turnOf(b) < this.#turnOf(a) ? b : a;
      return b.deadlineMs < a.deadlineMs ? b : a;
    }
    // The kinds come in their order, so that `b` is of the later one.
    return (bKind === 'whole' ? this.#wholeGoesFirst(b, a, nowMs) : this.#firstGoesFirst(b, a, nowMs)) ? b : a;
  }

  /** Whole answers fill what is left: they wait for live listeners with little in hand, however late they are themselves. */
  #wholeGoesFirst(whole: SegmentTask, live: SegmentTask, nowMs: number): boolean {
    if (whole.deadlineMs <= nowMs && this.#turns % AGED_TURNS === 0) return true;
    return live.deadlineMs > nowMs + LIVE_MS && whole.deadlineMs < live.deadlineMs;
  }

  #firstGoesFirst(first: SegmentTask, heard: SegmentTask, nowMs: number): boolean {
    if (first.deadlineMs <= nowMs && this.#turns % AGED_TURNS === AGED_TURNS / 2) return true;
    return heard.deadlineMs > nowMs + PRESSING_MS + this.turnMs && first.deadlineMs < heard.deadlineMs;
  }
}

const kindOf = ({ stream }: SegmentTask): Kind => (stream.order.whole ? 'whole' : stream.heard ? 'heard' : 'first');
