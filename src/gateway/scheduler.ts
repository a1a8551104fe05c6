/** What runs next, over all streams of all workers: whoever's listener would run dry first. The only place that decides it. */
import { FIRST_SOUND_MS } from '../protocol/job.js';
import { FIRST_PATIENCE_MS, type SegmentStream, type SegmentTask } from './segment-task.js';
import { TURNS_OF_A_JOB } from './workers/in-flight.js';
import type { Runnable, Worker } from './workers/worker.js';

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

/** Whoever work belongs to. */
interface Owner {
  /** When it last had a turn, in turns. */
  lastTurn: number;
}

/** What could run next, as it was when it was looked at. */
interface Candidate {
  readonly task: SegmentTask;
  readonly owner: Owner;
  readonly deadlineMs: number;
  readonly rank: Rank;
  /** It is a first sound that is late. */
  readonly late: boolean;
  readonly whole: boolean;
  /** Of the worker that has it; undefined where it waits for one. */
  readonly runnable: Runnable | undefined;
}

export class Scheduler {
  /** What a worker that has just begun something is busy with, about. */
  turnMs = 0;
  readonly #policy: Policy;
  /** Segments that no worker has, in the order in which they came. */
  readonly #queue = new Set<SegmentTask>();
  /** Those that one has, by job: each asks for turns until it is through. */
  readonly #running = new Map<string, SegmentTask>();
  /** Those that have work here. */
  readonly #owners = new Map<string, Owner>();
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

