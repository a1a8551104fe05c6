/** A machine with engines whose time is counted and not waited for, so that the gateway's order can be looked at on any machine, however busy. */
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { vi } from 'vitest';
import { JobClient } from '../../src/gateway/workers/job-client.js';
import type { Worker, WorkerState } from '../../src/gateway/workers/worker.js';
import { msToSamples } from '../../src/protocol/audio.js';
import { type SegmentJob, stretchOf } from '../../src/protocol/job.js';
import type { JobReply, JobRequest } from '../../src/worker/protocol.js';

/** A message's way between gateway and engine. */
const CHANNEL_MS = 0.3;
const MS_PER_CHAR = 65;
/** Turns of the event loop after which nothing moves any more. */
const SETTLED = 8;

interface Timed {
  readonly atMs: number;
  readonly run: () => void;
}

/** One run of a graph. */
interface Run {
  readonly ms: number;
  readonly audioMs: number;
}

/**
 * Like the models on one core. A front for all of a segment; then base-tts-fast in windows, a short one first, about 0.065 of what is
 * heard in all; base-tts in one run, five times as long.
 */
function runsOf({ model, segment, speed }: SegmentJob, { front, window }: Costs): Run[] {
  const stretch = stretchOf(speed);
  let restMs = ((segment.text.length * MS_PER_CHAR) / speed) * stretch;
  const runs: Run[] = [{ ms: 5 + front * restMs, audioMs: 0 }];
  if (model === 'base-tts') return [...runs, { ms: 0.3 * restMs, audioMs: restMs / stretch }];
  for (let sizeMs = 400; restMs > 0; sizeMs = sizeMs === 400 ? 1_600 : 4_800) {
    const windowMs = restMs - sizeMs < 500 ? restMs : sizeMs;
    runs.push({ ms: (windowMs + 1_000) * window, audioMs: windowMs / stretch });
    restMs -= windowMs;
  }
  return runs;
}

/** Milliseconds of work for a millisecond of sound: of a front, and of a window with its context. */
export interface Costs {
  readonly front: number;
  readonly window: number;
}
const ONE_CORE: Costs = { front: 0.036, window: 0.0136 };

export class VirtualMachine {
  #nowMs = 1_000;
  readonly #heap: Timed[] = [];

  readonly costs: Costs;
  readonly #unsteady: number;
  #random = 1;

  constructor({ costs = ONE_CORE, unsteady = 0 }: { readonly costs?: Costs; readonly unsteady?: number } = {}) {
    this.costs = costs;
    this.#unsteady = unsteady;
    vi.spyOn(performance, 'now').mockImplementation(() => this.#nowMs);
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** What a run takes that takes `ms` where nobody else has the core. */
  runMs(ms: number): number {
    this.#random = (this.#random * 48_271) % 2_147_483_647;
    return ms * (1 + (this.#unsteady * this.#random) / 2_147_483_647);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  after(ms: number, run: () => void): void {
    const timed = { atMs: this.#nowMs + Math.max(0, ms), run };
    let at = this.#heap.length;
    while (at > 0 && this.#heap[at - 1]!.atMs <= timed.atMs) at--;
    // The next one stands last.
    this.#heap.splice(at, 0, timed);
  }

  /** Lets time pass until `work` is done. */
  async until<Result>(work: Promise<Result>): Promise<Result> {
    let over = false;
    const ended = () => {
      over = true;
    };
    work.then(ended, ended);
    for (;;) {
      for (let i = 0; i < SETTLED; i++) await turnOfLoop();
      if (over) return work;
      const next = this.#heap.pop();
      if (next === undefined) throw new Error('nothing will happen any more');
      this.#nowMs = next.atMs;
      next.run();
      while ((this.#heap.at(-1)?.atMs ?? Number.POSITIVE_INFINITY) <= this.#nowMs) this.#heap.pop()!.run();
    }
  }

  /** One that is ready after `startMs`. */
  worker(id: string, startMs = 0): Worker {
    const listeners = new Set<() => void>();
    let state: WorkerState = startMs > 0 ? 'starting' : 'ready';
    const engine = new VirtualEngine(this, (reply) => jobs.receive(reply));
    const jobs = new JobClient({
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
  /** When each turn that it was given is due. */
  readonly turns: number[];
  waits: boolean;
}

/** The other end of the channel: one run at a time, in turns, what is due soonest first. */
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
        turns: [this.#dueMs(job.dueInMs)],
        waits: false,
      });
      this.#goOn(job.id);
    } else if (message.type === 'turn') {
      const job = this.#jobs.get(message.id);
      job?.turns.push(this.#dueMs(message.dueInMs));
      if (job?.waits) this.#goOn(message.id);
    } else if (message.type === 'cancel' && this.#jobs.delete(message.id)) {
      this.#reply({ type: 'error', id: message.id, code: 'aborted', message: 'cancelled' });
    }
  }

  #dueMs(dueInMs = 0): number {
    return this.#machine.nowMs + dueInMs;
  }

  /** The job's next run waits for its turn, or for one to be given. */
  #goOn(id: string): void {
    const job = this.#jobs.get(id)!;
    const dueMs = job.turns.shift();
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
      this.#run();
      if (!this.#jobs.has(id)) return;
      this.#reply({ type: 'ran', id, runMs });
      if (run.audioMs === 0) this.#reply({ type: 'begin', id, timings: { startSamples: [], durationSamples: [] } });
      else this.#reply({ type: 'audio', id, pcm: new Int16Array(msToSamples(run.audioMs)) });
      if (job.runs.length > 0) this.#goOn(id);
      else {
        this.#jobs.delete(id);
        this.#reply({ type: 'end', id });
      }
    });
  }
}
