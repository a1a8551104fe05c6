/** One request's or session's speech: feeds a few segments ahead, and hands their audio over in order as it is pulled. */
import { Condition } from '../condition.js';
import { msToSamples, samplesToMs } from '../protocol/audio.js';
import type { Segment, SegmentJob } from '../protocol/job.js';
import type { Demand } from './admission.js';
import { type SegmentStream, SegmentTask } from './segment-task.js';
import type { GatewayEvent, Speech, SpeechOrder } from './types.js';

/** A character lasts at least about this long; a guess that is too low only makes the next segment come early. */
const MIN_MS_PER_CHAR = 40;
/** High-water mark of a stream: a reader that leaves more than this lying stops the synthesis. */
const HIGH_WATER_SAMPLES = msToSamples(2_000);
/** When the first sound of a stream is due, also after a pause of its writer: sooner than anybody has time to wonder. */
const FIRST_SOUND_MS = 150;
/** Nobody is taken in who would wait longer than this for his first sound. */
export const FIRST_WITHIN_MS = 3_000;
/** From this much silence on a listener notices. */
const BREAK_MS = 50;
/** Where nobody listens before the end, all of it is due by then: it fills what live listeners leave, and does not starve. */
const WHOLE_MS = 10_000;
/** A writer who has been still for so long may be gone for long. */
const WRITER_MS = 5_000;
/** Segments that keep one worker from ever waiting; more are only begun while little lies here. */
const LEAST_LOOKAHEAD = 2;

export interface SpeechHost {
  /** Segments of one stream that may be queued, running or not yet handed over. */
  readonly lookahead: number;
  /** What the engine is told of one segment. */
  job(order: SpeechOrder, segment: Segment): SegmentJob;
  /** About what an engine takes to the first sound of a segment. */
  leadMs(job: SegmentJob): number;
  submit(task: SegmentTask): void;
  cancel(task: SegmentTask): void;
  /** An engine ran for so long. */
  ran(runMs: number): void;
  /** A listener ran dry though his text was there. */
  broke(): void;
  closed(stream: SpeechStream): void;
}

export class SpeechStream implements Speech, SegmentStream {
  readonly order: SpeechOrder;
  readonly #host: SpeechHost;
  readonly #admittedAtMs = performance.now();
  readonly #tasks: SegmentTask[] = [];
  readonly #condition = new Condition();
  #revision = 0;
  #queueMs: number | undefined;
  /** When a listener who began with the first sample will have heard all that was handed over. */
  #heardOutAtMs = 0;
  #writtenChars = 0;
  #wroteAtMs = performance.now();
  #written = false;
  /** Of segments that are through. */
  #madeChars = 0;
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

