/**
 * A worker without a process: an engine at the other end of a channel in memory, that a test can
 * kill, revive and look into.
 */
import { type Clock, systemClock } from '../src/clock.js';
import type { Engine } from '../src/engine/engine.js';
import { JobClient } from '../src/gateway/workers/job-client.js';
import { type Worker, WorkerLost, type WorkerState } from '../src/gateway/workers/worker.js';
import type { SegmentJob } from '../src/protocol/job.js';
import type { JobReply, JobRequest } from '../src/worker/protocol.js';
import { EngineServer } from '../src/worker/serve-engine.js';

export interface EngineWorkerOptions {
  readonly id?: string;
  readonly capacity?: number;
  readonly state?: WorkerState;
  readonly version?: string;
  readonly silenceMs?: number;
  readonly clock?: Clock;
}

/** One life of the engine. A message that was under way when it ended is not delivered. */
class Epoch {
  readonly #server: EngineServer;
  #open = true;

  constructor(engine: Engine, receive: (reply: JobReply) => void, clock: Clock) {
    const served = { ...engine, close: async () => undefined };
    this.#server = new EngineServer(served, (reply) => this.#carry(() => receive(reply)), clock);
  }

  post(message: JobRequest): void {
    const copy = structuredClone(message);
    this.#carry(() => this.#server.receive(copy));
  }

  #carry(deliver: () => void): void {
    setImmediate(() => this.#open && deliver());
  }

  cut(): void {
    this.#open = false;
    void this.#server.close();
  }
}

export class EngineWorker implements Worker {
  readonly id: string;
  readonly capacity: number;
  readonly version: string;
  readonly description = 'in memory';
  readonly lastError = undefined;
  readonly others = 0;
  /** Every job it was given, in order. */
  readonly jobs: SegmentJob[] = [];
  /** Jobs that the engine stopped because it was told to. */
  readonly cancelled: string[] = [];
  readonly #engine: Engine;
  readonly #clock: Clock;
  readonly #client: JobClient;
  readonly #listeners = new Set<() => void>();
  readonly #running = new Set<string>();
  #epoch: Epoch;
  #state: WorkerState;
  #restarts = 0;

  constructor(engine: Engine, options: EngineWorkerOptions) {
    const { id = 'test', capacity = 1, version = engine.version, silenceMs, state = 'ready' } = options;
    this.#clock = options.clock ?? systemClock;
    this.#engine = engine;
    this.id = id;
    this.capacity = capacity;
    this.version = version;
    this.#state = state;
    this.#epoch = this.#begin();
    this.#client = new JobClient({
      ...(silenceMs !== undefined && { silenceMs }),
      clock: this.#clock,
      send: (message) => {
        this.#epoch.post(message);
        if (message.type !== 'job') return;
        this.jobs.push(message.job);
        this.#running.add(message.job.id);
      },
      onSilent: () => this.setState('dead'),
      onChange: () => this.#changed(),
    });
    this.#client.assume(0);
  }

  get state(): WorkerState {
    return this.#state;
  }
  get restarts(): number {
    return this.#restarts;
  }
  /** Jobs in the engine. */
  get running(): number {
    return this.#running.size;
  }
  get busy() {
    return this.#client.busy;
  }
  get background() {
    return this.#client.background;
  }
  get idle() {
    return this.#client.idle;
  }
  get runnable() {
    return this.#client.runnable;
  }

  takes(): boolean {
    return true;
  }

  grant: Worker['grant'] = (jobId, dueInMs) => this.#client.grant(jobId, dueInMs);

  run: Worker['run'] = (job, signal) => {
    if (this.#state !== 'ready') throw new WorkerLost(`The engine is ${this.#state}.`);
    return this.#client.run(job, signal);
  };

  onChange(listener: () => void) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The state it reports; `dead` breaks what runs. */
  setState(next: WorkerState): void {
    if (this.#state === 'dead' && next === 'ready') this.#restarts++;
    if (next === 'dead') {
      this.#epoch.cut();
      this.#epoch = this.#begin();
      this.#running.clear();
      this.#state = 'dead';
      this.#client.lose(new WorkerLost('The engine died.'));
    }
    this.#state = next;
    this.#changed();
  }

  /** From now on no message arrives in either direction, as if the process were stopped. */
  freeze(): void {
    this.#epoch.cut();
  }

  async close(): Promise<void> {
    this.setState('closed');
    this.#epoch.cut();
    this.#client.lose(new WorkerLost('The engine was closed.'));
    await this.#engine.close();
  }

  #begin(): Epoch {
    const receive = (reply: JobReply): void => {
      if (reply.type === 'end' || reply.type === 'error') this.#running.delete(reply.id);
      if (reply.type === 'error' && reply.code === 'aborted') this.cancelled.push(reply.id);
      this.#client.receive(reply);
    };
    return new Epoch(this.#engine, receive, this.#clock);
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

export const createEngineWorker = (engine: Engine, options: EngineWorkerOptions = {}): EngineWorker =>
  new EngineWorker(engine, options);
