/** Admits requests at once or not at all, and gives their segments to workers: fairly, cancellably, again if one dies. */
import type { Logger } from '../log.js';
import type { VoiceCatalogue } from '../models/catalogue.js';
import { TtsError } from '../protocol/errors.js';
import type { Segment, SegmentJob } from '../protocol/job.js';
import type { WorkerPool } from './pool.js';
import { FairQueue } from './queue.js';
import type { SegmentTask } from './segment-task.js';
import { type SpeechHost, SpeechStream } from './speech.js';
import type { GatewayObserver, GatewayStats, ObservableGateway, Speech, SpeechOrder } from './types.js';
import type { Worker } from './worker.js';

export interface GatewayOptions {
  readonly pool: WorkerPool;
  /** Says what a voice is made of; engines know no names. */
  readonly catalogue: Pick<VoiceCatalogue, 'get'>;
  readonly log: Logger;
  readonly observer?: GatewayObserver;
  /** Requests and sessions that may hold a place. */
  readonly queueLimit: number;
  /** Segments of one stream in flight: with 2, the next is spoken while this one is being sent. */
  readonly lookahead?: number;
  /** How often a segment is run again after its worker was lost. */
  readonly retries?: number;
  /** How long a segment waits while workers are starting, and while there are only dead ones. */
  readonly startPatienceMs?: number;
  readonly deadPatienceMs?: number;
  /** Called when speech is wanted: starts workers that were not started yet. */
  readonly onDemand?: () => void;
}

const RETRY_AFTER_S = 5;
/** Whoever has more than this to listen to can wait for those who have not. */
const HUNGRY_MS = 2_000;
const noWorker = (retryAfterS = RETRY_AFTER_S) =>
  new TtsError('no_worker_ready', `No speech engine is ready. Try again in ${retryAfterS} seconds.`, { retryAfterS });
const shuttingDown = () =>
  new TtsError('shutting_down', 'The server is stopping and takes no new work. Try again once it is back.', {
    retryAfterS: RETRY_AFTER_S,
  });

export function createGateway(options: GatewayOptions): ObservableGateway {
  return new SegmentGateway(options);
}

class SegmentGateway implements ObservableGateway, SpeechHost {
  readonly lookahead: number;
  readonly #options: Required<Omit<GatewayOptions, 'observer' | 'onDemand' | 'lookahead'>> & GatewayOptions;
  readonly #queue = new FairQueue<SegmentTask>();
  readonly #open = new Set<SpeechStream>();
  readonly #unsubscribe: () => void;
  #running = 0;
  #jobs = 0;
  #draining = false;
  #onIdle: (() => void)[] = [];
  /** A running mean of what a segment takes, for an honest `Retry-After`. */
  #meanRunMs = 500;

  constructor(options: GatewayOptions) {
    this.#options = {
      retries: 2,
      startPatienceMs: 45_000,
      deadPatienceMs: 10_000,
      ...options,
    };
    this.lookahead = options.lookahead ?? 2;
    this.#unsubscribe = options.pool.onChange(() => this.#poolChanged());
  }

  get ready(): boolean {
    return !this.#draining && this.#options.pool.state === 'ready';
  }

  get stats(): GatewayStats {
    const { pool, queueLimit } = this.#options;
    return {
      open: this.#open.size,
      limit: queueLimit,
      queuedSegments: this.#queue.size,
      runningSegments: this.#running,
      workers: pool.counts,
      restarts: pool.restarts,
    };
  }

  open(order: SpeechOrder): Speech {
    const { pool, queueLimit, deadPatienceMs, onDemand } = this.#options;
    if (this.#draining) throw shuttingDown();
    if (this.#open.size >= queueLimit) {
      const aheadMs = (this.#queue.size * this.#meanRunMs) / Math.max(1, pool.capacity);
      const retryAfterS = Math.min(30, Math.max(1, Math.ceil(aheadMs / 1000)));
      throw new TtsError('overloaded', `All ${queueLimit} places are taken. Try again in ${retryAfterS} seconds.`, {
        retryAfterS,
      });
    }
    onDemand?.();
    if (pool.failure !== undefined || pool.deadForMs() > deadPatienceMs) throw noWorker();
    const stream = new SpeechStream(order, this);
    this.#open.add(stream);
    return stream;
  }

  job({ model, voice, seed }: SpeechOrder, segment: Segment): SegmentJob {
    const { language, mix } = this.#options.catalogue.get(model, voice);
    return { id: `job-${++this.#jobs}`, model, language, mix, seed, segment };
  }

  submit(task: SegmentTask): void {
    this.#queue.push(task.stream.order.owner, task.stream, task);
    this.#watchWait(task);
    this.#pump();
  }

  cancel(task: SegmentTask): void {
    this.#unqueue(task);
    task.cancel();
  }

  closed(stream: SpeechStream): void {
    this.#open.delete(stream);
    if (this.#open.size === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  drain(): Promise<void> {
    this.#draining = true;
    return this.#open.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#onIdle.push(resolve));
  }

  async close(): Promise<void> {
    this.#draining = true;
    for (const stream of [...this.#open]) stream.end(shuttingDown());
    this.#unsubscribe();
    await this.#options.pool.close();
  }

  #unqueue(task: SegmentTask): void {
    this.#queue.remove(task.stream.order.owner, task.stream, task);
  }

  #pump(): void {
    while (this.#queue.size > 0) {
      const worker = this.#options.pool.next();
      if (worker === undefined) return;
      const nowMs = performance.now();
      const task = this.#queue.shift((queued) => queued.stream.dueMs(queued, nowMs) < HUNGRY_MS)!;
      void this.#run(task, worker);
    }
  }

  async #run(task: SegmentTask, worker: Worker): Promise<void> {
    const { observer, log, retries } = this.#options;
    const { model } = task.job;
    const { owner, requestId } = task.stream.order;
    const startMs = performance.now();
    observer?.segmentStarted({ model, waitMs: startMs - task.queuedAtMs });
    this.#running++;
    await task.run(worker, retries);
    this.#running--;
    const fields = { requestId, job: task.job.id, attempts: task.attempts };
    if (task.state === 'done') {
      const runMs = performance.now() - startMs;
      this.#meanRunMs += (runMs - this.#meanRunMs) / 20;
      observer?.segmentSpoken({ model, runMs, samples: task.receivedSamples });
    } else if (task.state === 'queued') {
      log.warn(fields, 'a worker was lost under a segment, which runs again');
      observer?.segmentRetried({ model });
      this.#queue.unshift(owner, task.stream, task);
      this.#watchWait(task);
    } else if (task.state === 'failed') {
      log.error({ ...fields, err: task.error }, 'a segment failed');
      observer?.segmentFailed({ model });
    }
    this.#pump();
  }

  #poolChanged(): void {
    for (const task of this.#queue) this.#watchWait(task);
    this.#pump();
  }

  /** Bounds a queued segment's wait while no worker is ready. */
  #watchWait(task: SegmentTask): void {
    const { pool, startPatienceMs, deadPatienceMs, observer } = this.#options;
    if (pool.state === 'ready') {
      task.stopWaiting();
      return;
    }
    const patienceMs = pool.failure ? 0 : pool.state === 'starting' ? startPatienceMs : deadPatienceMs;
    task.waitForWorker(patienceMs, () => {
      this.#unqueue(task);
      task.fail(noWorker());
      observer?.segmentFailed({ model: task.job.model });
    });
  }
}
