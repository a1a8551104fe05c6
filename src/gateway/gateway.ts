/** Admits requests at once or not at all, and gives their segments to workers: fairly, cancellably, again if one dies. */
import { Condition } from '../condition.js';
import type { Logger } from '../log.js';
import type { VoiceCatalogue } from '../models/catalogue.js';
import { TtsError } from '../protocol/errors.js';
import type { BaseModel, Segment, SegmentJob } from '../protocol/job.js';
import type { Admission } from './admission.js';
import { Intake } from './intake.js';
import { type Policy, Scheduler } from './scheduler.js';
import { otherReading, type SegmentTask } from './segment-task.js';
import type { SpeechHost } from './speech-host.js';
import { SpeechStream } from './speech-stream.js';
import type { GatewayLoad, GatewayObserver, GatewayStats, ObservableGateway, Speech, SpeechOrder } from './types.js';
import type { Crew } from './workers/crew.js';
import { Placement } from './workers/placement.js';
import type { WorkerPool } from './workers/pool.js';
import { isUsable, noWorker, Usable } from './workers/usable.js';
import type { Worker } from './workers/worker.js';

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
  readonly policy?: Policy;
  /** A live stream is refused where it would make others stall; without it places alone count. */
  readonly admission?: boolean;
  /** What was measured before, in seconds of a worker a second of speech. */
  readonly costs?: Admission['costs'];
  /** Called when speech is wanted: starts workers that were not started yet. */
  readonly onDemand?: () => void;
  /** Where more workers come from while work waits. */
  readonly crew?: Pick<Crew, 'need' | 'spare'>;
  /** How text is read here: what a worker elsewhere has to agree with. */
  readonly textVersion?: string;
  /** Whether workers may come that nobody has heard of yet; true where it is left out. */
  readonly expects?: () => boolean;
}

/** Options that have no default, or are kept elsewhere. */
type Bare = 'observer' | 'onDemand' | 'lookahead' | 'policy' | 'crew' | 'costs' | 'textVersion' | 'expects';

const RETRY_AFTER_S = 5;
/** With every segment, the longest turns of another model count for less. */
const TURN_FADE = 0.999;
/** A worker has a turn that runs and one that lies ready before it comes to another's; and then it is not done. */
const CUSHION_TURNS = 2.5;
/** Less than what a stream holds at most. */
const MOST_CUSHION_MS = 1_500;
/** How often it is looked at whether all that waits has a worker that could run it. */
const WATCH_MS = 250;
const shuttingDown = () =>
  new TtsError('shutting_down', 'The server is stopping and takes no new work. Try again once it is back.', {
    retryAfterS: RETRY_AFTER_S,
  });

export function createGateway(options: GatewayOptions): ObservableGateway {
  return new SegmentGateway(options);
}

class SegmentGateway implements ObservableGateway, SpeechHost<SpeechStream> {
  readonly lookahead: number;
  readonly intake: Intake;
  readonly #options: Required<Omit<GatewayOptions, Bare>> & GatewayOptions;
  readonly #scheduler: Scheduler;
  readonly #placement = new Placement();
  readonly #usable: Usable;
  readonly #open = new Set<SpeechStream>();
  readonly #unsubscribe: () => void;
  /** Queued segments that no worker which is ready could run. */
  readonly #unplaced = new Set<SegmentTask>();
  #jobs = 0;
  #dispatching = false;
  #watch: NodeJS.Timeout | undefined;
  #draining = false;
  /** Those that were asked for. */
  readonly #models = new Set<BaseModel>();
  readonly #left = new Condition();
  /** A running mean of what a segment takes, for an honest `Retry-After`. */
  #meanRunMs = 500;

