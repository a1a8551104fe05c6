/** A worker that is a child process: jobs for its engine go over the channel that Node gives to a child. */
import { EngineProcess, type SupervisionOptions } from './engine-process.js';
import { JobClient } from './job-client.js';
import { type Worker, WorkerLost } from './worker.js';

export interface ProcessWorkerOptions extends SupervisionOptions {
  readonly id: string;
  readonly capacity?: number;
  /** Its engine can use more cores while nobody else wants any. */
  readonly widens?: boolean;
  /** How long a process that has work may be silent at least before it counts as frozen. */
  readonly silenceMs?: number;
}

export function createProcessWorker(options: ProcessWorkerOptions): Worker {
  const { id, capacity = 2, widens = false, silenceMs, ...settings } = options;
  const listeners = new Set<() => void>();
  const log = settings.log.child({ worker: id });
  const onChange = (): void => {
    for (const listener of [...listeners]) listener();
  };
  const jobs = new JobClient({
    ...(silenceMs !== undefined && { silenceMs }),
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
    get idle() {
      return jobs.idle;
    },
    others: 0,
    takes: () => true,
    get runnable() {
      return jobs.runnable;
    },
    grant: (jobId, dueInMs) => jobs.grant(jobId, dueInMs),
    ...(widens && { setWide: (wide: boolean) => jobs.setWide(wide) }),
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
