/** Admits requests at once or not at all, and gives their segments to workers. */
import { type Clock, systemClock } from '../clock.js';
import { Condition } from '../condition.js';
import type { Logger } from '../log.js';
import type { VoiceCatalogue } from '../models/catalogue.js';
import type { CatalogueVoice } from '../models/voice-file.js';
import { TtsError } from '../protocol/errors.js';
import type { BaseModel, Segment, SegmentJob } from '../protocol/job.js';
import { readingOf } from '../protocol/languages.js';
import { deliveryOf } from '../text/delivery/delivery.js';
import { AdmissionController } from './admission-controller.js';
import type { AdmissionModel } from './admission-model.js';
import { Dispatcher } from './dispatcher.js';
import { type Policy, Scheduler } from './scheduler.js';
import type { SegmentTask } from './segment-task.js';
import type { SpeechHost } from './speech-host.js';
import { SpeechStream } from './speech-stream.js';
import { PATIENCE, PREBUFFER } from './tuning.js';
import type { GatewayLoad, GatewayObserver, GatewayStats, ObservableGateway, Speech, SpeechOrder } from './types.js';
import { WorkerWait } from './worker-wait.js';
import type { Autoscaler } from './workers/autoscaler.js';
import { Placement } from './workers/placement.js';
import type { WorkerPool } from './workers/pool.js';
import { isUsable, noWorker, Usable } from './workers/usable.js';
import type { Worker } from './workers/worker.js';

export interface GatewayOptions {
  readonly pool: WorkerPool;
  /** Resolves a voice to its styles; engines know no voice names. */
  readonly catalogue: Pick<VoiceCatalogue, 'speaker'>;
  readonly log: Logger;
  readonly observer?: GatewayObserver;
  /** Requests and sessions that may be open at once. */
  readonly queueLimit: number;
  /** Segments of one stream in flight: with 2, the next is spoken while this one is being sent. */
  readonly lookahead?: number;
  /** How often a segment runs again after its worker was lost. */
  readonly retries?: number;
  /** How long a segment waits while workers are starting, and while there are only dead ones. */
  readonly startPatienceMs?: number;
  readonly deadPatienceMs?: number;
  readonly policy?: Policy;
  /** Refuses a live stream that would make others stall; otherwise only `queueLimit` counts. */
  readonly admission?: boolean;
  /** Costs measured in an earlier run, in seconds of a worker for a second of speech. */
  readonly costs?: AdmissionModel['costs'];
  /** Called when speech is requested: starts workers that were not started yet. */
  readonly onDemand?: () => void;
  /** Starts more workers while work waits. */
  readonly autoscaler?: Pick<Autoscaler, 'need' | 'spare'>;
  /** Version of this gateway's text reading, which workers elsewhere have to share. */
  readonly textVersion?: string;
  /** Whether workers may come that are not in the pool yet; true where absent. */
  readonly expects?: () => boolean;
  readonly clock?: Clock;
}

const shuttingDown = () =>
  new TtsError('shutting_down', 'The server is stopping and takes no new work. Try again once it is back.', {
    retryAfterS: PATIENCE.retryAfterS,
  });

export function createGateway(options: GatewayOptions): ObservableGateway {
  return new SegmentGateway(options);
}

class SegmentGateway implements ObservableGateway, SpeechHost<SpeechStream> {
  readonly clock: Clock;
  readonly lookahead: number;
  readonly admission: AdmissionController;
  readonly #options: GatewayOptions;
  readonly #scheduler: Scheduler;
  readonly #placement: Placement;
  readonly #dispatcher: Dispatcher;
  readonly #usable: Usable;
  readonly #wait: WorkerWait;
  /**
   * The voices of each order, by their names, as they were when it first spoke with them: one that
   * is changed or removed meanwhile is spoken to the end of its stream.
   */
  readonly #speakers = new WeakMap<SpeechOrder, Map<string, CatalogueVoice>>();
  readonly #open = new Set<SpeechStream>();
  readonly #unsubscribe: () => void;
  #jobs = 0;
  #draining = false;
  /** Models requested since start; new workers preload them. */
  readonly #models = new Set<BaseModel>();
  readonly #left = new Condition();
  /** Running mean of a segment's engine time, for `Retry-After`. */
  #meanRunMs: number = PATIENCE.segmentRunMs;

