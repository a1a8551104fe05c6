/** A machine with engines on a virtual clock, whose results do not depend on the real machine. */
import { JobClient } from '../../src/gateway/workers/job-client.js';
import type { Worker, WorkerState } from '../../src/gateway/workers/worker.js';
import { msToSamples } from '../../src/protocol/audio.js';
import type { SegmentJob } from '../../src/protocol/job.js';
import { speedParts } from '../../src/protocol/speed.js';
import type { JobReply, JobRequest } from '../../src/worker/protocol.js';
import { VirtualClock } from '../../testkit/virtual-clock.js';

/** Time of a message between gateway and engine. */
const CHANNEL_MS = 0.3;
const MS_PER_CHAR = 65;
/** The longest window of a buffered response. */
const BACKGROUND_MS = 2_600;
/** One step. */
interface Run {
  readonly ms: number;
  readonly audioMs: number;
}

/**
 * Steps like those of the models on one core: a front for all of a segment; then base-tts-fast in
 * windows, a short one first or, of a buffered response, all equal, about 0.065 of the audio in all;
 * base-tts in one step, five times as long.
 */
function runsOf({ model, segment, speed, whole = false }: SegmentJob, { front, window }: Costs): Run[] {
  const { acoustic, stretch } = speedParts(model, speed);
  const heardMs = (segment.text.length * MS_PER_CHAR) / speed;
  let restMs = heardMs * stretch;
  const runs: Run[] = [{ ms: 5 + (front * heardMs * speed) / acoustic, audioMs: 0 }];
  if (model === 'base-tts') return [...runs, { ms: 0.3 * restMs, audioMs: restMs / stretch }];
  const equalMs = restMs / Math.ceil(restMs / BACKGROUND_MS);
  for (let sizeMs = whole ? equalMs : 400; restMs > 0; sizeMs = whole ? equalMs : sizeMs === 400 ? 1_600 : 4_800) {
    const windowMs = restMs - sizeMs < 500 ? restMs : sizeMs;
    runs.push({ ms: (windowMs + 1_000) * window, audioMs: windowMs / stretch });
    restMs -= windowMs;
  }
  return runs;
}

/**
 * Milliseconds of work for a millisecond of audio: of a front, and of a window with its context.
 */
export interface Costs {
  readonly front: number;
  readonly window: number;
}
const ONE_CORE: Costs = { front: 0.036, window: 0.0136 };

export class VirtualMachine {
  readonly clock = new VirtualClock();
  readonly costs: Costs;
  readonly #unsteady: number;
  #random = 1;

  constructor({ costs = ONE_CORE, unsteady = 0 }: { readonly costs?: Costs; readonly unsteady?: number } = {}) {
    this.costs = costs;
    this.#unsteady = unsteady;
    this.clock.skip(1_000);
  }

  get nowMs(): number {
    return this.clock.now();
  }

