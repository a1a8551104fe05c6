/** The workers of a gateway: which of them takes the next step, and when one has room again. */
import { type Clock, systemClock } from '../../clock.js';
import type { TtsError } from '../../protocol/errors.js';
import { PATIENCE } from '../tuning.js';
import type { Worker, WorkerState } from './worker.js';

const NONE: ReadonlySet<Worker> = new Set();
const BEST_FIRST: readonly WorkerState[] = ['ready', 'starting', 'dead', 'closed'];

const isReady = ({ state }: Worker): boolean => state === 'ready';

/**
 * A worker that takes many steps at once is given them a few at a time: looking through all streams
 * for each would be the gateway's largest task, and the steps in hand keep the worker busy.
 */
const isRoom = (free: number, capacity: number): boolean => free >= Math.max(1, Math.floor(capacity / 16));

/** Whether it takes a step of any stream. */
export const hasRoom = ({ busy, capacity }: Worker): boolean => isRoom(capacity - busy, capacity);

/** Whether it takes an urgent step of a live stream: steps of buffered responses do not count. */
const hasUrgentRoom = ({ busy, background, capacity }: Worker): boolean =>
  isRoom(capacity - busy + background, capacity);

/** What the pool keeps of a worker. */
interface Member {
  readonly unsubscribe: () => void;
  state: WorkerState | undefined;
  startedAtMs: number | undefined;
  deadSinceMs: number | undefined;
  /** While it finishes the streams it began. */
  retiring: { readonly version: string; readonly onLeft: () => void } | undefined;
}

export class WorkerPool {
  readonly workers: readonly Worker[];
  readonly #workers: Worker[] = [];
  readonly #clock: Clock;
  readonly #members = new Map<Worker, Member>();
  readonly #listeners = new Set<(restated: boolean) => void>();
  /** Ends of workers that were taken out and are still closing. */
  readonly #leaving = new Set<Promise<void>>();
  /** Open streams by the version that spoke their first segment. */
  readonly #streams = new Map<string, number>();
  #startMs: number = PATIENCE.workerStartMs;
  #goneRestarts = 0;
  #failure: TtsError | undefined;

  constructor(initial: readonly Worker[] = [], clock: Clock = systemClock) {
    this.workers = this.#workers;
    this.#clock = clock;
    for (const worker of initial) this.add(worker);
  }

  /** Workers for new streams: not those that retire, nor those whose start takes unknown time. */
  get serving(): readonly Worker[] {
    return this.#workers.filter((worker) => this.#isServing(worker));
  }

