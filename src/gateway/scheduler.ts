/** Which step runs next, over all streams of all workers: the one whose listener runs dry first. */
import { FIRST_SOUND_MS } from '../protocol/job.js';
import type { SegmentStream, SegmentTask } from './segment-task.js';
import { IN_FLIGHT, SCHEDULING } from './tuning.js';
import type { Runnable, Worker } from './workers/worker.js';

/** `fifo` is first come, first served: for comparison. */
export type Policy = 'deadline' | 'fifo';

/** Order of live streams: late first audio, now and then; nearly dry; first audio; the rest. */
const RANKS = { aged: 0, pressed: 1, first: 2, live: 3 } as const;
type Rank = (typeof RANKS)[keyof typeof RANKS];

const any = (): boolean => true;

/** The key that work belongs to. */
interface Owner {
  /** Number of the last step it was given. */
  lastStep: number;
}

/** A task that could have the next step, as it was at the start of a round. */
interface Candidate {
  readonly task: SegmentTask;
  readonly owner: Owner;
  readonly deadlineMs: number;
  readonly rank: Rank;
  /** It waits for first audio, and that is late. */
  readonly late: boolean;
  readonly whole: boolean;
  /** Its job on the worker that has it; undefined where it is queued. */
  readonly runnable: Runnable | undefined;
}

interface Sought {
  readonly may: (task: SegmentTask) => boolean;
  /** Only what waits for first audio or is nearly dry. */
  readonly urgent: boolean;
  readonly stepsPerJob: number;
}

export class Scheduler {
  #stepMs = 0;
  readonly #policy: Policy;
  /** Segments that no worker has, in the order of arrival. */
  readonly #queue = new Set<SegmentTask>();
  /** Segments that a worker has, by job id: each takes steps until it is done. */
  readonly #running = new Map<string, SegmentTask>();
  /** Owners that have work here. */
  readonly #owners = new Map<string, Owner>();
  #steps = 0;

  constructor(policy: Policy = 'deadline') {
    this.#policy = policy;
  }

  /** Expected duration of the longest steps. */
  get stepMs(): number {
    return this.#stepMs;
  }

  /** A segment was spoken whose first audio took a step of about `ms`. */
  learnStep(ms: number): void {
    this.#stepMs = Math.max(this.#stepMs * SCHEDULING.stepFade, ms);
  }

  get queued(): number {
    return this.#queue.size;
  }

  get running(): number {
    return this.#running.size;
  }

  /** The stream that all work belongs to, where that is one. */
  get onlyStream(): SegmentStream | undefined {
    let only: SegmentStream | undefined;
    for (const { stream } of this.#tasks()) {
      if (only !== undefined && stream !== only) return undefined;
      only = stream;
    }
    return only;
  }

  /** Live streams that have work, up to the second one. */
  get liveStreams(): readonly SegmentStream[] {
    const found: SegmentStream[] = [];
    for (const { stream } of this.#tasks()) {
      if (stream.order.whole || found[0] === stream) continue;
      found.push(stream);
      if (found.length > 1) break;
    }
    return found;
  }

