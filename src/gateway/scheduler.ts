/** What runs next, over all streams of all workers: whoever's listener would run dry first. The only place that decides it. */
import { FIRST_SOUND_MS } from '../protocol/job.js';
import { FIRST_PATIENCE_MS, type SegmentStream, type SegmentTask } from './segment-task.js';
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

/** What goes first, of live streams: first sounds that are late, now and then; who is about to run dry; first sounds; the rest. */
const RANKS = { aged: 0, pressed: 1, first: 2, live: 3 } as const;
type Rank = (typeof RANKS)[keyof typeof RANKS];

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
    const [live, whole] = [this.#search(nowMs), this.#search(nowMs)];
    // What was begun first: of equals, it is finished before another is begun.
    for (const task of begun) (task.stream.order.whole ? whole : live).look(task, any);
    for (const task of this.#queue) (task.stream.order.whole ? whole : live).look(task, fits);
    return this.#wholeGoesFirst(whole.best, live.best, nowMs) ? whole.best : (live.best ?? whole.best);
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

  #search(nowMs: number): Search {
    return new Search({
      nowMs,
      pressedMs: nowMs + PRESSING_MS + this.turnMs,
      firstsAge: this.#turns % AGED_TURNS === AGED_TURNS / 2,
      turnOf: ({ stream }) => this.#lastTurn.get(stream.order.owner) ?? 0,
    });
  }

  /** Whole answers fill what is left: they wait for live listeners with little in hand, however late they are themselves. */
  #wholeGoesFirst(whole: SegmentTask | undefined, live: SegmentTask | undefined, nowMs: number): boolean {
    if (whole === undefined || live === undefined) return false;
    if (whole.deadlineMs <= nowMs && this.#turns % AGED_TURNS === 0) return true;
    const spareMs = Math.max(LIVE_MS, PRESSING_MS + this.turnMs);
    return live.deadlineMs > nowMs + spareMs && whole.deadlineMs < live.deadlineMs;
  }
}

interface Moment {
  readonly nowMs: number;
  /** Whoever runs dry before this is pressed. */
  readonly pressedMs: number;
  /** This turn is for first sounds that are late. */
  readonly firstsAge: boolean;
  /** When the owner last had one. */
  readonly turnOf: (task: SegmentTask) => number;
}

/** Keeps the best of what it is shown. */
class Search {
  readonly #moment: Moment;
  best: SegmentTask | undefined;

  constructor(moment: Moment) {
    this.#moment = moment;
  }

  look(task: SegmentTask, may: (task: SegmentTask) => boolean): void {
    if ((this.best === undefined || this.#isBefore(task, this.best)) && may(task)) this.best = task;
  }

  /** Where owners compete, because they are late or wait for their first sound, they take turns: nobody's many drown another's one. */
  #isBefore(a: SegmentTask, b: SegmentTask): boolean {
    const { nowMs, turnOf } = this.#moment;
    const [rank, other] = [this.#rankOf(a), this.#rankOf(b)];
    if (rank !== other) return rank < other;
    const compete = rank === RANKS.first || (a.deadlineMs <= nowMs && b.deadlineMs <= nowMs);
    if (compete && turnOf(a) !== turnOf(b)) return turnOf(a) < turnOf(b);
    return a.deadlineMs < b.deadlineMs;
  }

  #rankOf({ stream, deadlineMs }: SegmentTask): Rank {
    const { nowMs, pressedMs, firstsAge } = this.#moment;
    if (stream.order.whole) return RANKS.live;
    if (stream.heard) return deadlineMs <= pressedMs ? RANKS.pressed : RANKS.live;
    if (firstsAge && deadlineMs <= nowMs - FIRST_PATIENCE_MS) return RANKS.aged;
    return deadlineMs <= nowMs + FIRST_SOUND_MS ? RANKS.first : RANKS.live;
  }
}
