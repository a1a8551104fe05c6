/** Supervision of one engine process: started, started again with back-off when it dies, replaced when it grows, killed. */
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Logger } from '../log.js';
import { TtsError } from '../protocol/errors.js';
import type { EngineFacts, EngineOptions, FromWorker, JobReply, JobRequest } from '../worker/protocol.js';
import { forkEngine } from './fork-engine.js';
import { WorkerLost, type WorkerState } from './worker.js';

export interface SupervisionOptions {
  readonly options: EngineOptions;
  readonly log: Logger;
  /** Between jobs, a process that holds more than this is replaced by a fresh one. */
  readonly maxRssBytes?: number;
  /** First wait before a restart; doubles with every failure up to `maxBackoffMs`. */
  readonly backoffMs?: number;
  readonly maxBackoffMs?: number;
  /** A process that is not ready by then is killed and started again. */
  readonly startTimeoutMs?: number;
}

/** What is told of the process to whoever gives it work. */
export interface SupervisionListener {
  onReady(facts: EngineFacts): void;
  onReply(reply: JobReply): void;
  /** It is gone, with all that was in it. */
  onLost(how: string): void;
  onChange(): void;
  /** Whether it may be replaced without loss. */
  isIdle(): boolean;
}

export interface EngineProcess {
  readonly state: WorkerState;
  readonly restarts: number;
  /** Undefined while it is not ready. */
  readonly facts: EngineFacts | undefined;
  readonly lastError: TtsError | undefined;
  /** Throws where there is nobody to receive it, or the message cannot be sent as it is. */
  send(message: JobRequest): void;
  /** Ends it at once, as if it had died. */
  kill(why: string): void;
  close(): Promise<void>;
}

/** A process that has been up this long counts as healthy: its next failure waits the shortest time again. */
const HEALTHY_MS = 30_000;

export function superviseEngine(settings: SupervisionOptions, listener: SupervisionListener): EngineProcess {
  const { options, log } = settings;
  const { maxRssBytes = 2 * 1024 ** 3, backoffMs = 200, maxBackoffMs = 30_000, startTimeoutMs = 120_000 } = settings;
  let state: WorkerState = 'starting';
  let child: ChildProcess | undefined;
  let startTimer: NodeJS.Timeout | undefined;
  let restartTimer: NodeJS.Timeout | undefined;
  let readyAtMs: number | undefined;
  let failures = 0;
  let restarts = 0;
  let facts: EngineFacts | undefined;
  let lastError: TtsError | undefined;

  function setState(next: WorkerState): void {
    if (state === next) return;
    state = next;
    listener.onChange();
  }

  function spawn(): void {
    setState('starting');
    let started: ChildProcess;
    try {
      started = forkEngine({ type: 'start', options });
    } catch (error) {
      ended(`could not be started: ${(error as Error).message}`);
      return;
    }
    child = started;
    let stderrTail = '';
    process.once('exit', killAtExit);
    started.on('message', (message: FromWorker) => {
      if (started === child) receive(message);
    });
    createInterface({ input: started.stderr! }).on('line', (line) => {
      stderrTail = `${stderrTail}\n${line}`.slice(-500);
      log.warn({ line }, 'engine process wrote to stderr');
    });
    started.once('exit', (code, signal) => {
      // A grandchild or the other end of the channel may outlive the exit; nobody will read it.
      started.stderr?.destroy();
      if (started === child)
        ended(`${signal ? `was killed by ${signal}` : `ended with exit code ${code}`}.${stderrTail}`);
    });
    startTimer = setTimeout(() => kill(`was not ready within ${startTimeoutMs / 1000} s`), startTimeoutMs);
    startTimer.unref();
  }

  const killAtExit = (): void => {
    child?.kill('SIGKILL');
  };

  function receive(message: FromWorker): void {
    switch (message.type) {
      case 'ready':
        clearTimeout(startTimer);
        readyAtMs = performance.now();
        facts = message;
        lastError = undefined;
        log.info({ engine: message.description, pid: child?.pid }, 'engine ready');
        listener.onReady(facts);
        setState('ready');
        break;
      case 'failed':
        lastError = new TtsError(message.code, message.message);
        break;
      case 'measured':
        break;
      case 'log':
        log[message.level](message.fields, message.message);
        break;
      case 'memory':
        if (message.rssBytes <= maxRssBytes || !listener.isIdle()) break;
        log.info({ rssBytes: message.rssBytes, maxRssBytes }, 'engine process has grown too large and is replaced');
        letGo();
        failures = 0;
        restartIn(0);
        break;
      default:
        if (message.type === 'end') failures = 0;
        listener.onReply(message);
    }
  }

  /** Forgets the process, which is killed if it still runs; what it had is lost. */
  function letGo(): void {
    clearTimeout(startTimer);
    process.removeListener('exit', killAtExit);
    const gone = child;
    child = undefined;
    facts = undefined;
    gone?.kill('SIGKILL');
  }

  function ended(how: string): void {
    const healthy = readyAtMs !== undefined && performance.now() - readyAtMs > HEALTHY_MS;
    failures = healthy ? 1 : failures + 1;
    readyAtMs = undefined;
    letGo();
    lastError ??= new TtsError('no_worker_ready', `The engine process ${how}`);
    const waitMs = Math.min(maxBackoffMs, backoffMs * 2 ** (failures - 1));
    log.warn({ how, waitMs, reason: lastError.message }, 'engine process died; it is started again');
    restartIn(waitMs);
    // Last: what was in it is given away at once, and not to what is no more.
    listener.onLost(how);
  }

  function restartIn(waitMs: number): void {
    setState('dead');
    restartTimer = setTimeout(() => {
      restarts += 1;
      lastError = undefined;
      spawn();
    }, waitMs);
    restartTimer.unref();
  }

  function kill(why: string): void {
    // Not waited for: a process may be too deep in the kernel to die when it should.
    if (child !== undefined) ended(`${why} and was killed`);
  }

  spawn();

  return {
    get state() {
      return state;
    },
    get restarts() {
      return restarts;
    },
    get facts() {
      return facts;
    },
    get lastError() {
      return state === 'ready' ? undefined : lastError;
    },
    send(message) {
      if (!child?.connected) throw new WorkerLost('The engine process is gone.');
      child.send(message, () => undefined);
    },
    kill,
    async close() {
      if (state === 'closed') return;
      clearTimeout(restartTimer);
      const leaving = child;
      // Nothing in the process needs saving, and a native run would make it deaf to a polite request for seconds.
      letGo();
      setState('closed');
      if (!leaving || leaving.exitCode !== null || leaving.signalCode !== null) return;
      await new Promise<void>((resolve) => leaving.once('exit', () => resolve()));
    },
  };
}
