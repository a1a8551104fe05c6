/** The gateway's end of a channel to an engine: jobs, steps, credit, acknowledged cancellation. */
import { type Clock, systemClock } from '../../clock.js';
import { Condition } from '../../condition.js';
import { type ErrorCode, TtsError } from '../../protocol/errors.js';
import type { SegmentJob } from '../../protocol/job.js';
import type { JobReply, JobRequest } from '../../worker/protocol.js';
import type { Standstill } from '../../worker/standstill.js';
import { BUFFERS, IN_FLIGHT, SILENCE } from '../tuning.js';
import { type Silence, SilenceWatch } from './silence-watch.js';
import { type Runnable, type WorkerEvent, WorkerLost } from './worker.js';

export interface JobClientOptions {
  /** Throws `WorkerLost` where the engine is gone, another error where it cannot be sent. */
  readonly send: (message: JobRequest) => void;
  /** The engine has work, and stood still for longer than it ever needs, or runs without an end. */
  readonly onSilent: (silence: Silence) => void;
  /** A place became free, or a job asks for a step. */
  readonly onChange: () => void;
  readonly silenceMs?: number;
  readonly clock?: Clock;
  /** Steps that a job may have at once; where absent one that runs and one that lies ready. */
  readonly stepsPerJob?: () => number;
  /** What is seen of the engine's process; without it all silence counts as standing still. */
  readonly standstill?: Pick<Standstill, 'look' | 'spins' | 'stillMs' | 'certain'>;
}

/** A job that the engine has not ended. */
interface Job extends Runnable {
  readonly job: SegmentJob;
  readonly changed: Condition;
  /** Bounded by credit. */
  readonly queue: WorkerEvent[];
  /** Samples that came and were not credited again: at `BUFFERS.creditSamples` the engine waits. */
  aheadSamples: number;
  takenSamples: number;
  /** Steps it was given and has not used up. */
  steps: number;
  /** It waits until it is given a step. */
  waits: boolean;
  loading: boolean;
  cancelled: boolean;
  longestSilenceMs: number;
  outcome: { readonly error?: unknown } | undefined;
  /** Its part of the sums over all jobs. */
  readonly counted: { places: number; working: boolean };
}

/** It waits only for its own consumer. */
const isParked = (job: Job): boolean => !job.cancelled && job.aheadSamples >= BUFFERS.creditSamples;
/** The engine has something to do for it. */
const isWorking = (job: Job): boolean => job.cancelled || !(job.waits || isParked(job));
/** A cancelled job keeps one place until the engine has acknowledged it. */
const placesOf = (job: Job): number => (isParked(job) ? 0 : Math.max(job.steps, job.cancelled ? 1 : 0));

/** Works over any channel that keeps the order of messages and reports when it breaks. */
export class JobClient {
  readonly #options: JobClientOptions;
  readonly #silence: SilenceWatch;
  readonly #jobs = new Map<string, Job>();
  /** Kept as jobs change, so that a step does not look at a thousand of them. */
  readonly #runnable = new Set<Job>();
  #busy = 0;
  #background = 0;
  #working = 0;
  /** What the engine was told last. */
  #multiThreaded = false;

