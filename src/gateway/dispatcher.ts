/** Gives steps to workers that have room, as the scheduler orders them. */
import type { Clock } from '../clock.js';
import type { BaseModel } from '../protocol/job.js';
import type { Scheduler } from './scheduler.js';
import type { SegmentStream, SegmentTask } from './segment-task.js';
import type { Autoscaler } from './workers/autoscaler.js';
import type { Placement } from './workers/placement.js';
import { hasRoom, type WorkerPool } from './workers/pool.js';
import type { Worker } from './workers/worker.js';

export interface DispatcherOptions {
  readonly pool: WorkerPool;
  readonly scheduler: Scheduler;
  readonly placement: Placement;
  readonly clock: Clock;
  readonly autoscaler: Pick<Autoscaler, 'need' | 'spare'> | undefined;
  /** Models that new workers preload. */
  readonly models: ReadonlySet<BaseModel>;
  /** Begins a queued segment on a worker. */
  readonly start: (task: SegmentTask, worker: Worker, multiThreaded: boolean) => void;
  readonly onDispatched: () => void;
}

export class Dispatcher {
  readonly #options: DispatcherOptions;
  #dispatching = false;
  /** The stream that has all cores, and its worker. */
  #allCores: { readonly stream: SegmentStream; readonly worker: Worker } | undefined;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Dispatches once for all that happens in one turn of the event loop. */
  soon(): void {
    if (this.#dispatching) return;
    this.#dispatching = true;
    setImmediate(() => {
      this.#dispatching = false;
      this.#dispatch();
    });
  }

  /** Gives steps to workers for as long as one has room and something to do with it. */
  #dispatch(): void {
    const { pool, clock, scheduler, start, onDispatched } = this.#options;
    const served = new Set<Worker>();
    const { onlyStream, foremost } = scheduler;
    const allCores = this.#setThreads(foremost);
    // Buffered responses wait meanwhile: they would take cores from the first audio.
    const onlyUrgent = allCores !== undefined && foremost !== onlyStream;
    const nowMs = clock.now();
    const round = scheduler.round(nowMs);
    for (;;) {
      const worker = pool.next(served);
      if (worker === undefined) break;
      const task = round.next(worker, this.#mayBegin(worker, allCores), { urgent: onlyUrgent || !hasRoom(worker) });
      if (task === undefined) {
        served.add(worker);
        continue;
      }
      round.take(task, worker);
      const multiThreaded = worker === allCores;
      if (task.state === 'queued') start(task, worker, multiThreaded);
      else task.grantStep(worker, { nowMs, multiThreaded });
    }
    if (onlyStream === undefined) this.#askForWorkers();
    onDispatched();
  }

  /**
   * One stream may have a worker that uses all cores; several streams have a core each. It has none
   * where another machine is faster. How fast workers of this machine were says nothing here: those
   * with a core each were not beside one that has all.
   */
  #setThreads(stream: SegmentStream | undefined): Worker | undefined {
    const { pool, placement, scheduler } = this.#options;
    const isElsewhere = ({ roundTripMs }: Worker) => roundTripMs !== undefined;
    const fits = (worker: Worker) => ![...scheduler].some((task) => task.stream === stream && !task.fits(worker));
    const mayUseAll = (worker: Worker) =>
      worker.setMultiThreaded !== undefined &&
      worker.state === 'ready' &&
      pool.mayBegin(worker, stream?.version) &&
      fits(worker) &&
      placement.isSoonest(worker, pool.workers, scheduler.queued, isElsewhere);
    const begun = this.#allCores?.stream === stream ? this.#allCores?.worker : undefined;
    // Where it began, else where the least is to be done.
    const order = (worker: Worker) => (worker === begun ? -1 : worker.busy);
    const allCores = stream && [...pool.workers].sort((a, b) => order(a) - order(b)).find(mayUseAll);
    this.#allCores = stream && allCores && { stream, worker: allCores };
    for (const worker of pool.workers) worker.setMultiThreaded?.(worker === allCores);
    return allCores;
  }

  #mayBegin(worker: Worker, allCores: Worker | undefined): (task: SegmentTask) => boolean {
    const { pool, placement, scheduler } = this.#options;
    const { workers } = pool;
    if (allCores !== undefined && worker !== allCores) return () => false;
    // No other may begin it, however much faster it was.
    if (worker === allCores || placement.isFastest(worker, workers))
      return ({ stream }) => pool.mayBegin(worker, stream.version);
    const { queued } = scheduler;
    return (task) => {
      const { version } = task.stream;
      const fits = (other: Worker) => task.fits(other) && pool.mayBegin(other, version);
      return pool.mayBegin(worker, version) && placement.isSoonest(worker, workers, queued, fits);
    };
  }

  #askForWorkers(): void {
    const { pool, scheduler, autoscaler, models } = this.#options;
    if (autoscaler === undefined || autoscaler.spare === 0) return;
    let waiting = scheduler.queued;
    for (const { runnable } of pool.workers) for (const { steps } of runnable) if (steps === 0) waiting += 1;
    if (waiting > 0) autoscaler.need(waiting, [...models]);
  }
}
