/** A worker that is a child process: started, fed, restarted with back-off when it dies, and killed with its parent. */
import { type ChildProcess, fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../log.js';
import { type ErrorCode, TtsError } from '../protocol/errors.js';
import type { SegmentJob, SpeechEvent } from '../protocol/job.js';
import type { EngineOptions, FromWorker, ToWorker } from '../worker/protocol.js';
import { createJobChannel, type JobChannel } from './job-channel.js';
import type { Worker, WorkerState } from './worker.js';

export interface ProcessWorkerOptions {
  readonly id: string;
  readonly options: EngineOptions;
  readonly log: Logger;
  /** `now` for a server; `demand` waits for the first job, for a command that may never speak. */
  readonly start?: 'now' | 'demand';
  /** More than run at once: the engine gives each native run to whoever needs it soonest, so it should see them all. */
  readonly capacity?: number;
  /** Between jobs, a process that holds more than this is replaced by a fresh one. */
  readonly maxRssBytes?: number;
  /** First wait before a restart; doubles with every failure up to `maxBackoffMs`. */
  readonly backoffMs?: number;
  readonly maxBackoffMs?: number;
  /** A process that is not ready by then is killed and started again. */
  readonly startTimeoutMs?: number;
  /** A job that owes its consumer something and is silent this long has hung: its process is killed. */
  readonly stallTimeoutMs?: number;
}

/**
 * The child runs compiled code. Under a test runner that loads this file from `src/`, that is the `dist/` next to it, which
 * the test suite's global setup builds first.
 */
export const WORKER_ENTRY = fileURLToPath(
  import.meta.url.endsWith('.ts')
    ? new URL('../../dist/worker/main.js', import.meta.url)
    : new URL('../worker/main.js', import.meta.url),
);

/** A process that has been up this long counts as healthy: its next failure waits the shortest time again. */
const HEALTHY_MS = 30_000;

export function createProcessWorker(settings: ProcessWorkerOptions): Worker {
  const {
    id,
    options,
    start = 'now',
    capacity = 6,
    maxRssBytes = 2 * 1024 ** 3,
    backoffMs = 200,
    maxBackoffMs = 30_000,
    startTimeoutMs = 120_000,
    stallTimeoutMs = 300_000,
  } = settings;
  const log = settings.log.child({ worker: id });

  let state: WorkerState = 'starting';
  let child: ChildProcess | undefined;
  let startTimer: NodeJS.Timeout | undefined;
  let restartTimer: NodeJS.Timeout | undefined;
  let readyAt = 0;
  let failures = 0;
  let restarts = 0;
  let description: string | undefined;
  let lastError: { code: ErrorCode; message: string } | undefined;
  let stderrTail = '';
  let recycling = false;
  let rssBytes = 0;
  const jobs = new Map<string, JobChannel>();
  const listeners = new Set<(state: WorkerState) => void>();

  function setState(next: WorkerState): void {
    if (state === next) return;
    state = next;
    for (const listener of [...listeners]) listener(next);
  }

  const post = (message: ToWorker): void => {
    if (child?.connected) child.send(message, () => undefined);
  };
  const killChild = (): void => {
    child?.kill('SIGKILL');
  };

  function spawn(): void {
    stderrTail = '';
    setState('starting');
    const process_ = fork(WORKER_ENTRY, [], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: ['--max-old-space-size=512'],
    });
    child = process_;
    process.once('exit', killChild);
    process_.on('message', (message: FromWorker) => receive(message));
    createInterface({ input: process_.stderr! }).on('line', (line) => {
      stderrTail = `${stderrTail}\n${line}`.slice(-500);
      log.warn({ line }, 'engine process wrote to stderr');
    });
    // A failed fork reports by 'error' alone; everything else ends in 'exit'.
    process_.once('error', (error) => died(process_, `could not be started (${error.message})`));
    process_.once('exit', (code, signal) => {
      // A grandchild or the other end of the channel may outlive the exit; nobody will read it.
      process_.stderr?.destroy();
      died(process_, signal ? `was killed by ${signal}` : `ended with exit code ${code}`);
    });
    startTimer = setTimeout(() => {
      lastError = { code: 'no_worker_ready', message: `The engine was not ready within ${startTimeoutMs / 1000} s.` };
      killChild();
    }, startTimeoutMs);
    startTimer.unref();
    post({ type: 'start', options });
  }

  function receive(message: FromWorker): void {
    switch (message.type) {
      case 'ready':
        clearTimeout(startTimer);
        readyAt = Date.now();
        description = message.description;
        lastError = undefined;
        log.info({ engine: message.description, pid: child?.pid }, 'engine ready');
        setState('ready');
        break;
      case 'failed':
        lastError = { code: message.code, message: message.message };
        break;
      case 'measured':
        break;
      case 'log':
        log[message.level](message.fields, message.message);
        break;
      case 'end':
        rssBytes = message.rssBytes;
        jobs.get(message.id)?.end();
        break;
      case 'error':
        jobs.get(message.id)?.fail(jobError(message.code, message.message));
        break;
      default:
        jobs.get(message.id)?.push(message.type === 'begin' ? message : { type: 'audio', pcm: message.pcm });
    }
  }

  function recycleIfLarge(): void {
    if (rssBytes <= maxRssBytes || jobs.size > 0 || state !== 'ready') return;
    log.info({ rssBytes, maxRssBytes }, 'engine process has grown too large and is replaced');
    recycling = true;
    killChild();
  }

  function died(who: ChildProcess, how: string): void {
    if (who !== child) return;
    clearTimeout(startTimer);
    process.removeListener('exit', killChild);
    child = undefined;
    description = undefined;
    if (state === 'closed') return;
    const healthy = readyAt > 0 && Date.now() - readyAt > HEALTHY_MS;
    failures = recycling || healthy ? 0 : failures + 1;
    readyAt = 0;
    rssBytes = 0;
    lastError ??= { code: 'no_worker_ready', message: `The engine process ${how}.${stderrTail}` };
    const waitMs = recycling ? 0 : Math.min(maxBackoffMs, backoffMs * 2 ** Math.max(0, failures - 1));
    if (!recycling) log.warn({ how, waitMs, reason: lastError.message }, 'engine process died; it is started again');
    recycling = false;
    for (const channel of [...jobs.values()]) {
      channel.fail(
        new TtsError('no_worker_ready', `The engine process ${how} while it was speaking.`, { retryAfterS: 1 }),
      );
    }
    setState('dead');
    restartTimer = setTimeout(() => {
      restarts += 1;
      lastError = undefined;
      spawn();
    }, waitMs);
    restartTimer.unref();
  }

  /** Resolves when the process can take a job, rejects when it cannot come up. */
  function ready(signal: AbortSignal): Promise<void> {
    if (!child && state === 'starting') spawn();
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        if (state === 'starting' && !signal.aborted) return;
        listeners.delete(settle);
        signal.removeEventListener('abort', settle);
        if (signal.aborted) reject(signal.reason);
        else if (state === 'ready') resolve();
        else if (state === 'closed') reject(new TtsError('shutting_down', 'The engine is shutting down.'));
        else reject(notReady());
      };
      listeners.add(settle);
      signal.addEventListener('abort', settle);
      settle();
    });
  }

  function notReady(): TtsError {
    if (!lastError) return new TtsError('no_worker_ready', 'The engine is starting again.', { retryAfterS: 1 });
    return new TtsError(lastError.code, lastError.message, { retryAfterS: 1 });
  }

  async function* run(job: SegmentJob, signal: AbortSignal): AsyncGenerator<SpeechEvent> {
    await ready(signal);
    const channel = createJobChannel({
      stallTimeoutMs,
      onTaken: (samples) => post({ type: 'taken', id: job.id, samples }),
      onStall: () => {
        log.error({ job: job.id, stallTimeoutMs }, 'engine process hangs and is killed');
        killChild();
      },
    });
    // The engine knows jobs by id alone; a caller that reuses one while it runs would mix two speeches.
    if (jobs.has(job.id)) throw new TtsError('internal_error', 'A job of this id is running already.');
    jobs.set(job.id, channel);
    const cancel = (): void => channel.fail(signal.reason);
    signal.addEventListener('abort', cancel);
    post({ type: 'job', job });
    try {
      yield* channel.events();
      failures = 0;
    } finally {
      signal.removeEventListener('abort', cancel);
      jobs.delete(job.id);
      if (!channel.ended) post({ type: 'cancel', id: job.id });
      channel.dispose();
      recycleIfLarge();
    }
  }

  if (start === 'now') spawn();

  return {
    id,
    capacity,
    get state() {
      return state;
    },
    get restarts() {
      return restarts;
    },
    get description() {
      return description;
    },
    get lastError() {
      return state === 'ready' ? undefined : lastError?.message;
    },
    run,
    onStateChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      if (state === 'closed') return;
      clearTimeout(startTimer);
      clearTimeout(restartTimer);
      setState('closed');
      for (const channel of [...jobs.values()]) {
        channel.fail(new TtsError('shutting_down', 'The engine is shutting down.'));
      }
      const leaving = child;
      if (!leaving || leaving.exitCode !== null || leaving.signalCode !== null) return;
      const gone = new Promise<void>((resolve) => leaving.once('exit', () => resolve()));
      // Nothing in the process needs saving, and a native run would make it deaf to a polite request for seconds.
      leaving.kill('SIGKILL');
      await gone;
      process.removeListener('exit', killChild);
    },
  };
}

function jobError(code: ErrorCode | 'aborted', message: string): Error {
  if (code === 'aborted') return new DOMException('The job was cancelled.', 'AbortError');
  return new TtsError(code, message);
}
