/** The workers of a gateway: which of them takes the next segment, and word when one has room again. */
import type { Worker, WorkerState } from './worker.js';

export interface Lease {
  readonly worker: Worker;
  /** Gives the place back. Idempotent. */
  release(): void;
}

export interface Pool {
  readonly workers: readonly Worker[];
  /** True while at least one worker can take work. */
  readonly ready: boolean;
  /** Segments the workers take at once, all together. */
  readonly capacity: number;
  readonly busy: number;
  /** A place at the least busy worker that is ready; undefined when there is none. */
  acquire(): Lease | undefined;
  /** Calls back whenever a place may have become free or a worker's state changed, until the returned function is called. */
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}

export function createPool(workers: readonly Worker[]): Pool {
  const load = new Map<Worker, number>(workers.map((worker) => [worker, 0]));
  const listeners = new Set<() => void>();
  const changed = (_state?: WorkerState): void => {
    for (const listener of [...listeners]) listener();
  };
  const forget = workers.map((worker) => worker.onStateChange(changed));

  return {
    workers,
    get ready() {
      return workers.some((worker) => worker.state === 'ready');
    },
    get capacity() {
      return workers.reduce((sum, worker) => sum + worker.capacity, 0);
    },
    get busy() {
      return [...load.values()].reduce((sum, jobs) => sum + jobs, 0);
    },
    acquire() {
      let best: Worker | undefined;
      for (const worker of workers) {
        const jobs = load.get(worker)!;
        if (worker.state !== 'ready' || jobs >= worker.capacity) continue;
        if (!best || jobs < load.get(best)!) best = worker;
      }
      if (!best) return undefined;
      const worker = best;
      load.set(worker, load.get(worker)! + 1);
      let held = true;
      return {
        worker,
        release() {
          if (!held) return;
          held = false;
          load.set(worker, load.get(worker)! - 1);
          changed();
        },
      };
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      for (const stop of forget) stop();
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}