  constructor(options: GatewayOptions) {
    const { pool, clock = systemClock } = options;
    const { startPatienceMs = PATIENCE.startMs, deadPatienceMs = PATIENCE.deadMs } = options;
    this.#options = options;
    this.clock = clock;
    this.lookahead = options.lookahead ?? 2;
    this.#scheduler = new Scheduler(options.policy);
    this.#placement = new Placement(clock);
    this.admission = new AdmissionController(options, clock);
    this.#dispatcher = new Dispatcher({
      pool,
      clock,
      scheduler: this.#scheduler,
      placement: this.#placement,
      autoscaler: options.autoscaler,
      models: this.#models,
      start: (...begun) => void this.#run(...begun),
      onDispatched: () => this.admission.watch(this.#scheduler.queued),
    });
    this.#usable = new Usable({ ...options, deadPatienceMs, clock });
    this.#wait = new WorkerWait({
      pool,
      clock,
      startPatienceMs,
      deadPatienceMs,
      isComing: () => this.#usable.isComing,
      queued: this.#scheduler,
      onGiveUp: (task) => this.#gaveUp(task),
    });
    this.#unsubscribe = pool.onChange((restated) => this.#poolChanged(restated));
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
    const { pool, queueLimit, autoscaler } = this.#options;
    return {
      open: this.#open.size,
      limit: queueLimit,
      queuedSegments: this.#scheduler.queued,
      runningSegments: this.#scheduler.running,
      workers: pool.counts,
      usable: { textVersion: this.#usable.textVersion, models: this.#usable.counts },
      unusable: this.#usable.reasons,
      mostWorkers: pool.workers.length + (autoscaler?.spare ?? 0),
      restarts: pool.restarts,
    };
  }

  get load(): GatewayLoad {
    return this.admission.load(this.#open);
  }

  get costs(): AdmissionModel['costs'] {
    return this.admission.costs;
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
    const speaker = catalogue.speaker(order.model, order.voice);
    this.#usable.check({ model: order.model, mix: speaker.mix });
    if (this.#options.admission && order.whole !== true)
      this.admission.admit(order, this.#open, this.#scheduler.stepMs);
    this.#models.add(order.model);
    this.#speakers.set(order, new Map([[order.voice, speaker]]));
    const stream = new SpeechStream(order, this);
    this.#open.add(stream);
    return stream;
  }

  /** 0 unless every worker has something to do. */
  get prebufferMs(): number {
    const idle = this.#options.pool.serving.some((worker) => worker.busy === 0 && isUsable(worker));
    if (idle || this.#scheduler.onlyStream !== undefined) return 0;
    const { liveStreams, stepMs } = this.#scheduler;
    const steps = liveStreams.length === 1 ? PREBUFFER.stepsAlone : PREBUFFER.steps;
    return Math.min(PREBUFFER.mostMs, steps * stepMs + this.admission.roundTripMs);
  }

  job(order: SpeechOrder, segment: Segment): SegmentJob {
    const { voice = order.voice } = segment;
    const { mix, gainDb, ...own } = this.#speaker(order, voice);
    const { model, seed, speed = 1, style = 'plain', place } = order;
    const delivery = deliveryOf(segment, { style, seed, place });
    const language = voice === order.voice ? (order.language ?? own.language) : readingOf(own.language, order.language);
    const job = { id: `job-${++this.#jobs}`, model, language, mix, seed, speed, gainDb: gainDb[model], segment };
    return { ...job, ...(delivery && { delivery }), ...(order.whole && { whole: true }) };
  }

  #speaker(order: SpeechOrder, voice: string): CatalogueVoice {
    const speakers = this.#speakers.get(order)!;
    const known = speakers.get(voice);
    if (known) return known;
    const { model } = order;
    const speaker = this.#options.catalogue.speaker(model, voice);
    this.#usable.check({ model, mix: speaker.mix });
    speakers.set(voice, speaker);
    return speaker;
  }

  submit(task: SegmentTask): void {
    this.#scheduler.add(task);
    this.#wait.watch(task);
    this.#dispatcher.soon();
  }

  cancel(task: SegmentTask): void {
    // A running one leaves the scheduler when its worker has stopped it.
    if (task.state === 'queued') {
      this.#scheduler.remove(task);
      this.#wait.forget(task);
    }
    task.cancel();
  }

  closed(stream: SpeechStream): void {
    this.#open.delete(stream);
    this.admission.closed(stream);
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
    this.#wait.close();
    await this.#options.pool.close();
  }

  async #run(task: SegmentTask, worker: Worker, multiThreaded: boolean): Promise<void> {
    const { observer, retries = PATIENCE.retries } = this.#options;
    const waitMs = this.clock.now() - task.queuedAtMs;
    observer?.segmentStarted({ model: task.job.model, waitMs });
    this.#wait.forget(task);
    this.#begins(task, worker);
    await task.run(worker, { retries, multiThreaded });
    this.#scheduler.remove(task);
    this.#ran(task, worker);
    this.#dispatcher.soon();
  }

  /** The run of a segment on `worker` has ended, in one way or another. */
  #ran(task: SegmentTask, worker: Worker): void {
    const { observer, log } = this.#options;
    const { model } = task.job;
    const { requestId, trace } = task.stream.order;
    const traced = trace?.traceId === undefined ? {} : { traceId: trace.traceId };
    const fields = { requestId, job: task.job.id, attempts: task.attempts, ...traced };
    if (task.state === 'done') {
      const { runMs, receivedSamples: samples } = task;
      this.#meanRunMs += (runMs - this.#meanRunMs) * PATIENCE.segmentRunWeight;
      // A speed on all cores does not tell the speed on one.
      if (!task.multiThreaded) this.#placement.learn(worker, model, { runMs, samples });
      this.admission.learn(task);
      this.#scheduler.learnStep(this.admission.firstAudioMs(model));
      observer?.segmentSpoken({ model, runMs, samples });
    } else if (task.state === 'queued') {
      log.warn(fields, 'a worker was lost under a segment, which runs again');
      observer?.segmentRetried({ model });
      this.#scheduler.add(task);
      this.#wait.watch(task);
    } else if (task.state === 'failed') {
      log.error({ ...fields, err: task.error }, 'a segment failed');
      observer?.segmentFailed({ model });
    }
  }

  /** A stream whose first segment this is stays with the version of this worker. */
  #begins({ stream }: SegmentTask, { version }: Worker): void {
    if (!(stream instanceof SpeechStream) || version === undefined || !this.#open.has(stream)) return;
    if (stream.beginOn(version)) this.#options.pool.streamBegan(version);
  }

  #gaveUp(task: SegmentTask): void {
    this.#scheduler.remove(task);
    this.#options.observer?.segmentFailed({ model: task.job.model });
  }

  #poolChanged(restated: boolean): void {
    this.#wait.poolChanged(restated);
    this.#dispatcher.soon();
  }
}
