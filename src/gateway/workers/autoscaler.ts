/** How many engine processes a gateway has: some always, more while work waits, fewer when idle. */
import { type Clock, systemClock, type Timer } from '../../clock.js';
import type { Logger } from '../../log.js';
import type { BaseModel } from '../../protocol/job.js';
import type { WorkerPool } from './pool.js';
import type { Worker } from './worker.js';

export interface WorkerLimits {
  readonly least: number;
  readonly most: number;
}

export interface AutoscalerOptions {
  readonly pool: WorkerPool;
  readonly clock?: Clock;
  /**
   * Makes a worker, whose process starts at once. An extra one is started for the requests of these
   * `models`.
   */
  readonly startWorker: (number: number, models?: readonly BaseModel[]) => Worker;
  /** Workers that are always there, and the most there may be, on the device now in use. */
  readonly limits: () => WorkerLimits;
  /** Whether the other permanent workers start when the first is ready, and not beside it. */
  readonly firstAlone?: boolean;
  /** Makes a worker on the CPU that serves while the first looks at a GPU. Absent: none does. */
  readonly startSubstitute?: (number: number) => Worker;
  /** Workers that may be starting at the same time: a start takes a core. */
  readonly maxStarting: number;
  /** An extra worker stops after this long without a job. */
  readonly idleMs: number;
  readonly log: Logger;
}

export class Autoscaler {
  readonly #options: AutoscalerOptions;
  readonly #clock: Clock;
  /** Workers beyond the permanent ones, and since when each has had no job. */
  readonly #extraWorkers = new Map<Worker, number | undefined>();
  /** Serves until the first worker is ready. */
  #substitute: Worker | undefined;
  #permanent = 0;
  #made = 0;
  #started = false;
  #stopped = false;
  #watch: Timer | undefined;

  constructor(options: AutoscalerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Workers that would start if they were needed. */
  get spare(): number {
    const { least, most } = this.#options.limits();
    const permanent = this.#started ? Math.max(least, this.#permanent) : 0;
    return Math.max(0, most - permanent - this.#extraWorkers.size);
  }

  /** Starts the permanent workers. */
  start(): void {
    if (this.#started || this.#stopped) return;
    this.#started = true;
    if (!this.#options.firstAlone) {
      this.#startPermanent();
      return;
    }
    const first = this.#options.startWorker(++this.#made);
    this.#permanent = 1;
    this.#watchFirst(first);
    this.#options.pool.add(first);
  }

  /** This many steps wait, and no worker has room for them. */
  need(steps: number, models: readonly BaseModel[]): void {
    const { pool, startWorker, maxStarting, limits, idleMs, log } = this.#options;
    if (!this.#started || this.#stopped || pool.state !== 'ready') return;
    const starting = pool.serving.filter(({ state }) => state === 'starting').length;
    // Workers that are starting will take two steps each.
    const missing = Math.ceil(steps / 2) - starting;
    const count = Math.min(missing, maxStarting - starting, this.spare);
    for (let i = 0; i < count; i++) {
      const worker = startWorker(++this.#made, models);
      this.#extraWorkers.set(worker, undefined);
      log.info(
        { worker: worker.id, workers: this.#workers, most: limits().most },
        'work waits: an engine process starts',
      );
      pool.add(worker);
    }
    if (this.#extraWorkers.size > 0)
      this.#watch ??= this.#clock.setInterval(() => this.#stopIdle(), Math.max(10, idleMs / 4)).unref();
  }

  /** No worker is started or stopped any more. */
  stop(): void {
    this.#stopped = true;
    this.#watch?.cancel();
  }

  get #workers(): number {
    return this.#permanent + this.#extraWorkers.size;
  }

  #stopIdle(): void {
    const nowMs = this.#clock.now();
    for (const [worker, idleSinceMs] of this.#extraWorkers) {
      if (!worker.idle || worker.state === 'starting') this.#extraWorkers.set(worker, undefined);
      else if (idleSinceMs === undefined) this.#extraWorkers.set(worker, nowMs);
      else if (nowMs - idleSinceMs >= this.#options.idleMs) this.#stopWorker(worker);
    }
    if (this.#extraWorkers.size > 0) return;
    this.#watch?.cancel();
    this.#watch = undefined;
  }

  #stopWorker(worker: Worker): void {
    const { pool, log } = this.#options;
    this.#extraWorkers.delete(worker);
    log.info({ worker: worker.id, workers: this.#workers }, 'an engine process had nothing to do and ends');
    pool.remove(worker).catch(this.#onEndError);
  }

  readonly #onEndError = (error: unknown): void =>
    this.#options.log.warn({ err: error }, 'an engine process could not be ended');

  #startPermanent(): void {
    const { pool, startWorker, limits } = this.#options;
    while (!this.#stopped && this.#permanent < limits().least) {
      this.#permanent += 1;
      pool.add(startWorker(++this.#made));
    }
  }

  /** Starts the other permanent workers once `first` is ready; a substitute if it checks a GPU. */
  #watchFirst(first: Worker): void {
    let isReady = false;
    // Of all workers: the first may have lost its GPU while another still served.
    this.#options.pool.onChange(() => {
      if (this.#stopped) return;
      const wasReady = isReady;
      // Before anything is started, which is a change as well.
      isReady = first.state === 'ready';
      if (first.trying !== undefined) this.#startSubstitute(first);
      if (!isReady || wasReady) return;
      this.#startPermanent();
      this.#retireFor(first);
    });
  }

  #startSubstitute({ id, trying }: Worker): void {
    const { pool, startSubstitute, log } = this.#options;
    if (startSubstitute === undefined || this.#substitute !== undefined || pool.state === 'ready') return;
    this.#substitute = startSubstitute(++this.#made);
    const fields = { worker: id, gpu: trying, substitute: this.#substitute.id };
    log.info(fields, 'a GPU is looked at; the CPU serves meanwhile');
    pool.add(this.#substitute);
  }

  /** Streams that began on the CPU while `first` looked at a GPU end there. */
  #retireFor(first: Worker): void {
    const { pool, log } = this.#options;
    const substitute = this.#substitute;
    if (substitute === undefined) return;
    this.#substitute = undefined;
    const others = [...this.#extraWorkers.keys()].filter(({ version }) => version !== first.version);
    for (const worker of [substitute, ...others]) {
      this.#extraWorkers.delete(worker);
      log.info({ worker: worker.id, first: first.id, engine: first.description }, 'an engine process gives way');
      const onEnd = () => log.info({ worker: worker.id }, 'what it began has ended, and it ends');
      pool.retire(worker).then(onEnd, this.#onEndError);
    }
  }
}
