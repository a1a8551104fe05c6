/** One segment's life: queued, running, again queued where its worker was lost, and in the end done, failed or cancelled. */
import { TtsError } from '../protocol/errors.js';
import { FIRST_SOUND_MS, type SegmentJob, type SegmentTimings } from '../protocol/job.js';
import { NO_SPAN } from '../trace.js';
import { SegmentSpans } from './segment-spans.js';
import type { SpeechOrder } from './types.js';
import { type Worker, type WorkerEvent, WorkerLost } from './workers/worker.js';

export type SegmentState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

/** The stream that a segment belongs to, as the segment's life needs it. */
export interface SegmentStream {
  readonly order: SpeechOrder;
  /** So many characters are through. */
  made(chars: number): void;
  /** An engine ran for it. */
  ran(runMs: number): void;
  /** A segment left the queue for the worker of this id. */
  started(atMs: number, workerId: string): void;
  /** Of the engine that was given its first segment. */
  readonly version?: string | undefined;
  /** Counts what changes a deadline. */
  readonly revision: number;
  /** Somebody hears it: he has its sound in hand, or ran dry while more of its text was there. */
  readonly heard: boolean;
  /** When the segment has to be gone on with lest its listener runs dry, on the clock of `performance.now`. */
  deadlineMs(task: SegmentTask): number;
  /** Something came, or the state of a segment changed. */
  changed(): void;
  /** Resolves when the stream can hold more of this segment's audio, or will never. */
  room(task: SegmentTask): Promise<void>;
}

/** Nobody is taken in who would wait longer than this for it, unless it takes an engine nearly as long. */
export const FIRST_WITHIN_MS = 3_000;
/** What it may be late for the sake of those who hear something already. */
export const FIRST_PATIENCE_MS = FIRST_WITHIN_MS - FIRST_SOUND_MS;
/** A whole answer, however late, waits for whoever would run dry within this. */
const WHOLE_MS = 1_000;

const NO_TIMINGS: SegmentTimings = { startSamples: [], durationSamples: [] };

const sameNumbers = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((value, i) => value === b[i]);
const sameTimings = (a: SegmentTimings, b: SegmentTimings): boolean =>
  sameNumbers(a.startSamples, b.startSamples) && sameNumbers(a.durationSamples, b.durationSamples);

export class SegmentTask {
  readonly job: SegmentJob;
  readonly stream: SegmentStream;
  #state: SegmentState = 'queued';
  #deadlineMs = 0;
  /** The stream's revision that the deadline holds for. */
  #revision = -1;
  #error: TtsError | undefined;
  #queuedAtMs = performance.now();
  /** Runs without anything new; a segment that gets on was not what its engine died of. */
  #attempts = 0;
  readonly #abort = new AbortController();
  /** Ends a wait for a worker that does not come, counted from when there was none. */
  #patience: NodeJS.Timeout | undefined;
  #noWorkerSinceMs: number | undefined;

  #timings: SegmentTimings | undefined;
  /** What came and was not taken yet. */
  readonly #held: Int16Array[] = [];
  #heldSamples = 0;
  #receivedSamples = 0;
  #takenSamples = 0;
  #runMs = 0;
  #leadMs = 0;
  /** It was given turns with all cores. */
  wide = false;
  /** What a worker that speaks it again still has to say of what an earlier one said. */
  #repeatSamples = 0;
  /** Of the worker that made what was received. */
  #version: string | undefined;
  readonly #spans: SegmentSpans;

  constructor(job: SegmentJob, stream: SegmentStream) {
    this.job = job;
    this.stream = stream;
    this.#spans = new SegmentSpans(stream.order.trace ?? NO_SPAN, job.segment.text.length);
  }

  get state(): SegmentState {
    return this.#state;
  }

  get error(): TtsError | undefined {
    return this.#error;
  }

  get attempts(): number {
    return this.#attempts;
  }

  get queuedAtMs(): number {
    return this.#queuedAtMs;
  }

  /** As the stream has it, worked out when something changed there. */
  get deadlineMs(): number {
    const { revision } = this.stream;
    if (this.#revision !== revision) {
      this.#revision = revision;
      this.#deadlineMs = this.stream.deadlineMs(this);
    }
    return this.#deadlineMs;
  }

  get heldSamples(): number {
    return this.#heldSamples;
  }

  get receivedSamples(): number {
    return this.#receivedSamples;
  }

  /** What the engines' runs for it took. */
  get runMs(): number {
    return this.#runMs;
  }

  /** Of these, what had to be before its first sample. */
  get leadMs(): number {
    return this.#leadMs;
  }

  get heard(): boolean {
    return this.#takenSamples > 0;
  }

  get timings(): SegmentTimings {
    return this.#timings ?? NO_TIMINGS;
  }

  /** The next audio to hand over. */
  take(): Int16Array | undefined {
    const pcm = this.#held.shift();
    if (pcm === undefined) return undefined;
    this.#heldSamples -= pcm.length;
    this.#takenSamples += pcm.length;
    this.stream.changed();
    return pcm;
  }

