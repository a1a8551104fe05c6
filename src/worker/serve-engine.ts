/** Serves an engine over a message channel: jobs in, speech out, in steps and within credit. */
import { setImmediate as nextLoopTurn } from 'node:timers/promises';
import { type Clock, systemClock } from '../clock.js';
import { Condition } from '../condition.js';
import { type Due, insertByDue } from '../engine/due-order.js';
import type { Engine, StepGrant, StepRunner } from '../engine/engine.js';
import { samplesToMs } from '../protocol/audio.js';
import { isAbort, TtsError } from '../protocol/errors.js';
import type { SegmentJob } from '../protocol/job.js';
import { beginSpan, NO_SPAN } from '../trace.js';
import type { JobReply, JobRequest } from './protocol.js';

interface Running {
  readonly id: string;
  /** Nobody hears the job while it is made. */
  readonly whole: boolean;
  readonly abort: AbortController;
  /** Credit or a step was given. */
  readonly changed: Condition;
  /** Samples that may still be sent. */
  creditSamples: number;
  /** When each step that was given and has not begun is due. */
  readonly steps: number[];
  /** When a listener who began with the first sample has played all that was sent. */
  playedUntilMs: number;
}

/** What a step reports about its cost. */
interface Spent {
  /** Undefined where the time it took is its cost. */
  ms?: number;
  earlyShare: number;
}

export class EngineServer {
  readonly #engine: Engine;
  readonly #send: (reply: JobReply) => void;
  readonly #clock: Clock;
  readonly #running = new Map<string, Running>();
  readonly #tasks = new Set<Promise<void>>();
  #multiThreaded = false;
  #busy = false;
  /** When the last step ended. */
  #freeMs = 0;
  /** Steps that wait for the one that runs, by when they are due. */
  readonly #waiting: (Due & { readonly begin: () => void })[] = [];

  constructor(engine: Engine, send: (reply: JobReply) => void, clock: Clock = systemClock) {
    this.#engine = engine;
    this.#send = send;
    this.#clock = clock;
  }

  receive(message: JobRequest): void {
    if (message.type === 'job') {
      this.#begin(message.job, message.creditSamples);
      return;
    }
    if (message.type === 'wide') {
      this.#multiThreaded = message.wide;
      return;
    }
    const state = this.#running.get(message.id);
    if (state === undefined) return;
    if (message.type === 'cancel') {
      state.abort.abort();
      return;
    }
    if (message.type === 'credit') state.creditSamples += message.samples;
    else state.steps.push(this.#dueAtMs(message.dueInMs));
    state.changed.notify();
  }

  /** Cancels all jobs and waits for their ends. */
  async close(): Promise<void> {
    for (const state of this.#running.values()) state.abort.abort();
    await Promise.all(this.#tasks);
    await this.#engine.close();
  }

  /** A step without a due time waits for all others. */
  #dueAtMs(dueInMs = Number.MAX_SAFE_INTEGER): number {
    return this.#clock.now() + dueInMs;
  }

  #begin(job: SegmentJob, creditSamples: number): void {
    const state: Running = {
      id: job.id,
      whole: job.whole === true,
      abort: new AbortController(),
      changed: new Condition(),
      creditSamples,
      steps: [this.#dueAtMs(job.dueInMs)],
      playedUntilMs: 0,
    };
    this.#running.set(job.id, state);
    const task = this.#speak(job, state).finally(() => this.#tasks.delete(task));
    this.#tasks.add(task);
  }

  async #speak(job: SegmentJob, state: Running): Promise<void> {
    const { id } = job;
    const { signal } = state.abort;
    let final: JobReply = { type: 'end', id };
    const span = job.traceparent === undefined ? NO_SPAN : beginSpan(job.traceparent, spanOf(job));
    const steps: StepRunner = { run: (work) => this.#step(state, work) };
    try {
      for await (const event of this.#engine.speak(job, steps, signal)) {
        signal.throwIfAborted();
        this.#send({ ...event, id });
        if (event.type !== 'audio') continue;
        if (state.playedUntilMs === 0) span.event('first audio');
        state.playedUntilMs = Math.max(state.playedUntilMs, this.#clock.now()) + samplesToMs(event.pcm.length);
        state.creditSamples -= event.pcm.length;
        await state.changed.until(() => state.creditSamples > 0, signal);
      }
    } catch (error) {
      const code = isAbort(error) ? 'aborted' : error instanceof TtsError ? error.code : 'synthesis_failed';
      final = { type: 'error', id, code, message: error instanceof Error ? error.message : String(error) };
    }
    span.end(final.type === 'error' && final.code !== 'aborted' ? final.code : undefined);
    this.#running.delete(id);
    this.#send(final);
  }

  async #step<T>(state: Running, work: (grant: StepGrant) => Promise<T>): Promise<T> {
    const { id, steps, changed } = state;
    const { signal } = state.abort;
    if (steps.length === 0) this.#send({ type: 'waits', id });
    await changed.until(() => steps.length > 0, signal);
    const dueMs = steps.shift()!;
    // An engine with a capacity queues steps itself, in the same order.
    const queues = this.#engine.capacity === undefined;
    const startMs = queues ? await this.#untilFree(dueMs) : this.#clock.now();
    // A native run blocks messages: let them in first, a cancellation may be among them.
    await nextLoopTurn();
    const spent: Spent = { earlyShare: 0 };
    try {
      signal.throwIfAborted();
      return await work(this.#grant(state, dueMs, spent));
    } finally {
      const runMs = spent.ms ?? this.#clock.now() - startMs;
      this.#send({ type: 'ran', id, runMs, earlyMs: spent.earlyShare * runMs });
      if (queues) void this.#free();
    }
  }

  #grant(state: Running, dueMs: number, spent: Spent): StepGrant {
    // The step was given before the last audio was sent. A single listener plays that at once, so
    // the step is due later; under load it may be held back as prebuffer.
    const plays = this.#multiThreaded && this.#engine.capacity === undefined;
    return {
      multiThreaded: this.#multiThreaded,
      signal: state.abort.signal,
      dueMs: state.whole ? Number.POSITIVE_INFINITY : plays ? Math.max(dueMs, state.playedUntilMs) : dueMs,
      spent(ms) {
        spent.ms = ms;
      },
      early(share) {
        spent.earlyShare = share;
      },
    };
  }

  /** Resolves when no step runs, with the start of this one: the end of the one before. */
  async #untilFree(dueMs: number): Promise<number> {
    const followed = this.#busy;
    if (followed) await new Promise<void>((begin) => insertByDue(this.#waiting, { dueMs, begin }));
    this.#busy = true;
    return followed ? this.#freeMs : this.#clock.now();
  }

  /** The job whose step has ended has a turn to ask for its next one, which may be due first. */
  async #free(): Promise<void> {
    this.#freeMs = this.#clock.now();
    await nextLoopTurn();
    const next = this.#waiting.shift();
    if (next === undefined) this.#busy = false;
    else next.begin();
  }
}

const spanOf = ({ model, segment }: SegmentJob) => ({
  name: 'engine',
  attributes: { 'tts.model': model, 'tts.characters': segment.text.length },
});