  constructor(options: JobClientOptions) {
    this.#options = options;
    this.#silence = new SilenceWatch({
      clock: options.clock ?? systemClock,
      silenceMs: options.silenceMs ?? SILENCE.leastMs,
      working: () => [...this.#jobs.values()].filter(isWorking),
      onSilent: options.onSilent,
      standstill: () => options.standstill,
    });
  }

  get busy(): number {
    return this.#busy;
  }

  /** The part of `busy` that buffered responses have. */
  get background(): number {
    return this.#background;
  }

  /** Jobs that wait for a step, or will when they have used up theirs. */
  get runnable(): Iterable<Runnable> {
    return this.#runnable;
  }

  /** Gives the job a step, unless it has ended meanwhile. */
  grant(id: string, dueInMs: number): void {
    const running = this.#jobs.get(id);
    if (running === undefined) return;
    this.#beginWork();
    running.steps += 1;
    running.waits = false;
    this.#count(running);
    this.#tell({ type: 'turn', id, dueInMs });
  }

  /** Whether the engine's steps may use all cores from now on. */
  setMultiThreaded(multiThreaded: boolean): void {
    if (multiThreaded === this.#multiThreaded) return;
    this.#multiThreaded = multiThreaded;
    this.#tell({ type: 'wide', wide: multiThreaded });
  }

  /** The engine has no job, not even a cancelled one that it has not acknowledged. */
  get idle(): boolean {
    return this.#jobs.size === 0;
  }

  assume(realTimeFactor: number): void {
    this.#silence.limit.assume(realTimeFactor);
  }

  run(job: SegmentJob, signal: AbortSignal): AsyncIterable<WorkerEvent> {
    signal.throwIfAborted();
    // The engine knows jobs by id alone: reusing one would mix two speeches.
    if (this.#jobs.has(job.id)) throw new TtsError('internal_error', 'A job of this id is running already.');
    const running: Job = {
      id: job.id,
      job,
      changed: new Condition(),
      queue: [],
      aheadSamples: 0,
      takenSamples: 0,
      steps: 1,
      waits: false,
      loading: false,
      cancelled: false,
      longestSilenceMs: 0,
      outcome: undefined,
      counted: { places: 0, working: false },
    };
    try {
      this.#options.send({ type: 'job', job, creditSamples: BUFFERS.creditSamples });
    } catch (cause) {
      if (cause instanceof WorkerLost || cause instanceof TtsError) throw cause;
      throw new TtsError('synthesis_failed', 'The segment could not be handed to the speech engine.', { cause });
    }
    this.#beginWork();
    this.#jobs.set(job.id, running);
    this.#count(running);
    return this.#events(running, signal);
  }

  async *#events(running: Job, signal: AbortSignal): AsyncGenerator<WorkerEvent, void, undefined> {
    const cancel = () => this.#cancel(running);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      for (;;) {
        await running.changed.until(() => running.queue.length > 0 || running.outcome !== undefined, signal);
        const event = running.queue.shift();
        if (event === undefined) {
          if (running.outcome!.error !== undefined) throw running.outcome!.error;
          return;
        }
        if (event.type === 'audio') this.#credit(running, event.pcm.length);
        yield event;
      }
    } finally {
      signal.removeEventListener('abort', cancel);
      this.#cancel(running);
    }
  }

  receive(message: JobReply): void {
    const silentMs = this.#silence.replied();
    const running = this.#jobs.get(message.id);
    if (running === undefined) return;
    if (!running.loading) running.longestSilenceMs = Math.max(running.longestSilenceMs, silentMs);
    running.loading = message.type === 'progress' && message.loading;
    switch (message.type) {
      case 'progress':
        break;
      case 'waits':
        // With steps left, one is on its way.
        running.waits = running.steps === 0;
        this.#count(running);
        this.#options.onChange();
        break;
      case 'ran':
        running.steps -= 1;
        this.#count(running);
        this.#push(running, { type: 'ran', runMs: message.runMs, earlyMs: message.earlyMs ?? 0 });
        this.#options.onChange();
        break;
      case 'end':
        this.#silence.limit.learn(running.job, running.longestSilenceMs);
        this.#end(running, {});
        break;
      case 'error':
        this.#end(running, { error: jobError(message.code, message.message) });
        break;
      case 'audio':
        running.aheadSamples += message.pcm.length;
        this.#count(running);
        this.#push(running, { type: 'audio', pcm: message.pcm });
        if (isParked(running)) this.#options.onChange();
        break;
      default:
        this.#push(running, { type: 'begin', timings: message.timings });
    }
  }

  /** The engine gave a sign of life beside its replies, `agoMs` ago. */
  wasAlive(agoMs: number): void {
    this.#silence.wasAlive(agoMs);
  }

  /** The engine is gone: every job fails with `error`. */
  lose(error: Error): void {
    this.#silence.stop();
    this.#multiThreaded = false;
    for (const running of [...this.#jobs.values()]) this.#end(running, { error });
  }

  /** The steps that a job may have changed. */
  recount(): void {
    for (const running of this.#jobs.values()) this.#count(running);
    this.#options.onChange();
  }

  /** Updates the sums over all jobs. To be called whenever a field of the job has changed. */
  #count(job: Job): void {
    const { counted } = job;
    const there = job.outcome === undefined;
    const [places, working] = [there ? placesOf(job) : 0, there && isWorking(job)];
    this.#busy += places - counted.places;
    if (job.job.whole) this.#background += places - counted.places;
    this.#working += Number(working) - Number(counted.working);
    counted.places = places;
    counted.working = working;
    const most = this.#options.stepsPerJob?.() ?? IN_FLIGHT.ofAJob;
    if (there && job.steps < most && !job.cancelled && !isParked(job)) this.#runnable.add(job);
    else this.#runnable.delete(job);
  }

  #push(running: Job, event: WorkerEvent): void {
    if (running.cancelled) return;
    running.queue.push(event);
    running.changed.notify();
  }

  #end(running: Job, outcome: { readonly error?: unknown }): void {
    this.#jobs.delete(running.id);
    running.outcome = outcome;
    this.#count(running);
    // A consumer that gets an error does not need the audio before it.
    if (outcome.error !== undefined) running.queue.length = 0;
    running.changed.notify();
    this.#options.onChange();
  }

  #cancel(running: Job): void {
    if (running.outcome !== undefined || running.cancelled) return;
    this.#beginWork();
    running.cancelled = true;
    running.queue.length = 0;
    this.#count(running);
    this.#tell({ type: 'cancel', id: running.id });
  }

  #credit(running: Job, samples: number): void {
    running.takenSamples += samples;
    if (running.takenSamples < BUFFERS.creditStepSamples || running.outcome !== undefined || running.cancelled) return;
    this.#beginWork();
    running.aheadSamples -= running.takenSamples;
    this.#count(running);
    this.#tell({ type: 'credit', id: running.id, samples: running.takenSamples });
    running.takenSamples = 0;
  }

  /** A lost engine is reported by its owner, so it is no error here. */
  #tell(message: JobRequest): void {
    try {
      this.#options.send(message);
    } catch (error) {
      if (!(error instanceof WorkerLost)) throw error;
    }
  }

  /** To be called before the engine is given something to do. */
  #beginWork(): void {
    if (this.#working === 0) this.#silence.begin();
  }
}

function jobError(code: ErrorCode | 'aborted', message: string): Error {
  if (code === 'aborted') return new DOMException('The job was cancelled.', 'AbortError');
  return new TtsError(code, message);
}
