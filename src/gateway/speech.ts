/** One request's or session's speech: feeds a few segments ahead, and hands their audio over in order as it is pulled. */
import { samplesToMs } from '../protocol/audio.js';
import type { TtsError } from '../protocol/errors.js';
import type { Segment, SegmentJob, SegmentTimings, SpeechEvent } from '../protocol/job.js';
import type { GatewayEvent, Speech, SpeechOrder } from './types.js';

const NO_TIMINGS: SegmentTimings = { startSamples: [], durationSamples: [] };

/** A character lasts at least about this long; a guess that is too low only makes the next segment come early. */
const MIN_MS_PER_CHAR = 40;

/** A segment on its way through queue and engine. What came out of the engine and was not pulled yet lies in `events`. */
export interface Task {
  readonly stream: SpeechStream;
  readonly job: SegmentJob;
  queuedAtMs: number;
  attempts: number;
  events: SpeechEvent[];
  /** Some of its audio was handed over: it cannot be run again unnoticed. */
  heard: boolean;
  state: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  error: TtsError | undefined;
  abort: AbortController | undefined;
  /** Ends a wait for a worker that does not come, counted from when there was none. */
  patience: NodeJS.Timeout | undefined;
  noWorkerSinceMs: number | undefined;
}

export interface SpeechHost {
  /** Segments of one stream that may be queued, running or not yet handed over. */
  readonly lookahead: number;
  nextJobId(): string;
  submit(task: Task): void;
  cancel(task: Task): void;
  closed(stream: SpeechStream): void;
}

export class SpeechStream implements Speech {
  readonly order: SpeechOrder;
  readonly #host: SpeechHost;
  readonly #admittedAtMs = performance.now();
  readonly #tasks: Task[] = [];
  #wake: (() => void)[] = [];
  #queueMs: number | undefined;
  /** When a listener who began with the first sample will have heard all that was handed over. */
  #heardOutAtMs = 0;
  #used = false;
  #closed = false;
  /** Why it ended before its time. */
  #ended: unknown;
  #input: { done: boolean; error?: unknown } = { done: false };

  constructor(order: SpeechOrder, host: SpeechHost) {
    this.order = order;
    this.#host = host;
  }

  get queueMs(): number | undefined {
    return this.#queueMs;
  }

  speak(segments: AsyncIterable<Segment>, signal: AbortSignal): AsyncIterable<GatewayEvent> {
    if (this.#used) throw new Error('speak may be called once');
    this.#used = true;
    return this.#speak(segments, signal);
  }

  async *#speak(segments: AsyncIterable<Segment>, signal: AbortSignal): AsyncGenerator<GatewayEvent, void, undefined> {
    const onAbort = () => this.end(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    const input = segments[Symbol.asyncIterator]();
    void this.#feed(input);
    try {
      for (;;) {
        await this.#until(() => this.#tasks.length > 0 || this.#input.done);
        const task = this.#tasks[0];
        if (task === undefined) {
          if (this.#input.error !== undefined) throw this.#input.error;
          return;
        }
        yield* this.#deliver(task);
        this.#tasks.shift();
        this.ring();
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#drop();
      // Not awaited: a source that waits for its own writer would hold us here.
      input.return?.().catch(() => undefined);
    }
  }

  async *#deliver(task: Task): AsyncGenerator<GatewayEvent, void, undefined> {
    const { segment } = task.job;
    let timings = NO_TIMINGS;
    for (;;) {
      await this.#until(() => task.events.length > 0 || task.state === 'done' || task.error !== undefined);
      if (task.error !== undefined) throw task.error;
      const event = task.events.shift();
      if (event === undefined) break;
      if (event.type === 'begin') {
        timings = event.timings;
        continue;
      }
      const first = !task.heard;
      task.heard = true;
      if (first) yield { type: 'segment', segment, timings };
      this.#heardOutAtMs = Math.max(this.#heardOutAtMs, performance.now()) + samplesToMs(event.pcm.length);
      yield event;
    }
    if (!task.heard) yield { type: 'segment', segment, timings };
    yield { type: 'segment-end', segment };
  }

  /** Runs beside the delivery, at most `lookahead` segments before it. */
  async #feed(input: AsyncIterator<Segment>): Promise<void> {
    try {
      for (;;) {
        await this.#until(() => this.#tasks.length < this.#host.lookahead);
        const next = await input.next();
        if (next.done) break;
        await this.#until(() => true);
        const { model, voice, seed } = this.order;
        const task: Task = {
          stream: this,
          job: { id: this.#host.nextJobId(), model, voice, seed, segment: next.value },
          queuedAtMs: performance.now(),
          attempts: 0,
          events: [],
          heard: false,
          state: 'queued',
          error: undefined,
          abort: undefined,
          patience: undefined,
          noWorkerSinceMs: undefined,
        };
        this.#tasks.push(task);
        this.#host.submit(task);
        this.ring();
      }
    } catch (error) {
      this.#input.error = error;
    }
    this.#input.done = true;
    this.ring();
  }

  /** Waits for a condition that only changes together with a ring; throws once the stream was ended. */
  async #until(condition: () => boolean): Promise<void> {
    for (;;) {
      if (this.#ended !== undefined) throw this.#ended;
      if (condition()) return;
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
  }

  /** Something changed: whoever waits looks again. */
  ring(): void {
    const waiting = this.#wake;
    this.#wake = [];
    for (const resolve of waiting) resolve();
  }

  /** How long until the task is needed: what the listener has in hand, and what the segments before it will last. */
  dueMs(task: Task, nowMs: number): number {
    if (this.order.whole) return 0;
    let dueMs = Math.max(0, this.#heardOutAtMs - nowMs);
    for (const before of this.#tasks) {
      if (before === task) break;
      if (!before.heard) dueMs += before.job.segment.text.length * MIN_MS_PER_CHAR;
    }
    return dueMs;
  }

  started(atMs: number): void {
    this.#queueMs ??= atMs - this.#admittedAtMs;
  }

  /** Ends it at once: queued segments are dropped, running ones told to stop, whoever pulls gets `reason`. */
  end(reason: unknown): void {
    this.#ended ??= reason ?? new DOMException('The speech was closed', 'AbortError');
    this.#drop();
    this.ring();
  }

  #drop(): void {
    for (const task of this.#tasks.splice(0)) this.#host.cancel(task);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.end(undefined);
    this.#host.closed(this);
  }
}