  /** The best state any worker is in; `starting` while there is none yet. */
  get state(): WorkerState {
    return BEST_FIRST.find((state) => this.#workers.some((worker) => worker.state === state)) ?? 'starting';
  }

  get counts(): Readonly<Record<WorkerState, number>> {
    const counts = { starting: 0, ready: 0, dead: 0, closed: 0 };
    for (const worker of this.#workers) counts[worker.state] += 1;
    return counts;
  }

  /** Restarts of all workers together, including those that were taken out. */
  get restarts(): number {
    return this.#workers.reduce((sum, worker) => sum + worker.restarts, this.#goneRestarts);
  }

  /** Steps that the workers take at once, all together. */
  get capacity(): number {
    return this.#workers.reduce((sum, worker) => sum + worker.capacity, 0);
  }

  /** Measured time from a worker's start until it is ready. */
  get startMs(): number {
    return this.#startMs;
  }

  /** For each serving worker that is starting: expected milliseconds until it is ready. */
  get comingMs(): readonly number[] {
    const nowMs = this.#clock.now();
    return [...this.#members].flatMap(([worker, { startedAtMs }]) =>
      startedAtMs === undefined || !this.#isServing(worker) ? [] : [Math.max(0, startedAtMs + this.#startMs - nowMs)],
    );
  }

  /** Why no worker will come at all, where that is known. */
  get failure(): TtsError | undefined {
    return this.#failure;
  }

  /** No worker can be made, for this reason; undefined takes it back. */
  setFailure(error: TtsError | undefined): void {
    this.#failure = error;
    this.#changed(true);
  }

  /** How long a worker has been dead; 0 where it is not. */
  deadForMs(worker: Worker): number {
    const sinceMs = this.#members.get(worker)?.deadSinceMs;
    return sinceMs === undefined ? 0 : this.#clock.now() - sinceMs;
  }

  add(worker: Worker): void {
    this.#workers.push(worker);
    this.#members.set(worker, {
      unsubscribe: worker.onChange(() => this.#workerChanged(worker)),
      state: undefined,
      startedAtMs: undefined,
      deadSinceMs: undefined,
      retiring: undefined,
    });
    this.#workerChanged(worker);
  }

  /** Takes it out at once and closes it; what it had runs again elsewhere. */
  async remove(worker: Worker): Promise<void> {
    const member = this.#members.get(worker);
    if (member === undefined) return;
    this.#workers.splice(this.#workers.indexOf(worker), 1);
    this.#members.delete(worker);
    member.unsubscribe();
    this.#goneRestarts += worker.restarts;
    this.#changed(true);
    const closed = worker.close();
    this.#leaving.add(closed);
    await closed.finally(() => this.#leaving.delete(closed));
  }

  /**
   * Lets a worker finish what it began: streams whose first segment it spoke stay with workers of
   * its version, and none begins on it while another is ready. Resolves when it was taken out
   * because no such stream is open any more.
   */
  retire(worker: Worker): Promise<void> {
    const member = this.#members.get(worker);
    if (member === undefined || member.retiring !== undefined) return Promise.resolve();
    const { version } = worker;
    // A worker that was never ready has begun nothing.
    if (version === undefined) return this.remove(worker);
    return new Promise((onLeft) => {
      member.retiring = { version, onLeft };
      this.#removeIfUnneeded(worker);
    });
  }

  /**
   * Whether a worker may begin a segment of a stream whose first one was spoken by `version`;
   * undefined where it is the first.
   */
  mayBegin(worker: Worker, version: string | undefined): boolean {
    if (version !== undefined && version === worker.version) return true;
    if (this.#isRetiring(worker)) return !this.#workers.some((other) => isReady(other) && !this.#isRetiring(other));
    for (const [other, { retiring }] of this.#members)
      if (retiring !== undefined && isReady(other) && retiring.version === version) return false;
    return true;
  }

  /** A stream began on an engine of this version. */
  streamBegan(version: string): void {
    this.#streams.set(version, (this.#streams.get(version) ?? 0) + 1);
  }

  streamEnded(version: string): void {
    const left = (this.#streams.get(version) ?? 0) - 1;
    if (left > 0) this.#streams.set(version, left);
    else this.#streams.delete(version);
    for (const worker of [...this.#members.keys()]) this.#removeIfUnneeded(worker);
  }

  /**
   * The least busy ready worker with room, for urgent steps at least; of equals the first, so that
   * the last may idle.
   */
  next(except: ReadonlySet<Worker> = NONE): Worker | undefined {
    let best: Worker | undefined;
    for (const worker of this.#workers) {
      if (except.has(worker) || worker.state !== 'ready' || !hasUrgentRoom(worker)) continue;
      if (!best || worker.busy + worker.others < best.busy + best.others) best = worker;
    }
    return best;
  }

  /**
   * Calls back when a place may have become free or, `restated`, a worker came, went or changed its
   * state, until the returned function is called.
   */
  onChange(listener: (restated: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    for (const { unsubscribe } of this.#members.values()) unsubscribe();
    await Promise.all([...this.#workers.map((worker) => worker.close()), ...this.#leaving]);
  }

  #changed(restated: boolean): void {
    for (const listener of [...this.#listeners]) listener(restated);
  }

  #workerChanged(worker: Worker): void {
    const member = this.#members.get(worker);
    if (member === undefined) return;
    const { state } = worker;
    const restated = member.state !== state;
    member.state = state;
    if (restated) this.#timeState(member);
    this.#changed(restated);
    this.#removeIfUnneeded(worker);
  }

  #timeState(member: Member): void {
    const nowMs = this.#clock.now();
    const { state, startedAtMs } = member;
    if (state === 'ready' && startedAtMs !== undefined)
      this.#startMs += (nowMs - startedAtMs - this.#startMs) * PATIENCE.workerStartWeight;
    member.startedAtMs = state === 'starting' ? nowMs : undefined;
    member.deadSinceMs = state === 'dead' ? nowMs : undefined;
  }

  #isRetiring(worker: Worker): boolean {
    return this.#members.get(worker)?.retiring !== undefined;
  }

  #isServing(worker: Worker): boolean {
    const { trying } = worker;
    // A second process on a GPU that is in use starts as fast as any.
    const isExpected = trying === undefined || this.#workers.some(({ device }) => device === trying);
    return isExpected && !this.#isRetiring(worker);
  }

  /** Takes out a retiring worker that no stream needs any more. */
  #removeIfUnneeded(worker: Worker): void {
    const retiring = this.#members.get(worker)?.retiring;
    if (retiring === undefined || !worker.idle) return;
    const { version, onLeft } = retiring;
    const replaces = (other: Worker) => isReady(other) && !this.#isRetiring(other) && other.version === version;
    if ((this.#streams.get(version) ?? 0) > 0 && !this.#workers.some(replaces)) return;
    this.remove(worker).then(onLeft, onLeft);
  }
}
