/** The workers of a gateway: which of them takes the next segment, and word when one has room again. */
import type { TtsError } from '../protocol/errors.js';
import type { Worker, WorkerState } from './worker.js';

export interface WorkerPool {
  readonly workers: readonly Worker[];
  /** The best state any worker is in; `starting` while there is none yet. */
  readonly state: WorkerState;
  readonly counts: Readonly<Record<WorkerState, number>>;
  /** Restarts of all workers together, of those that went as well. */
  readonly restarts: number;
  /** Segments the workers take at once, all together. */
  readonly capacity: number;
  /** Why no worker will come at all, where that is known. */
  readonly failure: TtsError | undefined;
  /** How long there have been only dead workers; 0 otherwise. */
  deadForMs(): number;
  add(worker: Worker): void;
  /** Takes it out at once and closes it; what it had runs again elsewhere. */
  remove(worker: Worker): Promise<void>;
  /** No worker can be made, for this reason; undefined takes it back. */
  setFailure(error: TtsError | undefined): void;
  /** The least busy worker that is ready and takes a turn; of equals the first, so that the last ones may run out of work. */
  next(except?: ReadonlySet<Worker>): Worker | undefined;
  /** Calls back whenever a place may have become free or a state changed, until the returned function is called. */
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}

const NONE: ReadonlySet<Worker> = new Set();
const BEST_FIRST: readonly WorkerState[] = ['ready', 'starting', 'dead', 'closed'];

export function createPool(initial: readonly Worker[] = []): WorkerPool {
  const workers: Worker[] = [];
  const listeners = new Set<() => void>();
  const forget = new Map<Worker, () => void>();
  let goneRestarts = 0;
  let failure: TtsError | undefined;
  let deadSinceMs: number | undefined;

  const stateOf = (): WorkerState =>
    BEST_FIRST.find((state) => workers.some((worker) => worker.state === state)) ?? 'starting';
  function changed(): void {
    if (stateOf() !== 'dead') deadSinceMs = undefined;
    else deadSinceMs ??= performance.now();
    for (const listener of [...listeners]) listener();
  }
  function add(worker: Worker): void {
    workers.push(worker);
    forget.set(worker, worker.onChange(changed));
    changed();
  }
  async function remove(worker: Worker): Promise<void> {
    if (!workers.includes(worker)) return;
    workers.splice(workers.indexOf(worker), 1);
    forget.get(worker)!();
    forget.delete(worker);
    goneRestarts += worker.restarts;
    changed();
    await worker.close();
  }
  for (const worker of initial) add(worker);

  return {
    workers,
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
    get failure() {
      return failure;
    },
    deadForMs: () => (deadSinceMs === undefined ? 0 : performance.now() - deadSinceMs),
    add,
    remove,
    setFailure(error) {
      failure = error;
      changed();
    },
    next(except = NONE) {
      let best: Worker | undefined;
      for (const worker of workers) {
        if (except.has(worker) || worker.state !== 'ready' || worker.busy >= worker.capacity) continue;
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
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}
