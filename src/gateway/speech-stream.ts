/** One request's or session's speech: feeds a few segments ahead, and hands their audio over in order as it is pulled. */
import { Condition } from '../condition.js';
import { msToSamples, samplesToMs } from '../protocol/audio.js';
import { FIRST_SOUND_MS, type Segment } from '../protocol/job.js';
import { type SegmentStream, SegmentTask } from './segment-task.js';
import type { SpeechHost } from './speech-host.js';
import type { GatewayEvent, Speech, SpeechOrder, SpeechRecord } from './types.js';
import { Wants } from './wants.js';

/** A character lasts at least about this long; a guess that is too low only makes the next segment come early. */
const MIN_MS_PER_CHAR = 40;
/** Of what a character was measured to last. */
const LEAST_SHARE = 0.8;
/** High-water mark of a stream: a reader that leaves more than this lying stops the synthesis. */
const HIGH_WATER_SAMPLES = msToSamples(2_000);
/** From this much silence on a listener notices. */
const BREAK_MS = 50;
/** Where nobody listens before the end, all of it is due by then: it fills what live listeners leave, and does not starve. */
const WHOLE_MS = 10_000;
/** A writer who has been still for so long may be gone for long. */
const WRITER_MS = 5_000;
/** Segments that keep one worker from ever waiting; more are only begun while little lies here. */
const LEAST_LOOKAHEAD = 2;

/** Workers that a stream's record names at most. */
const RECORDED_WORKERS = 8;

/** What a stream wants is worked out anew after so long even if nothing has changed. */
const WANTS_MS = 1_000;
const NEVER = { revision: -1, atMs: 0 };

export class SpeechStream implements Speech, SegmentStream {
  readonly order: SpeechOrder;
  version: string | undefined;
  readonly #host: SpeechHost<SpeechStream>;
  readonly #admittedAtMs = performance.now();
  readonly #tasks: SegmentTask[] = [];
  readonly #condition = new Condition();
  #revision = 0;
  readonly #wants = new Wants();
  /** What they were worked out of. */
  #wantsOf = NEVER;
  #queueMs: number | undefined;
  readonly #record = { breaks: 0, workers: [] as string[] };
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

  constructor(order: SpeechOrder, host: SpeechHost<SpeechStream>) {
    this.order = order;
    this.#host = host;
  }

  get queueMs(): number | undefined {
    return this.#queueMs;
  }

  get record(): SpeechRecord {
    return this.#record;
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
    const ready = () =>
      task.error !== undefined || ((task.state === 'done' || (!whole && task.heldSamples > 0)) && this.#mayBeHeard());
    let begun = false;
    for (;;) {
      const waits = !ready();
      await this.#until(ready);
      if (task.error !== undefined) throw task.error;
      if (waits && !whole && this.heard && performance.now() > this.#heardOutAtMs + BREAK_MS) {
        this.#record.breaks += 1;
        this.#host.intake.broke(this.order.model);
      }
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

  /** Whoever begins to hear goes on hearing: in company a first sound waits for what lets him wait for the turns of others. */
  #mayBeHeard(): boolean {
    if (this.order.whole || this.heard) return true;
    let heldMs = 0;
    for (const { heldSamples, state } of this.#tasks) {
      heldMs += samplesToMs(heldSamples);
      if (state === 'queued' || state === 'running') return heldMs >= this.#host.cushionMs;
    }
    return true;
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
   * less what an engine takes until more of it is heard.
   */
  deadlineMs(task: SegmentTask): number {
    if (this.order.whole) return this.#admittedAtMs + WHOLE_MS;
    const { heard } = this;
    const leastMsPerChar = Math.max(MIN_MS_PER_CHAR, LEAST_SHARE * this.#host.intake.msPerChar);
    let dryMs = heard ? this.#heardOutAtMs : (this.#tasks[0] ?? task).queuedAtMs + FIRST_SOUND_MS;
    let deadlineMs = Number.NEGATIVE_INFINITY;
    for (const one of this.#tasks) {
      // What lies here before anybody hears it wants the rest of what he begins with.
      if (heard) dryMs += samplesToMs(one.heldSamples);
      // No sooner than what is heard before it.
      if (one.state !== 'done' || one === task) deadlineMs = Math.max(deadlineMs, dryMs - this.#nextRunMs(one));
      if (one === task) return deadlineMs;
      const leastMs = (one.job.segment.text.length * leastMsPerChar) / one.job.speed;
      if (one.state !== 'done') dryMs += Math.max(0, leastMs - samplesToMs(one.receivedSamples));
    }
    return Math.max(deadlineMs, dryMs - this.#nextRunMs(task));
  }

  /** About what it takes until more of it is here: the way to an engine and back, and its run. */
  #nextRunMs({ job, receivedSamples }: SegmentTask): number {
    const { intake } = this.#host;
    return intake.roundTripMs + (receivedSamples > 0 ? intake.runMs(job) : intake.leadMs(job));
  }

  wrote(chars: number, last: boolean): void {
    this.#writtenChars += chars;
    this.#wroteAtMs = performance.now();
    if (last) this.#written = true;
    this.#wantsOf = NEVER;
  }

  /** What it will still want. Worked out when something changed here; what it costs is learnt meanwhile, so not only then. */
  wants(nowMs: number, sessionMs: number): Wants {
    const { revision, atMs } = this.#wantsOf;
    if (revision === this.#revision && nowMs - atMs < WANTS_MS) return this.#wants;
    this.#wantsOf = { revision: this.#revision, atMs: nowMs };
    this.#wants.clear();
    this.#noteWants(nowMs, sessionMs);
    return this.#wants;
  }

  /** Segment by segment. Of a writer who is at it, as much as sessions usually say is expected. */
  #noteWants(nowMs: number, sessionMs: number): void {
    const { model, chars, speed = 1 } = this.order;
    const { intake } = this.#host;
    const { msPerChar } = intake;
    let atMs = Math.max(nowMs, this.#heardOutAtMs || this.#admittedAtMs + intake.withinMs(model));
    let cutChars = this.#madeChars;
    for (const task of this.#tasks) {
      atMs += samplesToMs(task.heldSamples);
      if (task.state === 'done') continue;
      const { length } = task.job.segment.text;
      cutChars += length;
      const restMs = Math.max(0, (length / speed) * msPerChar - samplesToMs(task.receivedSamples));
      const leadMs = task.receivedSamples > 0 ? 0 : Math.max(0, intake.leadMs(task.job) - task.leadMs);
      intake.note(this.#wants, model, speed, { atMs, restMs, leadMs });
      atMs += restMs;
    }
    const knownChars = Math.max(chars ?? 0, this.#writtenChars);
    const writes = chars === undefined && !this.#written && nowMs - this.#wroteAtMs < WRITER_MS;
    const pendingMs = (Math.max(0, knownChars - cutChars) / speed) * msPerChar;
    const expectedMs = writes ? sessionMs - (cutChars / speed) * msPerChar : 0;
    intake.noteUncut(this.#wants, model, speed, { atMs, restMs: Math.max(pendingMs, expectedMs) });
  }

  get writtenChars(): number {
    return this.#writtenChars;
  }

  ran(runMs: number): void {
    this.#host.intake.ran(runMs);
  }

  /** A segment of it is through. */
  made(chars: number): void {
    this.#madeChars += chars;
  }

  started(atMs: number, workerId: string): void {
    this.#queueMs ??= atMs - this.#admittedAtMs;
    const { workers } = this.#record;
    if (workers.length < RECORDED_WORKERS && !workers.includes(workerId)) workers.push(workerId);
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