  get revision(): number {
    return this.#revision;
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
        this.changed();
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.end(undefined);
      // Not awaited: a source that waits for its own writer would hold us here.
      input.return?.().catch(() => undefined);
    }
  }

  async *#deliver(task: SegmentTask): AsyncGenerator<GatewayEvent, void, undefined> {
    const { segment } = task.job;
    const { whole = false } = this.order;
    // Where nobody listens before the end, a segment is kept until it is done: what is not handed over can be said anew.
    const ready = () => (!whole && task.heldSamples > 0) || task.state === 'done' || task.error !== undefined;
    let begun = false;
    for (;;) {
      const waits = !ready();
      await this.#until(ready);
      if (task.error !== undefined) throw task.error;
      if (waits && !whole && this.heard && performance.now() > this.#heardOutAtMs + BREAK_MS) this.#host.broke();
      const pcm = task.take();
      if (!begun) yield { type: 'segment', segment, timings: task.timings };
      begun = true;
      if (pcm === undefined) break;
      this.#heardOutAtMs = Math.max(this.#heardOutAtMs, performance.now()) + samplesToMs(pcm.length);
      this.#revision += 1;
      yield { type: 'audio', pcm };
    }
    yield { type: 'segment-end', segment };
  }

  /** Runs beside the delivery, at most `lookahead` segments before it. */
  async #feed(input: AsyncIterator<Segment>): Promise<void> {
    const { lookahead } = this.#host;
    try {
      for (;;) {
        await this.#until(
          () => this.#tasks.length < (this.#isFull() ? Math.min(lookahead, LEAST_LOOKAHEAD) : lookahead),
        );
        const next = await input.next();
        if (next.done) break;
        this.#throwIfEnded();
        const task = new SegmentTask(this.#host.job(this.order, next.value), this);
        this.#tasks.push(task);
        this.#host.submit(task);
        this.changed();
      }
    } catch (error) {
      this.#input.error = error;
    }
    this.#input.done = true;
    this.changed();
  }

  /** Waits for a condition that only changes together with a notification; throws once the stream was ended. */
  #until(condition: () => boolean): Promise<void> {
    return this.#condition.until(() => {
      this.#throwIfEnded();
      return condition();
    });
  }

  #throwIfEnded(): void {
    if (this.#ended !== undefined) throw this.#ended;
  }

  changed(): void {
    this.#revision += 1;
    this.#condition.notify();
  }

  /** Those behind it are not asked: they may lie full until it is through. */
  room(task: SegmentTask): Promise<void> {
    return this.#condition.until(() => this.#ended !== undefined || !this.#isFull(task));
  }

  #isFull(last?: SegmentTask): boolean {
    if (this.order.whole) return false;
    let heldSamples = 0;
    for (const task of this.#tasks) {
      heldSamples += task.heldSamples;
      if (task === last) break;
    }
    return heldSamples >= HIGH_WATER_SAMPLES;
  }

  /** He was not dry when the text came that is next. */
  get heard(): boolean {
    const next = this.#tasks[0];
    return next !== undefined && this.#heardOutAtMs >= next.queuedAtMs;
  }

  /**
   * The listener's clock: what he has in hand, what lies here for him, and what the segments before it will last at least;
   * less what an engine takes to the first sound of a segment.
   */
  deadlineMs(task: SegmentTask): number {
    if (this.order.whole) return this.#admittedAtMs + WHOLE_MS;
    let deadlineMs = this.heard ? this.#heardOutAtMs : (this.#tasks[0] ?? task).queuedAtMs + FIRST_SOUND_MS;
    for (const before of this.#tasks) {
      deadlineMs += samplesToMs(before.heldSamples);
      if (before === task) break;
      const leastMs = (before.job.segment.text.length * MIN_MS_PER_CHAR) / before.job.speed;
      if (before.state !== 'done') deadlineMs += Math.max(0, leastMs - samplesToMs(before.receivedSamples));
    }
    return task.receivedSamples > 0 ? deadlineMs : deadlineMs - this.#host.leadMs(task.job);
  }

  wrote(chars: number, last: boolean): void {
    this.#writtenChars += chars;
    this.#wroteAtMs = performance.now();
    if (last) this.#written = true;
  }

  /** What it will still want. Of a writer who is at it, as much as sessions usually say is expected. */
  demand(nowMs: number, msPerChar: number, sessionMs: number): Demand {
    const { model, chars, speed = 1 } = this.order;
    let heldMs = 0;
    let unfinishedMs = 0;
    for (const { heldSamples, receivedSamples, state } of this.#tasks) {
      heldMs += samplesToMs(heldSamples);
      if (state !== 'done') unfinishedMs += samplesToMs(receivedSamples);
    }
    const knownChars = Math.max(chars ?? 0, this.#writtenChars);
    const pendingMs = Math.max(0, ((knownChars - this.#madeChars) / speed) * msPerChar - unfinishedMs);
    const writes = chars === undefined && !this.#written && nowMs - this.#wroteAtMs < WRITER_MS;
    const expectedMs = writes ? sessionMs - this.#madeChars * msPerChar : 0;
    const inHandMs =
      this.#heardOutAtMs === 0 ? this.#admittedAtMs + FIRST_WITHIN_MS - nowMs : this.#heardOutAtMs - nowMs;
    const restMs = Math.max(pendingMs, expectedMs);
    const first = this.#tasks[0]?.job;
    const leadMs = this.#heardOutAtMs === 0 && first !== undefined ? this.#host.leadMs(first) : 0;
    return { model, speed, aheadMs: Math.max(0, inHandMs) + heldMs, restMs, leadMs };
  }

  get writtenChars(): number {
    return this.#writtenChars;
  }

  ran(runMs: number): void {
    this.#host.ran(runMs);
  }

  /** A segment of it is through. */
  made(chars: number): void {
    this.#madeChars += chars;
  }

  started(atMs: number): void {
    this.#queueMs ??= atMs - this.#admittedAtMs;
  }

  /** Ends it at once: queued segments are dropped, running ones told to stop, whoever pulls gets `reason`. */
  end(reason: unknown): void {
    this.#ended ??= reason ?? new DOMException('The speech was closed', 'AbortError');
    for (const task of this.#tasks.splice(0)) this.#host.cancel(task);
    this.changed();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.end(undefined);
    this.#host.closed(this);
  }
}
