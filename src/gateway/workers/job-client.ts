/** The gateway's end of a channel to an engine: jobs with turns and credit, cancellations that are acknowledged, silence noticed. */
import { Condition } from '../../condition.js';
import { msToSamples } from '../../protocol/audio.js';
import { type ErrorCode, TtsError } from '../../protocol/errors.js';
import type { SegmentJob } from '../../protocol/job.js';
import type { JobReply, JobRequest } from '../../worker/protocol.js';
import type { Standstill } from '../../worker/standstill.js';
import { Pace } from '../pace.js';
import { TURNS_OF_A_JOB } from './in-flight.js';
import { type Runnable, type WorkerEvent, WorkerLost } from './worker.js';

/** How far the engine may run ahead of a job's consumer: more than one run of the light model makes. */
const CREDIT_SAMPLES = msToSamples(6_000);
/** Credit is given back in steps, so that it is not a message a chunk. */
const CREDIT_STEP_SAMPLES = msToSamples(500);
/** An engine that has work never stands still for longer, unless its segments were measured to take it. */
const SILENCE_MS = 20_000;

export interface JobClientOptions {
  /** Throws `WorkerLost` where nobody is there, another error where the message cannot be sent. */
  readonly send: (message: JobRequest) => void;
  /** The engine has work, stood still for longer than it ever needs, or runs without an end. */
  readonly onSilent: (silence: Silence) => void;
  /** A place became free, or a job asks for a turn. */
  readonly onChange: () => void;
  readonly silenceMs?: number;
  /** Turns that a job may have at once: one that runs and one that lies ready, where it is left out. */
  readonly turnsOfAJob?: () => number;
  /** What is seen of the engine's process; without it all silence counts as standing still. */
  readonly standstill?: Pick<Standstill, 'look' | 'spins' | 'stillMs' | 'certain'>;
}

interface Silence {
  readonly silentMs: number;
  /** In words: "had work and was silent for 20 s". */
  readonly how: string;
}

/** A job that the engine has not answered to its end. */
interface Job extends Runnable {
  readonly job: SegmentJob;
  readonly changed: Condition;
  /** At most as much audio as there was credit. */
  readonly queue: WorkerEvent[];
  /** Samples that came and were not credited again: from `CREDIT_SAMPLES` on the engine waits. */
  aheadSamples: number;
  takenSamples: number;
  /** Turns it was given and has not used up: it runs, or will when it comes to it. */
  turns: number;
  /** It stands still until it is given a turn. */
  waits: boolean;
  loading: boolean;
  cancelled: boolean;
  longestSilenceMs: number;
  outcome: { readonly error?: unknown } | undefined;
  /** What of it is in the sums over all jobs. */
  readonly counted: { places: number; working: boolean };
}

/** Waits for nothing but its own consumer. */
const isParked = (job: Job): boolean => !job.cancelled && job.aheadSamples >= CREDIT_SAMPLES;
/** The engine has something to do for it. */
const isWorking = (job: Job): boolean => job.cancelled || !(job.waits || isParked(job));
/** A cancelled job keeps one place until the engine has acknowledged it. */
const placesOf = (job: Job): number => (isParked(job) ? 0 : Math.max(job.turns, job.cancelled ? 1 : 0));

/** Knows no processes: any channel will do that keeps the order of messages and tells when it breaks. */
export class JobClient {
  readonly #options: JobClientOptions;
  readonly #pace: Pace;
  readonly #silenceMs: number;
  readonly #jobs = new Map<string, Job>();
  /** Kept as jobs change, so that nobody has to look at a thousand of them for every turn. */
  readonly #runnable = new Set<Job>();
  #busy = 0;
  #working = 0;
  #watch: NodeJS.Timeout | undefined;
  #watchedMs = 0;
  /** When the engine last gave a sign of life, or was last given something to do while it had nothing. */
  #heardMs = 0;
  /** What the engine was told. */
  #wide = false;

  constructor(options: JobClientOptions) {
    this.#options = options;
    this.#silenceMs = options.silenceMs ?? SILENCE_MS;
    this.#pace = new Pace(this.#silenceMs);
  }

  get busy(): number {
    return this.#busy;
  }

  /** Jobs that could use a turn: those that wait for one, and those that will when they have used up theirs. */
  get runnable(): Iterable<Runnable> {
    return this.#runnable;
  }

  /** Gives the job a turn; one that has ended meanwhile needs none. */
  grant(id: string, dueInMs: number): void {
    const running = this.#jobs.get(id);
    if (running === undefined) return;
    this.#beginWork();
    running.turns += 1;
    running.waits = false;
    this.#count(running);
    this.#tell({ type: 'turn', id, dueInMs });
  }

