/** Bounds the wait of queued segments while no worker is ready that could run them. */
import type { Clock, Timer } from '../clock.js';
import { otherReading, type SegmentTask } from './segment-task.js';
import { PATIENCE } from './tuning.js';
import type { WorkerPool } from './workers/pool.js';
import { noWorker } from './workers/usable.js';

export interface WorkerWaitOptions {
  readonly pool: WorkerPool;
  readonly clock: Clock;
  /** How long a segment waits while a worker starts, and while there are only dead ones. */
  readonly startPatienceMs: number;
  readonly deadPatienceMs: number;
  /** Whether a worker that starts now could run something. */
  readonly isComing: () => boolean;
  readonly queued: Iterable<SegmentTask>;
  /** The wait of a segment was too long: it must leave the queue, and fails afterwards. */
  readonly onGiveUp: (task: SegmentTask) => void;
}

export class WorkerWait {
  readonly #options: WorkerWaitOptions;
  /** Queued segments that no ready worker could run. */
  readonly #unplaced = new Set<SegmentTask>();
  #timer: Timer | undefined;

  constructor(options: WorkerWaitOptions) {
    this.#options = options;
  }

  /** To be called when a segment is queued, or a worker that it may wait for changed. */
  watch(task: SegmentTask): void {
    const { pool, startPatienceMs, deadPatienceMs, isComing, onGiveUp } = this.#options;
    if (pool.workers.some((worker) => worker.state === 'ready' && task.fits(worker))) {
      task.stopWaiting();
      this.#unplaced.delete(task);
      return;
    }
    this.#unplaced.add(task);
    const patienceMs = pool.failure ? 0 : isComing() ? startPatienceMs : deadPatienceMs;
    task.waitForWorker(patienceMs, () => {
      this.#unplaced.delete(task);
      onGiveUp(task);
      // With ready workers left, none of them would continue the audio that was delivered.
      task.fail(pool.state === 'ready' && task.delivered ? otherReading() : noWorker());
    });
  }

  /** The segment left the queue. */
  forget(task: SegmentTask): void {
    this.#unplaced.delete(task);
  }

  /** `restated`: a worker came, went or changed its state; else placed segments need no look. */
  poolChanged(restated: boolean): void {
    for (const task of restated ? this.#options.queued : this.#unplaced) this.watch(task);
    // What a worker elsewhere takes may change while it is ready.
    if (!restated) this.#timer ??= this.#options.clock.setTimeout(() => this.#watchAll(), PATIENCE.watchMs).unref();
  }

  close(): void {
    this.#timer?.cancel();
  }

  #watchAll(): void {
    this.#timer = undefined;
    for (const task of this.#options.queued) this.watch(task);
  }
}
