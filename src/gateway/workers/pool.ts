/** The workers of a gateway: which of them takes the next segment, and word when one has room again. */
import type { TtsError } from '../../protocol/errors.js';
import type { Worker, WorkerState } from './worker.js';

export interface WorkerPool {
  readonly workers: readonly Worker[];
  /** Those that new streams are for: not those that retire, and not those that nobody knows when they will be ready. */
  readonly serving: readonly Worker[];
  /** The best state any worker is in; `starting` while there is none yet. */
  readonly state: WorkerState;
  readonly counts: Readonly<Record<WorkerState, number>>;
  /** Restarts of all workers together, of those that went as well. */
  readonly restarts: number;
  /** Segments the workers take at once, all together. */
  readonly capacity: number;
  /** What a worker takes from its start until it is ready, as measured. */
  readonly startMs: number;
  /** In how many milliseconds each of those that are starting will be ready, about. */
  readonly comingMs: readonly number[];
  /** Why no worker will come at all, where that is known. */
  readonly failure: TtsError | undefined;
  /** How long a worker has been dead; 0 where it is not. */
  deadForMs(worker: Worker): number;
  add(worker: Worker): void;
  /** Takes it out at once and closes it; what it had runs again elsewhere. */
  remove(worker: Worker): Promise<void>;
  /**
   * Lets it end what it began: streams whose first segment it spoke stay with workers of its version, and none begins on it while
   * another is ready. Resolves when it was taken out because no such stream is open any more.
   */
  retire(worker: Worker): Promise<void>;
  /** Whether a worker may begin a segment of a stream whose first one was spoken by this version; undefined where it is the first. */
  mayBegin(worker: Worker, version: string | undefined): boolean;
  /** A stream has begun on an engine of this version, and is over. */
  streamBegan(version: string): void;
  streamEnded(version: string): void;
  /** No worker can be made, for this reason; undefined takes it back. */
  setFailure(error: TtsError | undefined): void;
  /** The least busy worker that is ready and has room for a turn; of equals the first, so that the last ones may run out of work. */
  next(except?: ReadonlySet<Worker>): Worker | undefined;
  /** Calls back whenever a place may have become free or, `restated`, a worker came, went or changed its state, until the returned function is called. */
  onChange(listener: (restated: boolean) => void): () => void;
  close(): Promise<void>;
}

const NONE: ReadonlySet<Worker> = new Set();
/** Until one was seen to start. */
const START_MS = 2_000;
const BEST_FIRST: readonly WorkerState[] = ['ready', 'starting', 'dead', 'closed'];

/**
 * One that takes many turns at once is given them a few at a time: to look through all streams for each would be the gateway's largest
 * task, and so many that lie ready are not missed.
 */
const hasRoom = ({ busy, capacity }: Worker): boolean => capacity - busy >= Math.max(1, Math.floor(capacity / 16));

