/** A worker without a process: an engine behind a channel in memory, which a test can kill and revive. */
import { type Clock, systemClock } from '../src/clock.js';
import type { Engine } from '../src/engine/engine.js';
import { JobClient } from '../src/gateway/workers/job-client.js';
import { type Worker, WorkerLost, type WorkerState } from '../src/gateway/workers/worker.js';
import type { SegmentJob } from '../src/protocol/job.js';
import type { JobReply, JobRequest } from '../src/worker/protocol.js';
import { EngineServer } from '../src/worker/serve-engine.js';

export interface EngineWorker extends Worker {
  /** Every job it was given, in order. */
  readonly jobs: readonly SegmentJob[];
  /** Jobs that the engine cancelled on request. */
  readonly cancelled: readonly string[];
  /** Jobs in the engine. */
  readonly running: number;
  /** The state it reports; `dead` breaks what runs. */
  setState(state: WorkerState): void;
  /** From now on no message arrives in either direction, as if the process were stopped. */
  freeze(): void;
}

export interface EngineWorkerOptions {
  readonly id?: string;
  readonly capacity?: number;
  readonly state?: WorkerState;
  readonly version?: string;
  readonly silenceMs?: number;
  readonly clock?: Clock;
}

export function createEngineWorker(engine: Engine, options: EngineWorkerOptions = {}): EngineWorker {
  const { id = 'test', capacity = 1, version = engine.version, silenceMs, clock = systemClock } = options;
  let state: WorkerState = options.state ?? 'ready';
  let restarts = 0;
  const listeners = new Set<() => void>();
  const jobs: SegmentJob[] = [];
  const cancelled: string[] = [];
  const running = new Set<string>();
  const onChange = () => {
    for (const listener of [...listeners]) listener();
  };
  /** The present epoch: messages of an earlier one do not arrive. */
  let epoch = connect();

  function connect() {
    let open = true;
    const own = {
      server: new EngineServer(
        { ...engine, close: async () => undefined },
        (reply) => own.carry(() => receive(reply)),
        clock,
      ),
      post(message: JobRequest) {
        const copy = structuredClone(message);
        own.carry(() => own.server.receive(copy));
      },
      carry(deliver: () => void) {
        setImmediate(() => open && deliver());
      },
      cut() {
        open = false;
        void own.server.close();
      },
    };
    return own;
  }

  function receive(reply: JobReply): void {
    if (reply.type === 'end' || reply.type === 'error') running.delete(reply.id);
    if (reply.type === 'error' && reply.code === 'aborted') cancelled.push(reply.id);
    client.receive(reply);
  }

  function die(why: string): void {
    epoch.cut();
    epoch = connect();
    running.clear();
    state = 'dead';
    client.lose(new WorkerLost(`The engine ${why}.`));
  }

  const client = new JobClient({
    ...(silenceMs !== undefined && { silenceMs }),
    clock,
    send: (message) => {
      epoch.post(message);
      if (message.type !== 'job') return;
      jobs.push(message.job);
      running.add(message.job.id);
    },
    onSilent: () => setState('dead'),
    onChange,
  });
  client.assume(0);

  function setState(next: WorkerState): void {
    if (state === 'dead' && next === 'ready') restarts++;
    if (next === 'dead') die('died');
    state = next;
    onChange();
  }

  return {
    id,
    capacity,
    version,
    jobs,
    cancelled,
    description: 'in memory',
    lastError: undefined,
    get state() {
      return state;
    },
    get busy() {
      return client.busy;
    },
    get idle() {
      return client.idle;
    },
    others: 0,
    takes: () => true,
    get runnable() {
      return client.runnable;
    },
    grant: (jobId, dueInMs) => client.grant(jobId, dueInMs),
    get restarts() {
      return restarts;
    },
    get running() {
      return running.size;
    },
    run(job, signal) {
      if (state !== 'ready') throw new WorkerLost(`The engine is ${state}.`);
      return client.run(job, signal);
    },
    setState,
    freeze: () => epoch.cut(),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      setState('closed');
      epoch.cut();
      client.lose(new WorkerLost('The engine was closed.'));
      await engine.close();
    },
  };
}
