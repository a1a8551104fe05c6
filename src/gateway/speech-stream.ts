/** Speech of one request or session: feeds a few segments ahead, delivers their audio in order. */
import { Condition } from '../condition.js';
import { samplesToMs } from '../protocol/audio.js';
import { FIRST_SOUND_MS, type Segment } from '../protocol/job.js';
import { type SegmentStream, SegmentTask } from './segment-task.js';
import type { SpeechHost } from './speech-host.js';
import { StreamDemand } from './stream-demand.js';
import { BUFFERS, DEMAND, MS_PER_CHAR, REPORTS, SCHEDULING } from './tuning.js';
import type { GatewayEvent, Speech, SpeechOrder, SpeechRecord } from './types.js';
import type { Wants } from './wants.js';

export class SpeechStream implements Speech, SegmentStream {
  readonly order: SpeechOrder;
  readonly #host: SpeechHost<SpeechStream>;
  readonly #demand: StreamDemand;
  readonly #admittedAtMs: number;
  readonly #tasks: SegmentTask[] = [];
  readonly #condition = new Condition();
  #version: string | undefined;
  #revision = 0;
  #queueMs: number | undefined;
  readonly #record = { breaks: 0, workers: [] as string[] };
  /** When a listener who began with the first sample has played all that was handed over. */
  #playedUntilMs = 0;
  #used = false;
  #closed = false;
  /** Why the stream was ended early. */
  #ended: unknown;
  #input: { done: boolean; error?: unknown } = { done: false };

  constructor(order: SpeechOrder, host: SpeechHost<SpeechStream>) {
    this.order = order;
    this.#host = host;
    this.#demand = new StreamDemand(order, host);
    this.#admittedAtMs = host.clock.now();
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

  get version(): string | undefined {
    return this.#version;
  }

  /** The first segment goes to an engine of `version`. False where another one was first. */
  beginOn(version: string): boolean {
    if (this.#version !== undefined) return false;
    this.#version = version;
    return true;
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
      // Not awaited: a source that waits for its own writer would not return.
      input.return?.().catch(() => undefined);
    }
  }

  async *#deliver(task: SegmentTask): AsyncGenerator<GatewayEvent, void, undefined> {
    const { segment } = task.job;
    const { whole = false } = this.order;
    // A buffered response takes whole segments: what was not handed over can be spoken again.
    const ready = () =>
      task.error !== undefined || ((task.state === 'done' || (!whole && task.heldSamples > 0)) && this.#mayStart());
    let begun = false;
    for (;;) {
      const waits = !ready();
      await this.#until(ready);
      if (task.error !== undefined) throw task.error;
      const nowMs = this.#host.clock.now();
      if (waits && !whole && this.playing && nowMs > this.#playedUntilMs + DEMAND.stallMs) {
        this.#record.breaks += 1;
        this.#host.admission.stalled(this.order.model);
      }
      const pcm = task.take();
      if (!begun) yield { type: 'segment', segment, timings: task.timings };
      begun = true;
      if (pcm === undefined) break;
      this.#playedUntilMs = Math.max(this.#playedUntilMs, this.#host.clock.now()) + samplesToMs(pcm.length);
      this.#revision += 1;
      yield { type: 'audio', pcm };
    }
    yield { type: 'segment-end', segment };
  }

  /**
   * Under load, the first audio is held back until enough is buffered to bridge the wait for this
   * stream's next step.
   */
  #mayStart(): boolean {
    if (this.order.whole || this.playing) return true;
    let heldMs = 0;
    for (const { heldSamples, state } of this.#tasks) {
      heldMs += samplesToMs(heldSamples);
      if (state === 'queued' || state === 'running') return heldMs >= this.#host.prebufferMs;
    }
    return true;
  }

  /** Runs beside the delivery, at most `lookahead` segments ahead of it. */
  async #feed(input: AsyncIterator<Segment>): Promise<void> {
    const { lookahead } = this.#host;
    const least = Math.min(lookahead, BUFFERS.leastLookahead);
    try {
      for (;;) {
        await this.#until(() => this.#tasks.length < (this.#isFull() ? least : lookahead));
        const next = await input.next();
        if (next.done) break;
        this.#throwIfEnded();
        const task = new SegmentTask(this.#host.job(this.order, next.value), this, this.#host.clock);
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

  /** Waits for a condition that changes with a notification; throws once the stream was ended. */
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

  /** Segments after it do not count: they may be full until it is delivered. */
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
    return heldSamples >= BUFFERS.streamSamples;
  }

  /** The listener still had audio when the next segment's text came. */
  get playing(): boolean {
    const next = this.#tasks[0];
    return next !== undefined && this.#playedUntilMs >= next.queuedAtMs;
  }

  /**
   * When the listener runs dry without the segment: after what was handed over, what is held, and
   * the least duration of the segments before it; less the time an engine takes until more audio is
   * here.
   */
  deadlineMs(task: SegmentTask): number {
    if (this.order.whole) return this.#admittedAtMs + SCHEDULING.bufferedDueMs;
    const { playing } = this;
    const leastMsPerChar = Math.max(MS_PER_CHAR.least, MS_PER_CHAR.leastShare * this.#host.admission.msPerChar);
    let dryMs = playing ? this.#playedUntilMs : (this.#tasks[0] ?? task).queuedAtMs + FIRST_SOUND_MS;
    let deadlineMs = Number.NEGATIVE_INFINITY;
    for (const one of this.#tasks) {
      // Before the first audio is handed over, what is held only prebuffers: the rest is due as
      // soon.
      if (playing) dryMs += samplesToMs(one.heldSamples);
      // No sooner than the segments before it.
      if (one.state !== 'done' || one === task) deadlineMs = Math.max(deadlineMs, dryMs - this.#nextAudioMs(one));
      if (one === task) return deadlineMs;
      const leastMs = (one.job.segment.text.length * leastMsPerChar) / one.job.speed;
      if (one.state !== 'done') dryMs += Math.max(0, leastMs - samplesToMs(one.receivedSamples));
    }
    return Math.max(deadlineMs, dryMs - this.#nextAudioMs(task));
  }

  /** Expected time until more audio of a segment is here: a round trip and a step. */
  #nextAudioMs({ job, receivedSamples }: SegmentTask): number {
    const { admission } = this.#host;
    return admission.roundTripMs + (receivedSamples > 0 ? admission.stepMs(job) : admission.leadMs(job));
  }

  wrote(chars: number, last: boolean): void {
    this.#demand.wrote(chars, last);
  }

  get writtenChars(): number {
    return this.#demand.writtenChars;
  }

  /** What it will still want of the engines; `sessionMs` is what a session says on average. */
  wants(nowMs: number, sessionMs: number): Wants {
    const { admission } = this.#host;
    const dryAtMs = this.#playedUntilMs || this.#admittedAtMs + admission.withinMs(this.order.model);
    return this.#demand.wants(nowMs, sessionMs, { revision: this.#revision, tasks: this.#tasks, dryAtMs });
  }

  ran(runMs: number): void {
    this.#host.admission.ran(runMs);
  }

  made(chars: number): void {
    this.#demand.made(chars);
  }

  started(atMs: number, workerId: string): void {
    this.#queueMs ??= atMs - this.#admittedAtMs;
    const { workers } = this.#record;
    if (workers.length < REPORTS.recordedWorkers && !workers.includes(workerId)) workers.push(workerId);
  }

  /** Ends it at once: queued segments are dropped, running ones stopped; `reason` is thrown. */
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