  /**
   * Runs on `worker`, on from where an earlier one was lost. Never throws: afterwards it is done, failed, cancelled, or
   * queued again if this worker was lost too, unless that happened more than `retries` times over without anything new.
   */
  async run(worker: Worker, retries: number): Promise<void> {
    const nowMs = performance.now();
    const dueInMs = this.dueInMs(nowMs);
    this.stopWaiting();
    this.#state = 'running';
    this.#attempts += 1;
    this.stream.started(nowMs, worker.id);
    const traceparent = this.#spans.started(worker.id, this.#attempts);
    const job = { ...this.job, dueInMs, ...(traceparent !== undefined && { traceparent }) };
    try {
      this.#resumeOn(worker);
      for await (const event of worker.run(job, this.#abort.signal)) {
        this.#receive(event);
        this.stream.changed();
        if (event.type === 'audio') await this.stream.room(this);
      }
      if (this.#repeatSamples > 0) throw otherReading();
      this.stream.made(this.job.segment.text.length);
      this.#settle('done');
    } catch (error) {
      if (this.#state !== 'running') return;
      if (error instanceof WorkerLost && error.blameless) this.#attempts -= 1;
      if (!(error instanceof WorkerLost) || this.#attempts > retries) this.fail(asFailure(error));
      else {
        this.#state = 'queued';
        this.#queuedAtMs = performance.now();
        this.#spans.queuedAgain();
        this.stream.changed();
      }
    }
  }

  /** How soon it is needed, told to an engine that others have turns in too: live listeners there go before whole answers. */
  dueInMs(nowMs: number): number {
    const dueInMs = this.deadlineMs - nowMs;
    return this.stream.order.whole ? Math.max(WHOLE_MS, dueInMs) : dueInMs;
  }

  /** Whether `worker` can run it, and go on where another broke off if somebody heard that. */
  fits(worker: Worker): boolean {
    return (!this.heard || worker.version === this.#version) && worker.takes(this.job);
  }

  fail(error: TtsError): void {
    this.#error ??= error;
    this.#settle('failed');
  }

  /** Nobody wants it any more. */
  cancel(): void {
    this.#settle('cancelled');
    this.#abort.abort();
  }

  /** Gives it up if no worker came within `patienceMs` of there being none. */
  waitForWorker(patienceMs: number, giveUp: () => void): void {
    this.#noWorkerSinceMs ??= performance.now();
    const waitedMs = performance.now() - this.#noWorkerSinceMs;
    clearTimeout(this.#patience);
    this.#patience = setTimeout(giveUp, Math.max(0, patienceMs - waitedMs));
  }

  stopWaiting(): void {
    clearTimeout(this.#patience);
    this.#noWorkerSinceMs = undefined;
  }

  #settle(state: 'done' | 'failed' | 'cancelled'): void {
    if (this.#state !== 'queued' && this.#state !== 'running') return;
    this.stopWaiting();
    this.#state = state;
    this.#spans.ended(state === 'cancelled' ? undefined : this.#error?.code);
    this.stream.changed();
  }

  /** Workers of one version say the same to the sample: what was said already is skipped. */
  #resumeOn({ version }: Worker): void {
    if (this.#receivedSamples > 0 && version !== this.#version) {
      if (this.heard) throw otherReading();
      this.#held.length = 0;
      this.#heldSamples = 0;
      this.#receivedSamples = 0;
    }
    if (this.#receivedSamples === 0) this.#timings = undefined;
    this.#repeatSamples = this.#receivedSamples;
    this.#version = version;
  }

  #receive(event: WorkerEvent): void {
    if (event.type === 'ran') {
      this.#runMs += event.runMs;
      this.stream.ran(event.runMs);
      if (this.#receivedSamples === 0) this.#leadMs += event.runMs - event.earlyMs;
    } else if (event.type === 'begin') {
      if (this.#timings !== undefined && !sameTimings(this.#timings, event.timings)) throw otherReading();
      this.#timings = event.timings;
    } else if (event.type === 'audio') {
      const repeated = Math.min(this.#repeatSamples, event.pcm.length);
      this.#repeatSamples -= repeated;
      if (repeated === event.pcm.length) return;
      const pcm = event.pcm.subarray(repeated);
      this.#held.push(pcm);
      this.#spans.heard();
      this.#heldSamples += pcm.length;
      this.#receivedSamples += pcm.length;
      this.#attempts = 1;
    }
  }
}

export const otherReading = (): TtsError =>
  new TtsError('synthesis_failed', 'The speech engine was lost, and another one would have gone on differently.');

const asFailure = (error: unknown): TtsError =>
  error instanceof TtsError && error.code === 'synthesis_failed'
    ? error
    : new TtsError('synthesis_failed', 'The speech engine failed on this text.', { cause: error });