  /** What a step takes that takes `ms` where nothing else has the core. */
  runMs(ms: number): number {
    this.#random = (this.#random * 48_271) % 2_147_483_647;
    return ms * (1 + (this.#unsteady * this.#random) / 2_147_483_647);
  }

  sleep(ms: number): Promise<void> {
    return this.clock.sleep(ms);
  }

  after(ms: number, run: () => void): void {
    this.clock.setTimeout(run, ms);
  }

  /** Lets time pass until `work` is done. */
  until<Result>(work: Promise<Result>): Promise<Result> {
    return this.clock.runUntil(work);
  }

  /** A worker that is ready after `startMs`. */
  worker(id: string, startMs = 0): Worker {
    const listeners = new Set<() => void>();
    let state: WorkerState = startMs > 0 ? 'starting' : 'ready';
    const engine = new VirtualEngine(this, (reply) => jobs.receive(reply));
    const jobs = new JobClient({
      clock: this.clock,
      send: (message) => this.after(CHANNEL_MS, () => engine.receive(message)),
      onSilent: () => undefined,
      onChange: () => changed(),
    });
    const changed = () => {
      for (const listener of listeners) listener();
    };
    if (startMs > 0)
      this.after(startMs, () => {
        state = 'ready';
        changed();
      });
    return {
      id,
      get state() {
        return state;
      },
      capacity: 2,
      others: 0,
      restarts: 0,
      description: 'virtual',
      version: 'virtual',
      lastError: undefined,
      takes: () => true,
      get busy() {
        return jobs.busy;
      },
      get background() {
        return jobs.background;
      },
      get idle() {
        return jobs.idle;
      },
      get runnable() {
        return jobs.runnable;
      },
      grant: (jobId, dueInMs) => jobs.grant(jobId, dueInMs),
      run: (job, signal) => jobs.run(job, signal),
      onChange(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      close: async () => undefined,
    };
  }
}

interface Job {
  readonly runs: Run[];
  /** When each step that it was given is due. */
  readonly steps: number[];
  waits: boolean;
}

/** The other end of the channel: one step at a time, the soonest due first. */
class VirtualEngine {
  readonly #machine: VirtualMachine;
  readonly #reply: (reply: JobReply) => void;
  readonly #jobs = new Map<string, Job>();
  readonly #waiting: { readonly id: string; readonly dueMs: number }[] = [];
  #running = false;

  constructor(machine: VirtualMachine, reply: (reply: JobReply) => void) {
    this.#machine = machine;
    this.#reply = (message) => machine.after(CHANNEL_MS, () => reply(message));
  }

  receive(message: JobRequest): void {
    if (message.type === 'job') {
      const { job } = message;
      this.#jobs.set(job.id, {
        runs: runsOf(job, this.#machine.costs),
        steps: [this.#dueMs(job.dueInMs)],
        waits: false,
      });
      this.#goOn(job.id);
    } else if (message.type === 'turn') {
      const job = this.#jobs.get(message.id);
      job?.steps.push(this.#dueMs(message.dueInMs));
      if (job?.waits) this.#goOn(message.id);
    } else if (message.type === 'cancel' && this.#jobs.delete(message.id)) {
      this.#reply({ type: 'error', id: message.id, code: 'aborted', message: 'cancelled' });
    }
  }

  #dueMs(dueInMs = 0): number {
    return this.#machine.nowMs + dueInMs;
  }

  /** The job's next step waits for the engine, or to be given. */
  #goOn(id: string): void {
    const job = this.#jobs.get(id)!;
    const dueMs = job.steps.shift();
    job.waits = dueMs === undefined;
    if (dueMs === undefined) {
      this.#reply({ type: 'waits', id });
      return;
    }
    this.#waiting.push({ id, dueMs });
    this.#run();
  }

  #run(): void {
    if (this.#running) return;
    this.#waiting.sort((a, b) => b.dueMs - a.dueMs);
    const next = this.#waiting.pop();
    if (next === undefined) return;
    const { id } = next;
    const job = this.#jobs.get(id);
    const run = job?.runs.shift();
    if (job === undefined || run === undefined) {
      this.#run();
      return;
    }
    this.#running = true;
    const runMs = this.#machine.runMs(run.ms);
    this.#machine.after(runMs, () => {
      this.#running = false;
      if (this.#jobs.has(id)) this.#ran(id, run, runMs);
      this.#run();
    });
  }

  #ran(id: string, run: Run, runMs: number): void {
    this.#reply({ type: 'ran', id, runMs });
    if (run.audioMs === 0) this.#reply({ type: 'begin', id, timings: { startSamples: [], durationSamples: [] } });
    else this.#reply({ type: 'audio', id, pcm: new Int16Array(msToSamples(run.audioMs)) });
    if (this.#jobs.get(id)!.runs.length > 0) this.#goOn(id);
    else {
      this.#jobs.delete(id);
      this.#reply({ type: 'end', id });
    }
  }
}
