/** One segment: queued, running, again if its worker was lost; then done, failed or cancelled. */
import type { Clock, Timer } from '../clock.js';
import { TtsError } from '../protocol/errors.js';
import type { SegmentJob, SegmentTimings } from '../protocol/job.js';
import { NO_SPAN } from '../trace.js';
import { SegmentSpans } from './segment-spans.js';
import { SCHEDULING } from './tuning.js';
import type { SpeechOrder } from './types.js';
import { type Worker, type WorkerEvent, WorkerLost } from './workers/worker.js';

export type SegmentState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

/** The stream that a segment belongs to. */
export interface SegmentStream {
  readonly order: SpeechOrder;
  /** A segment of `chars` was spoken to its end. */
  made(chars: number): void;
  /** An engine spent `runMs` on a step of the stream. */
  ran(runMs: number): void;
  /** A segment left the queue for a worker. */
  started(atMs: number, workerId: string): void;
  /** Version of the engine that was given the first segment. */
  readonly version?: string | undefined;
  /** Grows with every change that moves a deadline. */
  readonly revision: number;
  /** The listener hears the stream, or heard a stall while more of its text was there. */
  readonly playing: boolean;
  /** When the next step of the segment is due, on the gateway's clock. */
  deadlineMs(task: SegmentTask): number;
  /** Audio came, or the state of a segment changed. */
  changed(): void;
  /** Resolves when the stream can hold more of this segment's audio, or has ended. */
  room(task: SegmentTask): Promise<void>;
}

const NO_TIMINGS: SegmentTimings = { startSamples: [], durationSamples: [] };

const sameNumbers = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((value, i) => value === b[i]);
const sameTimings = (a: SegmentTimings, b: SegmentTimings): boolean =>
  sameNumbers(a.startSamples, b.startSamples) && sameNumbers(a.durationSamples, b.durationSamples);

interface RunOptions {
  readonly retries: number;
  /** Its first step may use all cores. */
  readonly multiThreaded?: boolean;
}

export class SegmentTask {
  readonly job: SegmentJob;
  readonly stream: SegmentStream;
  readonly #clock: Clock;
  #state: SegmentState = 'queued';
  #deadlineMs = 0;
  /** The stream's revision that the deadline holds for. */
  #revision = -1;
  #error: TtsError | undefined;
  #queuedAtMs: number;
  /** Runs since the last new audio: a segment that makes progress is not what kills its engine. */
  #attempts = 0;
  readonly #abort = new AbortController();
  /** Gives up the wait for a worker, counted from when there was none. */
  #patience: Timer | undefined;
  #noWorkerSinceMs: number | undefined;

  #timings: SegmentTimings | undefined;
  /** Audio that came and was not taken yet. */
  readonly #held: Int16Array[] = [];
  #heldSamples = 0;
  #receivedSamples = 0;
  #takenSamples = 0;
  #runMs = 0;
  #leadMs = 0;
  #multiThreaded = false;
  /** Samples of an earlier worker that the present one still has to repeat. */
  #repeatSamples = 0;
  /** Version of the worker that made what was received. */
  #version: string | undefined;
  readonly #spans: SegmentSpans;

  constructor(job: SegmentJob, stream: SegmentStream, clock: Clock) {
    this.job = job;
    this.stream = stream;
    this.#clock = clock;
    this.#queuedAtMs = clock.now();
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

  /** The stream's deadline, computed when something changed there. */
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

  /** Engine time of all its steps. */
  get runMs(): number {
    return this.#runMs;
  }

  /** The part of it that was needed before the first sample. */
  get leadMs(): number {
    return this.#leadMs;
  }

  /** Some of its steps were granted all cores. */
  get multiThreaded(): boolean {
    return this.#multiThreaded;
  }

  /** Some of its audio was handed over. */
  get delivered(): boolean {
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
   * Runs on `worker`, from where an earlier one was lost. Never throws: afterwards the segment is
   * done, failed, cancelled, or queued again if this worker was lost too, unless that happened more
   * than `retries` times without new audio.
   */
  async run(worker: Worker, { retries, multiThreaded = false }: RunOptions): Promise<void> {
    const nowMs = this.#clock.now();
    this.#multiThreaded ||= multiThreaded;
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
        this.#queuedAtMs = this.#clock.now();
        this.#spans.queuedAgain();
        this.stream.changed();
      }
    }
  }

  /** Grants another step on the worker that runs it. */
  grantStep(worker: Worker, { nowMs, multiThreaded }: { nowMs: number; multiThreaded: boolean }): void {
    this.#multiThreaded ||= multiThreaded;
    worker.grant(this.job.id, this.dueInMs(nowMs));
  }

  /** Engines of other gateways order steps by this: live streams go before buffered responses. */
  dueInMs(nowMs: number): number {
    const dueInMs = this.deadlineMs - nowMs;
    return this.stream.order.whole ? Math.max(SCHEDULING.bufferedLeastDueMs, dueInMs) : dueInMs;
  }

  /** Whether `worker` can run it, and would continue what was delivered. */
  fits(worker: Worker): boolean {
    return (!this.delivered || worker.version === this.#version) && worker.takes(this.job);
  }

  fail(error: TtsError): void {
    this.#error ??= error;
    this.#settle('failed');
  }

  /** The stream does not want it any more. */
  cancel(): void {
    this.#settle('cancelled');
    this.#abort.abort();
  }

  /** Calls `giveUp` if no worker comes within `patienceMs` since there was none. */
  waitForWorker(patienceMs: number, giveUp: () => void): void {
    const nowMs = this.#clock.now();
    this.#noWorkerSinceMs ??= nowMs;
    const waitedMs = nowMs - this.#noWorkerSinceMs;
    this.#patience?.cancel();
    this.#patience = this.#clock.setTimeout(giveUp, Math.max(0, patienceMs - waitedMs));
  }

  stopWaiting(): void {
    this.#patience?.cancel();
    this.#noWorkerSinceMs = undefined;
  }

  #settle(state: 'done' | 'failed' | 'cancelled'): void {
    if (this.#state !== 'queued' && this.#state !== 'running') return;
    this.stopWaiting();
    this.#state = state;
    this.#spans.ended(state === 'cancelled' ? undefined : this.#error?.code);
    this.stream.changed();
  }

  /** Workers of one version make the same samples, so what was received already is skipped. */
  #resumeOn({ version }: Worker): void {
    if (this.#receivedSamples > 0 && version !== this.#version) {
      if (this.delivered) throw otherReading();
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
      this.#spans.audio();
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