export function createPool(initial: readonly Worker[] = []): WorkerPool {
  const workers: Worker[] = [];
  const listeners = new Set<(restated: boolean) => void>();
  const states = new Map<Worker, WorkerState>();
  const forget = new Map<Worker, () => void>();
  const startedAtMs = new Map<Worker, number>();
  const deadSinceMs = new Map<Worker, number>();
  /** Those that were taken out and are not through with closing. */
  const leaving = new Set<Promise<void>>();
  /** Those that end what they began. */
  const retiring = new Map<Worker, { readonly version: string; readonly left: () => void }>();
  /** Open streams by the version that spoke their first segment. */
  const streams = new Map<string, number>();
  let startMs = START_MS;
  let goneRestarts = 0;
  let failure: TtsError | undefined;

  const stateOf = (): WorkerState =>
    BEST_FIRST.find((state) => workers.some((worker) => worker.state === state)) ?? 'starting';
  function changed(restated: boolean): void {
    for (const listener of [...listeners]) listener(restated);
  }
  function workerChanged(worker: Worker): void {
    const { state } = worker;
    const restated = states.get(worker) !== state;
    states.set(worker, state);
    if (restated) {
      timeStart(worker);
      if (state === 'dead') deadSinceMs.set(worker, performance.now());
      else deadSinceMs.delete(worker);
    }
    changed(restated);
    letGo(worker);
  }
  /** How long a second process takes with a GPU is known: as long as any start. */
  const isExpected = ({ trying }: Worker): boolean =>
    trying === undefined || workers.some(({ device }) => device === trying);
  const isServing = (worker: Worker): boolean => !retiring.has(worker) && isExpected(worker);
  const isReady = ({ state }: Worker): boolean => state === 'ready';
  /** Takes out one that retires, where nothing needs it any more. */
  function letGo(worker: Worker): void {
    const retired = retiring.get(worker);
    if (retired === undefined || !worker.idle) return;
    const isOne = (other: Worker) => isReady(other) && !retiring.has(other) && other.version === retired.version;
    if ((streams.get(retired.version) ?? 0) > 0 && !workers.some(isOne)) return;
    retiring.delete(worker);
    remove(worker).then(retired.left, retired.left);
  }
  function timeStart(worker: Worker): void {
    const atMs = startedAtMs.get(worker);
    if (worker.state === 'ready' && atMs !== undefined) startMs += (performance.now() - atMs - startMs) / 4;
    if (worker.state === 'starting') startedAtMs.set(worker, performance.now());
    else startedAtMs.delete(worker);
  }
  function add(worker: Worker): void {
    workers.push(worker);
    forget.set(
      worker,
      worker.onChange(() => workerChanged(worker)),
    );
    workerChanged(worker);
  }
  async function remove(worker: Worker): Promise<void> {
    if (!workers.includes(worker)) return;
    workers.splice(workers.indexOf(worker), 1);
    forget.get(worker)!();
    forget.delete(worker);
    states.delete(worker);
    startedAtMs.delete(worker);
    retiring.delete(worker);
    deadSinceMs.delete(worker);
    goneRestarts += worker.restarts;
    changed(true);
    const closed = worker.close();
    leaving.add(closed);
    await closed.finally(() => leaving.delete(closed));
  }
  for (const worker of initial) add(worker);

  return {
    workers,
    get serving() {
      return workers.filter(isServing);
    },
    get state() {
      return stateOf();
    },
    get counts() {
      const counts = { starting: 0, ready: 0, dead: 0, closed: 0 };
      for (const worker of workers) counts[worker.state] += 1;
      return counts;
    },
    get restarts() {
      return workers.reduce((sum, worker) => sum + worker.restarts, goneRestarts);
    },
    get capacity() {
      return workers.reduce((sum, worker) => sum + worker.capacity, 0);
    },
    get startMs() {
      return startMs;
    },
    get comingMs() {
      const nowMs = performance.now();
      return [...startedAtMs]
        .filter(([worker]) => isServing(worker))
        .map(([, atMs]) => Math.max(0, atMs + startMs - nowMs));
    },
    get failure() {
      return failure;
    },
    deadForMs(worker) {
      const sinceMs = deadSinceMs.get(worker);
      return sinceMs === undefined ? 0 : performance.now() - sinceMs;
    },
    add,
    remove,
    retire(worker) {
      if (!workers.includes(worker) || retiring.has(worker)) return Promise.resolve();
      // One that was never ready has begun nothing.
      if (worker.version === undefined) return remove(worker);
      const { version } = worker;
      return new Promise((left) => {
        retiring.set(worker, { version, left });
        letGo(worker);
      });
    },
    mayBegin(worker, version) {
      if (version !== undefined && version === worker.version) return true;
      if (retiring.has(worker)) return !workers.some((other) => isReady(other) && !retiring.has(other));
      for (const [other, retired] of retiring) if (isReady(other) && retired.version === version) return false;
      return true;
    },
    streamBegan(version) {
      streams.set(version, (streams.get(version) ?? 0) + 1);
    },
    streamEnded(version) {
      const left = (streams.get(version) ?? 0) - 1;
      if (left > 0) streams.set(version, left);
      else streams.delete(version);
      for (const worker of [...retiring.keys()]) letGo(worker);
    },
    setFailure(error) {
      failure = error;
      changed(true);
    },
    next(except = NONE) {
      let best: Worker | undefined;
      for (const worker of workers) {
        if (except.has(worker) || worker.state !== 'ready' || !hasRoom(worker)) continue;
        if (!best || worker.busy + worker.others < best.busy + best.others) best = worker;
      }
      return best;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      for (const stop of forget.values()) stop();
      await Promise.all([...workers.map((worker) => worker.close()), ...leaving]);
    },
  };
}
