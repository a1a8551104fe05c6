/** Admits requests at once or not at all, and gives their segments to workers: fairly, cancellably, again if one dies. */
import type { Logger } from '../log.js';
import { isAbort, TtsError } from '../protocol/errors.js';
import type { Lease, WorkerPool } from './pool.js';
import { FairQueue } from './queue.js';
import { type SpeechHost, SpeechStream, type Task } from './speech.js';
import type { GatewayObserver, GatewayStats, ObservableGateway, Speech, SpeechOrder } from './types.js';

export interface GatewayOptions {
  readonly pool: WorkerPool;
  readonly log: Logger;
  readonly observer?: GatewayObserver;
  /** Requests and sessions that may hold a place. */
  readonly queueLimit: number;
  /** Segments of one stream in flight: with 2, the next is spoken while this one is being sent. */
  readonly lookahead?: number;
  /** How often a segment is run again after its worker died. */
  readonly retries?: number;
  /** How long a segment waits while workers are starting, and while there are only dead ones. */
  readonly startPatienceMs?: number;
  readonly deadPatienceMs?: number;
  /** A segment that takes longer is given up. */
  readonly segmentTimeoutMs?: number;
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
  readonly #queue = new FairQueue<Task>();
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
      segmentTimeoutMs: 180_000,
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

  nextJobId(): string {
    return `job-${++this.#jobs}`;
  }

  submit(task: Task): void {
    this.#queue.push(task.stream.order.owner, task.stream, task);
    if (this.#options.pool.state !== 'ready') this.#wait(task);
    this.#pump();
  }

  cancel(task: Task): void {
    if (task.state === 'queued') this.#unqueue(task);
    else if (task.state !== 'running') return;
    task.state = 'cancelled';
    task.abort?.abort();
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

  #unqueue(task: Task): void {
    this.#queue.remove(task.stream.order.owner, task.stream, task);
    this.#stopWaiting(task);
  }

  #stopWaiting(task: Task): void {
    clearTimeout(task.patience);
    task.noWorkerSinceMs = undefined;
  }

  #pump(): void {
    while (this.#queue.size > 0) {
      const lease = this.#options.pool.acquire();
      if (lease === undefined) return;
      const nowMs = performance.now();
      void this.#run(this.#queue.shift((task) => task.stream.dueMs(task, nowMs) < HUNGRY_MS)!, lease);
    }
  }

  async #run(task: Task, lease: Lease): Promise<void> {
    const { observer, segmentTimeoutMs, log } = this.#options;
    const { model } = task.job;
    this.#stopWaiting(task);
    task.state = 'running';
    task.attempts++;
    task.abort = new AbortController();
    const startMs = performance.now();
    const job = { ...task.job, dueMs: task.stream.dueMs(task, startMs) };
    task.stream.started(startMs);
    observer?.segmentStarted({ model, waitMs: startMs - task.queuedAtMs });
    const watchdog = setTimeout(() => {
      this.#fail(task, new TtsError('synthesis_failed', 'The speech engine took too long over this text.'));
      task.abort?.abort();
    }, segmentTimeoutMs);
    this.#running++;
    let samples = 0;
    try {
      for await (const event of lease.worker.run(job, task.abort.signal)) {
        if (task.state !== 'running') break;
        if (event.type === 'audio') samples += event.pcm.length;
        task.events.push(event);
        task.stream.ring();
      }
      if (task.state === 'running') {
        task.state = 'done';
        const runMs = performance.now() - startMs;
        this.#meanRunMs += (runMs - this.#meanRunMs) / 20;
        observer?.segmentSpoken({ model, runMs, samples });
      }
    } catch (error) {
      if (task.state === 'running') this.#broke(task, error);
      else if (!isAbort(error)) log.debug({ err: error, job: task.job.id }, 'a segment nobody waits for failed');
    } finally {
      clearTimeout(watchdog);
      this.#running--;
      lease.release();
      task.stream.ring();
      this.#pump();
    }
  }

  /** The worker failed the segment: another try where nobody noticed and the process is to blame, else its error. */
  #broke(task: Task, error: unknown): void {
    const { observer, log, retries } = this.#options;
    const { requestId, model, owner } = task.stream.order;
    const fields = { err: error, requestId, job: task.job.id, attempts: task.attempts };
    const died = error instanceof TtsError && error.code === 'no_worker_ready';
    if (died && !task.heard && task.attempts <= retries) {
      log.warn(fields, 'a worker died under a segment, which runs again');
      observer?.segmentRetried({ model });
      task.events = [];
      task.state = 'queued';
      task.queuedAtMs = performance.now();
      this.#queue.unshift(owner, task.stream, task);
      if (this.#options.pool.state !== 'ready') this.#wait(task);
      return;
    }
    log.error(fields, 'a segment failed');
    this.#fail(
      task,
      error instanceof TtsError && error.code === 'synthesis_failed'
        ? error
        : new TtsError('synthesis_failed', 'The speech engine failed on this text.', { cause: error }),
    );
  }

  #fail(task: Task, error: TtsError): void {
    if (task.state === 'done' || task.state === 'cancelled' || task.state === 'failed') return;
    task.state = 'failed';
    task.error = error;
    this.#options.observer?.segmentFailed({ model: task.job.model });
    task.stream.ring();
  }

  #poolChanged(): void {
    const { pool } = this.#options;
    if (pool.state === 'ready') {
      for (const task of this.#queue) this.#stopWaiting(task);
      this.#pump();
    } else {
      for (const task of this.#queue) this.#wait(task);
    }
  }

  /** Bounds a queued segment's wait while no worker is ready. */
  #wait(task: Task): void {
    const { pool, startPatienceMs, deadPatienceMs } = this.#options;
    task.noWorkerSinceMs ??= performance.now();
    const waitedMs = performance.now() - task.noWorkerSinceMs;
    const patienceMs = pool.failure ? 0 : pool.state === 'starting' ? startPatienceMs : deadPatienceMs;
    clearTimeout(task.patience);
    task.patience = setTimeout(
      () => {
        if (task.state !== 'queued') return;
        this.#unqueue(task);
        this.#fail(task, noWorker());
      },
      Math.max(0, patienceMs - waitedMs),
    );
  }
}
