/** A worker that is a child process: jobs go over the channel that Node gives to a child. */
import { SUPERVISION } from '../tuning.js';
import { EngineProcess, type SupervisionOptions } from './engine-process.js';
import { JobClient } from './job-client.js';
import { type Worker, WorkerLost } from './worker.js';

export interface ProcessWorkerOptions extends SupervisionOptions {
  readonly id: string;
  readonly capacity?: number;
  /** Its engine can run steps on all cores while a single stream is served. */
  readonly multiThreads?: boolean;
  /** The least silence of a process with work after which it counts as frozen. */
  readonly silenceMs?: number;
}

export function createProcessWorker(options: ProcessWorkerOptions): Worker {
  const { id, capacity = SUPERVISION.capacity, multiThreads = false, silenceMs, ...settings } = options;
  const listeners = new Set<() => void>();
  const log = settings.log.child({ worker: id });
  const onChange = (): void => {
    for (const listener of [...listeners]) listener();
  };
  const jobs = new JobClient({
    ...(silenceMs !== undefined && { silenceMs }),
    ...(settings.clock && { clock: settings.clock }),
    send: (message) => engine.send(message),
    get standstill() {
      return engine.standstill;
    },
    onSilent: ({ how }) => engine.killSilent(how),
    onChange,
  });
  const engine = new EngineProcess(
    { ...settings, log },
    {
      onReady: ({ realTimeFactor }) => realTimeFactor !== undefined && jobs.assume(realTimeFactor),
      onReply: (reply) => jobs.receive(reply),
      onLost: (how, blameless) => jobs.lose(new WorkerLost(`The engine process ${how}`, { blameless })),
      onChange,
      isIdle: () => jobs.idle,
    },
  );

  return {
    id,
    get capacity() {
      return engine.facts?.capacity ?? capacity;
    },
    get busy() {
      return jobs.busy;
    },
    get background() {
      return jobs.background;
    },
    get idle() {
      return jobs.idle;
    },
    others: 0,
    takes: () => true,
    get runnable() {
      return jobs.runnable;
    },
    grant: (jobId, dueInMs) => jobs.grant(jobId, dueInMs),
    ...(multiThreads && { setMultiThreaded: (on: boolean) => jobs.setMultiThreaded(on) }),
    get state() {
      return engine.state;
    },
    get restarts() {
      return engine.restarts;
    },
    get description() {
      return engine.facts?.description;
    },
    get trying() {
      return engine.trying;
    },
    get device() {
      return engine.facts?.device;
    },
    get version() {
      return engine.facts?.version;
    },
    get lastError() {
      return engine.lastError;
    },
    run(job, signal) {
      if (engine.state !== 'ready') throw new WorkerLost(`The engine process is ${engine.state}.`);
      return jobs.run(job, signal);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      const closed = engine.close();
      jobs.lose(new WorkerLost('The engine process was closed.'));
      await closed;
    },
  };
}