  constructor(options: GatewayOptions) {
    this.#options = {
      retries: 2,
      admission: false,
      startPatienceMs: 45_000,
      deadPatienceMs: 10_000,
      ...options,
    };
    this.lookahead = options.lookahead ?? 2;
    this.#scheduler = new Scheduler(options.policy);
    this.intake = new Intake(options);
    this.#usable = new Usable(this.#options);
    this.#unsubscribe = options.pool.onChange((restated) => this.#poolChanged(restated));
  }

  get ready(): boolean {
    return !this.#draining && this.#usable.any;
  }

  get readiness(): string {
    return this.#usable.words;
  }

  get unusable(): ReadonlyMap<string, string> {
    return this.#usable.whys;
  }

  get stats(): GatewayStats {
    const { pool, queueLimit, crew } = this.#options;
    return {
      open: this.#open.size,
      limit: queueLimit,
      queuedSegments: this.#scheduler.queued,
      runningSegments: this.#scheduler.running,
      workers: pool.counts,
      usable: { textVersion: this.#usable.textVersion, models: this.#usable.counts },
      unusable: this.#usable.reasons,
      mostWorkers: pool.workers.length + (crew?.spare ?? 0),
      restarts: pool.restarts,
    };
  }

  get load(): GatewayLoad {
    return this.intake.load(this.#open);
  }

  get costs(): Admission['costs'] {
    return this.intake.costs;
  }

  open(order: SpeechOrder): Speech {
    const { pool, queueLimit, onDemand, catalogue } = this.#options;
    if (this.#draining) throw shuttingDown();
    if (this.#open.size >= queueLimit) {
      const aheadMs = (this.#scheduler.queued * this.#meanRunMs) / Math.max(1, pool.capacity);
      const retryAfterS = Math.min(30, Math.max(1, Math.ceil(aheadMs / 1000)));
      throw new TtsError('overloaded', `All ${queueLimit} places are taken. Try again in ${retryAfterS} seconds.`, {
        retryAfterS,
      });
    }
    onDemand?.();
    if (pool.failure !== undefined) throw noWorker();
    this.#usable.check({ model: order.model, mix: catalogue.get(order.model, order.voice).mix });
    if (this.#options.admission && order.whole !== true) this.intake.admit(order, this.#open, this.#scheduler.turnMs);
    this.#models.add(order.model);
    const stream = new SpeechStream(order, this);
    this.#open.add(stream);
    return stream;
  }

  /** Where every worker has something to do. */
  get cushionMs(): number {
    const idle = this.#options.pool.serving.some((worker) => worker.busy === 0 && isUsable(worker));
    if (idle || this.#scheduler.lone !== undefined) return 0;
    return Math.min(MOST_CUSHION_MS, CUSHION_TURNS * this.#scheduler.turnMs + this.intake.roundTripMs);
  }

  job({ model, voice, seed, speed = 1, ...order }: SpeechOrder, segment: Segment): SegmentJob {
    const { mix, gainDb, ...own } = this.#options.catalogue.get(model, voice);
    const { language = own.language } = order;
    return { id: `job-${++this.#jobs}`, model, language, mix, seed, speed, gainDb: gainDb[model], segment };
  }

  submit(task: SegmentTask): void {
    this.#scheduler.add(task);
    this.#watchWait(task);
    this.#dispatchSoon();
  }

  cancel(task: SegmentTask): void {
    // One that a worker has is let go when that has noticed.
    if (task.state === 'queued') this.#forget(task);
    task.cancel();
  }

  #forget(task: SegmentTask): void {
    this.#scheduler.remove(task);
    this.#unplaced.delete(task);
  }

  closed(stream: SpeechStream): void {
    this.#open.delete(stream);
    this.intake.closed(stream);
    if (stream.version !== undefined) this.#options.pool.streamEnded(stream.version);
    this.#left.notify();
  }

  drain(): Promise<void> {
    this.#draining = true;
    return this.#left.until(() => this.#open.size === 0);
  }

  async close(): Promise<void> {
    this.#draining = true;
    for (const stream of [...this.#open]) stream.end(shuttingDown());
    this.#unsubscribe();
    this.#usable.close();
    clearTimeout(this.#watch);
    await this.#options.pool.close();
  }

  /** Once for all that happens in a turn of the event loop. */
  #dispatchSoon(): void {
    if (this.#dispatching) return;
    this.#dispatching = true;
    setImmediate(() => {
      this.#dispatching = false;
      this.#dispatch();
    });
  }

  /** Gives turns to workers for as long as one has room and something to do with it. */
  #dispatch(): void {
    const { pool } = this.#options;
    const served = new Set<Worker>();
    // A lone listener has one worker, which has the whole machine; of several each has its core.
    const { lone } = this.#scheduler;
    const mayWiden = (worker: Worker) =>
      worker.setWide !== undefined && worker.state === 'ready' && pool.mayBegin(worker, lone?.version);
    const widened = lone && pool.workers.find(mayWiden);
    for (const worker of pool.workers) worker.setWide?.(worker === widened);
    const nowMs = performance.now();
    const round = this.#scheduler.round(nowMs);
    for (;;) {
      const worker = pool.next(served);
      if (worker === undefined) break;
      const task = round.next(worker, this.#mayBegin(worker, widened));
      if (task === undefined) {
        served.add(worker);
        continue;
      }
      round.take(task, worker);
      if (worker === widened) task.wide = true;
      if (task.state === 'queued') void this.#run(task, worker);
      else worker.grant(task.job.id, task.dueInMs(nowMs));
    }
    if (lone === undefined) this.#askForWorkers();
    this.intake.watch(this.#scheduler.queued);
  }

  #mayBegin(worker: Worker, widened: Worker | undefined): (task: SegmentTask) => boolean {
    if (widened !== undefined && worker !== widened) return () => false;
    const { pool } = this.#options;
    const { workers } = pool;
    if (this.#placement.isFastest(worker, workers)) return ({ stream }) => pool.mayBegin(worker, stream.version);
    const { queued } = this.#scheduler;
    return (task) => {
      const { version } = task.stream;
      const fits = (other: Worker) => task.fits(other) && pool.mayBegin(other, version);
      return pool.mayBegin(worker, version) && this.#placement.isSoonest(worker, workers, queued, fits);
    };
  }

  #askForWorkers(): void {
    const { pool, crew } = this.#options;
    if (crew === undefined || crew.spare === 0) return;
    let waiting = this.#scheduler.queued;
    for (const { runnable } of pool.workers) for (const { turns } of runnable) if (turns === 0) waiting += 1;
    if (waiting > 0) crew.need(waiting, [...this.#models]);
  }

  async #run(task: SegmentTask, worker: Worker): Promise<void> {
    const { observer, log, retries } = this.#options;
    const { model } = task.job;
    const { requestId, trace } = task.stream.order;
    const startMs = performance.now();
    observer?.segmentStarted({ model, waitMs: startMs - task.queuedAtMs });
    this.#unplaced.delete(task);
    this.#begins(task, worker);
    await task.run(worker, retries);
    this.#scheduler.remove(task);
    const traced = trace?.traceId === undefined ? {} : { traceId: trace.traceId };
    const fields = { requestId, job: task.job.id, attempts: task.attempts, ...traced };
    if (task.state === 'done') {
      const { runMs, receivedSamples: samples } = task;
      this.#meanRunMs += (runMs - this.#meanRunMs) / 20;
      // What one does with all cores says nothing of what it does among others.
      if (!task.wide) this.#placement.learn(worker, model, { runMs, samples });
      this.intake.learn(task);
      this.#scheduler.turnMs = Math.max(this.#scheduler.turnMs * TURN_FADE, this.intake.firstMs(model));
      observer?.segmentSpoken({ model, runMs, samples });
    } else if (task.state === 'queued') {
      log.warn(fields, 'a worker was lost under a segment, which runs again');
      observer?.segmentRetried({ model });
      this.#scheduler.add(task);
      this.#watchWait(task);
    } else if (task.state === 'failed') {
      log.error({ ...fields, err: task.error }, 'a segment failed');
      observer?.segmentFailed({ model });
    }
    this.#dispatchSoon();
  }

  /** A stream whose first segment this is begins here. */
  #begins({ stream }: SegmentTask, { version }: Worker): void {
    if (!(stream instanceof SpeechStream) || stream.version !== undefined || version === undefined) return;
    if (!this.#open.has(stream)) return;
    stream.version = version;
    this.#options.pool.streamBegan(version);
  }

  #poolChanged(restated: boolean): void {
    // Whoever has a worker that could run it needs no watch until one comes or goes.
    for (const task of restated ? this.#scheduler : this.#unplaced) this.#watchWait(task);
    // What a worker elsewhere takes may change while it is ready.
    if (!restated) this.#watch ??= setTimeout(() => this.#watchAll(), WATCH_MS).unref();
    this.#dispatchSoon();
  }

  #watchAll(): void {
    this.#watch = undefined;
    for (const task of this.#scheduler) this.#watchWait(task);
  }

  /** Bounds a queued segment's wait while no worker is ready that could run it. */
  #watchWait(task: SegmentTask): void {
    const { pool, startPatienceMs, deadPatienceMs, observer } = this.#options;
    if (pool.workers.some((worker) => worker.state === 'ready' && task.fits(worker))) {
      task.stopWaiting();
      this.#unplaced.delete(task);
      return;
    }
    this.#unplaced.add(task);
    const patienceMs = pool.failure ? 0 : this.#usable.isComing ? startPatienceMs : deadPatienceMs;
    task.waitForWorker(patienceMs, () => {
      this.#forget(task);
      // There are workers, and none of them would go on as it began.
      task.fail(pool.state === 'ready' && task.heard ? otherReading() : noWorker());
      observer?.segmentFailed({ model: task.job.model });
    });
  }
}