  /**
   * The stream that has all cores: the only one with work, or the only live one among buffered
   * responses until its first audio is there.
   */
  get foremost(): SegmentStream | undefined {
    const { onlyStream, liveStreams } = this;
    if (onlyStream !== undefined) return onlyStream;
    const [live, other] = liveStreams;
    if (live === undefined || other !== undefined || live.playing) return undefined;
    for (const { stream, receivedSamples } of this.#tasks())
      if (stream === live && receivedSamples > 0) return undefined;
    return live;
  }

  *#tasks(): Generator<SegmentTask> {
    yield* this.#queue;
    yield* this.#running.values();
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
   * Steps that are given at one moment. Candidates of a worker are collected once and taken from
   * one by one, because a thousand streams are many to look at for each step.
   */
  round(nowMs: number): Round {
    const candidates = new Map<Worker, Candidate[]>();
    /** Jobs of a worker far away, for steps beyond those that every job has. */
    const deeper = new Map<Worker, Candidate[]>();
    /** Tasks begun in this round, with the steps they have. */
    const begun = new Map<SegmentTask, { id: string; steps: number }>();
    return {
      next: (worker, mayBegin = any, { urgent = false } = {}) => {
        const may = (task: SegmentTask) => task.fits(worker) && mayBegin(task);
        if (this.#policy === 'fifo') return urgent ? undefined : this.#firstCome(worker, may);
        const known = candidates.get(worker) ?? this.#candidates(worker, nowMs);
        candidates.set(worker, known);
        const best = this.#best(known, nowMs, { may, urgent, stepsPerJob: IN_FLIGHT.ofAJob });
        const { stepsPerJob = IN_FLIGHT.ofAJob } = worker;
        if (best !== undefined || stepsPerJob <= IN_FLIGHT.ofAJob) return best;
        const begunThere = deeper.get(worker) ?? this.#candidates(worker, nowMs);
        deeper.set(worker, begunThere);
        return this.#best(begunThere, nowMs, { may, urgent, stepsPerJob });
      },
      take: (task, worker) => {
        const given = begun.get(task);
        if (given !== undefined) given.steps += 1;
        else if (this.#queue.has(task)) {
          const runnable = { id: task.job.id, steps: 1 };
          begun.set(task, runnable);
          candidates.get(worker)?.unshift(this.#candidate(task, nowMs, runnable));
        }
        this.take(task);
      },
    };
  }

  /** The task was given a step. */
  take(task: SegmentTask): void {
    this.#queue.delete(task);
    this.#running.set(task.job.id, task);
    this.#steps += 1;
    this.#ownerOf(task).lastStep = this.#steps;
  }

  #ownerOf({ stream }: SegmentTask): Owner {
    const { owner } = stream.order;
    const known = this.#owners.get(owner) ?? { lastStep: 0 };
    this.#owners.set(owner, known);
    return known;
  }

  #candidate(task: SegmentTask, nowMs: number, runnable?: Runnable): Candidate {
    const { deadlineMs, stream } = task;
    const { whole = false } = stream.order;
    const first = !whole && !stream.playing;
    const soon = deadlineMs <= nowMs + (first ? FIRST_SOUND_MS : SCHEDULING.pressingMs + this.#stepMs);
    const rank = whole || !soon ? RANKS.live : first ? RANKS.first : RANKS.pressed;
    const late = first && deadlineMs <= nowMs - SCHEDULING.firstAudioPatienceMs;
    return { task, owner: this.#ownerOf(task), deadlineMs, rank, late, whole, runnable };
  }

  /** Running segments come first: of equals, one is finished before another is begun. */
  #candidates(worker: Worker, nowMs: number): Candidate[] {
    const all: Candidate[] = [];
    for (const runnable of worker.runnable) {
      const task = this.#running.get(runnable.id);
      if (task !== undefined) all.push(this.#candidate(task, nowMs, runnable));
    }
    for (const task of this.#queue) all.push(this.#candidate(task, nowMs));
    return all;
  }

  /** The best candidate; those that turn out not to be runnable are dropped from the list. */
  #best(candidates: Candidate[], nowMs: number, { may, urgent, stepsPerJob }: Sought): SegmentTask | undefined {
    const firstsAge = this.#steps % SCHEDULING.agedEvery === SCHEDULING.agedEvery / 2;
    let [live, whole]: [Candidate | undefined, Candidate | undefined] = [undefined, undefined];
    let kept = 0;
    for (const one of candidates) {
      const best = one.whole ? whole : live;
      const isSought = !urgent || one.rank !== RANKS.live;
      const better = isSought && (best === undefined || isBefore(one, best, nowMs, firstsAge));
      if (better && !this.#mayRun(one, may, stepsPerJob)) continue;
      candidates[kept++] = one;
      if (!better) continue;
      if (one.whole) whole = one;
      else live = one;
    }
    candidates.length = kept;
    return (this.#wholeGoesFirst(whole, live, nowMs) ? whole : (live ?? whole))?.task;
  }

  /** A running job takes no more steps than `most` at once. */
  #mayRun({ task, runnable }: Candidate, mayBegin: (task: SegmentTask) => boolean, most: number): boolean {
    return runnable === undefined ? this.#queue.has(task) && mayBegin(task) : runnable.steps < most;
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

  /** Buffered responses, however late, wait for listeners with little in hand. */
  #wholeGoesFirst(whole: Candidate | undefined, live: Candidate | undefined, nowMs: number): boolean {
    if (whole === undefined || live === undefined) return false;
    if (whole.deadlineMs <= nowMs && this.#steps % SCHEDULING.agedEvery === 0) return true;
    const spareMs = Math.max(SCHEDULING.liveSpareMs, SCHEDULING.pressingMs + this.#stepMs);
    return live.deadlineMs > nowMs + spareMs && whole.deadlineMs < live.deadlineMs;
  }
}

export interface Round {
  /**
   * The next for `worker`, of its jobs or of what it may begin; undefined where there is none.
   * With `urgent` only of live streams that wait for first audio or are nearly dry.
   */
  next(
    worker: Worker,
    mayBegin?: (task: SegmentTask) => boolean,
    options?: { readonly urgent?: boolean },
  ): SegmentTask | undefined;
  /** The task was given a step there. */
  take(task: SegmentTask, worker: Worker): void;
}

/** Owners alternate where they are late or wait for first audio, so that none delays another. */
function isBefore(a: Candidate, b: Candidate, nowMs: number, firstsAge: boolean): boolean {
  const rank = firstsAge && a.late ? RANKS.aged : a.rank;
  const other = firstsAge && b.late ? RANKS.aged : b.rank;
  if (rank !== other) return rank < other;
  const compete = rank === RANKS.first || (a.deadlineMs <= nowMs && b.deadlineMs <= nowMs);
  if (compete && a.owner.lastStep !== b.owner.lastStep) return a.owner.lastStep < b.owner.lastStep;
  return a.deadlineMs < b.deadlineMs;
}