  /** The stream that all the work there is belongs to, where that is one. */
  get lone(): SegmentStream | undefined {
    const [first = this.#running.values().next().value] = this.#queue;
    const only: SegmentStream | undefined = first?.stream;
    if (only === undefined) return undefined;
    for (const { stream } of this.#queue) if (stream !== only) return undefined;
    for (const { stream } of this.#running.values()) if (stream !== only) return undefined;
    return only;
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
    if (this.#queue.size === 0 && this.#running.size === 0) this.#owners.clear();
  }

  /**
   * Turns that are given at one moment: what could run on a worker is looked at once, and one after the other taken from it, for a
   * thousand streams are many to look at for each.
   */
  round(nowMs: number): Round {
    const candidates = new Map<Worker, Candidate[]>();
    /** What a worker far away has already, for turns beyond those that every job has. */
    const deeper = new Map<Worker, Candidate[]>();
    /** What was begun in this round, with the turns that it has. */
    const begun = new Map<SegmentTask, { id: string; turns: number }>();
    return {
      next: (worker, mayBegin = any) => {
        const may = (task: SegmentTask) => task.fits(worker) && mayBegin(task);
        if (this.#policy === 'fifo') return this.#firstCome(worker, may);
        const known = candidates.get(worker) ?? this.#candidates(worker, nowMs);
        candidates.set(worker, known);
        const best = this.#best(known, nowMs, may, TURNS_OF_A_JOB);
        const { turnsOfAJob = TURNS_OF_A_JOB } = worker;
        if (best !== undefined || turnsOfAJob <= TURNS_OF_A_JOB) return best;
        const begunThere = deeper.get(worker) ?? this.#candidates(worker, nowMs);
        deeper.set(worker, begunThere);
        return this.#best(begunThere, nowMs, may, turnsOfAJob);
      },
      take: (task, worker) => {
        const given = begun.get(task);
        if (given !== undefined) given.turns += 1;
        else if (this.#queue.has(task)) {
          const runnable = { id: task.job.id, turns: 1 };
          begun.set(task, runnable);
          candidates.get(worker)?.unshift(this.#candidate(task, nowMs, runnable));
        }
        this.take(task);
      },
    };
  }

  /** The next for `worker`, among what it has or what it may begin of the queue; undefined where it has nothing to do. */
  next(worker: Worker, nowMs: number, mayBegin?: (task: SegmentTask) => boolean): SegmentTask | undefined {
    return this.round(nowMs).next(worker, mayBegin);
  }

  /** The task has its turn. */
  take(task: SegmentTask): void {
    this.#queue.delete(task);
    this.#running.set(task.job.id, task);
    this.#turns += 1;
    this.#ownerOf(task).lastTurn = this.#turns;
  }

  #ownerOf({ stream }: SegmentTask): Owner {
    const { owner } = stream.order;
    const known = this.#owners.get(owner) ?? { lastTurn: 0 };
    this.#owners.set(owner, known);
    return known;
  }

  #candidate(task: SegmentTask, nowMs: number, runnable?: Runnable): Candidate {
    const { deadlineMs, stream } = task;
    const { whole = false } = stream.order;
    const first = !whole && !stream.heard;
    const soon = deadlineMs <= nowMs + (first ? FIRST_SOUND_MS : PRESSING_MS + this.turnMs);
    const rank = whole || !soon ? RANKS.live : first ? RANKS.first : RANKS.pressed;
    const late = first && deadlineMs <= nowMs - FIRST_PATIENCE_MS;
    return { task, owner: this.#ownerOf(task), deadlineMs, rank, late, whole, runnable };
  }

  /** What was begun comes first: of equals, it is finished before another is begun. */
  #candidates(worker: Worker, nowMs: number): Candidate[] {
    const all: Candidate[] = [];
    for (const runnable of worker.runnable) {
      const task = this.#running.get(runnable.id);
      if (task !== undefined) all.push(this.#candidate(task, nowMs, runnable));
    }
    for (const task of this.#queue) all.push(this.#candidate(task, nowMs));
    return all;
  }

  /** The best of them; those that turn out to be none are left out from then on. */
  #best(
    candidates: Candidate[],
    nowMs: number,
    mayBegin: (task: SegmentTask) => boolean,
    turnsOfAJob: number,
  ): SegmentTask | undefined {
    const firstsAge = this.#turns % AGED_TURNS === AGED_TURNS / 2;
    let [live, whole]: [Candidate | undefined, Candidate | undefined] = [undefined, undefined];
    let kept = 0;
    for (const one of candidates) {
      const best = one.whole ? whole : live;
      const better = best === undefined || isBefore(one, best, nowMs, firstsAge);
      if (better && !this.#mayRun(one, mayBegin, turnsOfAJob)) continue;
      candidates[kept++] = one;
      if (!better) continue;
      if (one.whole) whole = one;
      else live = one;
    }
    candidates.length = kept;
    return (this.#wholeGoesFirst(whole, live, nowMs) ? whole : (live ?? whole))?.task;
  }

  /** One that has a turn and another that lies ready needs none. */
  #mayRun({ task, runnable }: Candidate, mayBegin: (task: SegmentTask) => boolean, most: number): boolean {
    return runnable === undefined ? this.#queue.has(task) && mayBegin(task) : runnable.turns < most;
  }

  #firstCome(worker: Worker, fits: (task: SegmentTask) => boolean): SegmentTask | undefined {
    let first: SegmentTask | undefined;
    for (const { id } of worker.runnable) {
      const task = this.#running.get(id);
      if (task !== undefined && (first === undefined || task.queuedAtMs < first.queuedAtMs)) first = task;
    }
    for (const task of this.#queue) {
      if ((first === undefined || task.queuedAtMs < first.queuedAtMs) && fits(task)) return task;
    }
    return first;
  }

  /** Whole answers fill what is left: they wait for live listeners with little in hand, however late they are themselves. */
  #wholeGoesFirst(whole: Candidate | undefined, live: Candidate | undefined, nowMs: number): boolean {
    if (whole === undefined || live === undefined) return false;
    if (whole.deadlineMs <= nowMs && this.#turns % AGED_TURNS === 0) return true;
    const spareMs = Math.max(LIVE_MS, PRESSING_MS + this.turnMs);
    return live.deadlineMs > nowMs + spareMs && whole.deadlineMs < live.deadlineMs;
  }
}

export interface Round {
  /** The next for `worker`, among what it has or what it may begin of the queue; undefined where it has nothing to do. */
  next(worker: Worker, mayBegin?: (task: SegmentTask) => boolean): SegmentTask | undefined;
  /** The task has its turn there. */
  take(task: SegmentTask, worker: Worker): void;
}

/** Where owners compete, because they are late or wait for their first sound, they take turns: nobody's many drown another's one. */
function isBefore(a: Candidate, b: Candidate, nowMs: number, firstsAge: boolean): boolean {
  const rank = firstsAge && a.late ? RANKS.aged : a.rank;
  const other = firstsAge && b.late ? RANKS.aged : b.rank;
  if (rank !== other) return rank < other;
  const compete = rank === RANKS.first || (a.deadlineMs <= nowMs && b.deadlineMs <= nowMs);
  if (compete && a.owner.lastTurn !== b.owner.lastTurn) return a.owner.lastTurn < b.owner.lastTurn;
  return a.deadlineMs < b.deadlineMs;
}