  /** Whether the engine's turns may use the whole machine from now on. */
  setWide(wide: boolean): void {
    if (wide === this.#wide) return;
    this.#wide = wide;
    this.#tell({ type: 'wide', wide });
  }

  /** The engine has nothing, not even a cancelled job that it still has to notice. */
  get idle(): boolean {
    return this.#jobs.size === 0;
  }

  assume(realTimeFactor: number): void {
    this.#pace.assume(realTimeFactor);
  }

  run(job: SegmentJob, signal: AbortSignal): AsyncIterable<WorkerEvent> {
    signal.throwIfAborted();
    // The engine knows jobs by id alone; a caller that reuses one while it runs would mix two speeches.
    if (this.#jobs.has(job.id)) throw new TtsError('internal_error', 'A job of this id is running already.');
    const running: Job = {
      id: job.id,
      job,
      changed: new Condition(),
      queue: [],
      aheadSamples: 0,
      takenSamples: 0,
      turns: 1,
      waits: false,
      loading: false,
      cancelled: false,
      longestSilenceMs: 0,
      outcome: undefined,
      counted: { places: 0, working: false },
    };
    try {
      this.#options.send({ type: 'job', job, creditSamples: CREDIT_SAMPLES });
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
    const nowMs = performance.now();
    const silentMs = nowMs - this.#heardMs;
    this.#heardMs = nowMs;
    const running = this.#jobs.get(message.id);
    if (running === undefined) return;
    if (!running.loading) running.longestSilenceMs = Math.max(running.longestSilenceMs, silentMs);
    running.loading = message.type === 'progress' && message.loading;
    switch (message.type) {
      case 'progress':
        break;
      case 'waits':
        // Else one is on its way.
        running.waits = running.turns === 0;
        this.#count(running);
        this.#options.onChange();
        break;
      case 'ran':
        running.turns -= 1;
        this.#count(running);
        this.#push(running, { type: 'ran', runMs: message.runMs, earlyMs: message.earlyMs ?? 0 });
        this.#options.onChange();
        break;
      case 'end':
        this.#pace.learn(running.job, running.longestSilenceMs);
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

  /** The engine gave a sign of life that was none of a job here, this long ago. */
  heard(agoMs: number): void {
    this.#heardMs = Math.max(this.#heardMs, performance.now() - agoMs);
  }

  /** Nothing will come any more: every job fails with `error`. */
  lose(error: Error): void {
    clearInterval(this.#watch);
    this.#watch = undefined;
    this.#wide = false;
    for (const running of [...this.#jobs.values()]) this.#end(running, { error });
  }

  /** What a job may have has changed. */
  recount(): void {
    for (const running of this.#jobs.values()) this.#count(running);
    this.#options.onChange();
  }

  /** Brings the sums over all jobs up to what this one is now. To be called whenever one of its fields has changed. */
  #count(job: Job): void {
    const { counted } = job;
    const there = job.outcome === undefined;
    const [places, working] = [there ? placesOf(job) : 0, there && isWorking(job)];
    this.#busy += places - counted.places;
    this.#working += Number(working) - Number(counted.working);
    counted.places = places;
    counted.working = working;
    const most = this.#options.turnsOfAJob?.() ?? TURNS_OF_A_JOB;
    if (there && job.turns < most && !job.cancelled && !isParked(job)) this.#runnable.add(job);
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
    // Whoever hears of a failure has no use for what came before it.
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
    if (running.takenSamples < CREDIT_STEP_SAMPLES || running.outcome !== undefined || running.cancelled) return;
    this.#beginWork();
    running.aheadSamples -= running.takenSamples;
    this.#count(running);
    this.#tell({ type: 'credit', id: running.id, samples: running.takenSamples });
    running.takenSamples = 0;
  }

  /** Whoever cannot be told is lost, and that is told to us. */
  #tell(message: JobRequest): void {
    try {
      this.#options.send(message);
    } catch (error) {
      if (!(error instanceof WorkerLost)) throw error;
    }
  }

  /** To be called before the engine is given something to do: silence counts from here if it had nothing. */
  #beginWork(): void {
    if (this.#working > 0) return;
    this.#heardMs = performance.now();
    if (this.#watch !== undefined) return;
    this.#watchedMs = this.#heardMs;
    this.#watch = setInterval(() => this.#listen(), this.#silenceMs / 10);
    this.#watch.unref();
  }

  #listen(): void {
    const nowMs = performance.now();
    const everyMs = this.#silenceMs / 10;
    const lateMs = nowMs - this.#watchedMs - everyMs;
    this.#watchedMs = nowMs;
    const working = [...this.#jobs.values()].filter(isWorking);
    if (working.length === 0) {
      clearInterval(this.#watch);
      this.#watch = undefined;
      return;
    }
    // Whoever was stopped or busy itself (Ctrl-Z, a suspended machine) has not listened meanwhile.
    if (lateMs > this.#silenceMs / 2) this.#heardMs = nowMs;
    const silentMs = nowMs - this.#heardMs;
    // Nobody looks at a process that speaks.
    if (silentMs < everyMs) return;
    const { standstill } = this.#options;
    standstill?.look(nowMs, 2 * everyMs);
    const allowedMs = ({ job, loading }: Job) => this.#pace.allowedMs(job, loading);
    const longest = working.reduce((most, job) => (allowedMs(job) > allowedMs(most) ? job : most));
    const mostMs = allowedMs(longest);
    const spins = standstill?.spins(mostMs) ?? false;
    if (!spins && Math.min(silentMs, standstill?.stillMs ?? silentMs) <= mostMs) return;
    const certain = standstill?.certain ?? false;
    if (!certain) this.#pace.doubt(longest.job, silentMs);
    const seconds = Math.round(silentMs / 1000);
    const how = spins
      ? `ran for ${seconds} s without any progress`
      : `had work and was silent for ${seconds} s${certain ? ', standing still' : ''}`;
    this.#options.onSilent({ silentMs, how });
  }
}

function jobError(code: ErrorCode | 'aborted', message: string): Error {
  if (code === 'aborted') return new DOMException('The job was cancelled.', 'AbortError');
  return new TtsError(code, message);
}
