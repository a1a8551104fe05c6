/** Supervises one engine process: starts, restarts with back-off, replaces it when it grows. */
import type { ChildProcess } from 'node:child_process';
import { availableParallelism, loadavg } from 'node:os';
import { createInterface } from 'node:readline';
import { type Clock, systemClock, type Timer } from '../../clock.js';
import type { Logger } from '../../log.js';
import type { Gpu } from '../../protocol/device.js';
import { TtsError } from '../../protocol/errors.js';
import type { EngineFacts, EngineOptions, FromWorker, JobReply, JobRequest } from '../../worker/protocol.js';
import { Standstill } from '../../worker/standstill.js';
import { SUPERVISION } from '../tuning.js';
import { forkEngine } from './fork-engine.js';
import { WorkerLost, type WorkerState } from './worker.js';

export interface SupervisionOptions {
  readonly options: EngineOptions;
  readonly log: Logger;
  readonly clock?: Clock;
  /** Between jobs, a process that holds more than this is replaced by a fresh one. */
  readonly maxRssBytes?: number;
  /** First wait before a restart; doubles with every failure up to `maxBackoffMs`. */
  readonly backoffMs?: number;
  readonly maxBackoffMs?: number;
  /** A process that stood still for this long before it was ready is restarted. */
  readonly startTimeoutMs?: number;
  /** Processor time without progress, or before it is ready, that counts as an endless loop. */
  readonly spinMs?: number;
}

/** What the owner of the process is told. */
export interface SupervisionListener {
  onReady(facts: EngineFacts): void;
  onReply(reply: JobReply): void;
  /** It is gone, with all jobs in it. `blameless`: it was killed on a guess. */
  onLost(how: string, blameless: boolean): void;
  onChange(): void;
  /** Whether it has no job, and may be replaced. */
  isIdle(): boolean;
}

/** More threads want to run than there are processors; always false on Windows. */
const isMachineBusy = (): boolean => loadavg()[0]! > availableParallelism();

/**
 * The owner closes it. A process whose parent died ends by itself: its channel closes, and a thread
 * in it watches the parent (`src/worker/main.ts`).
 */
export class EngineProcess {
  /** What the process does while it is silent, since the last reply to a job. */
  readonly standstill: Standstill;
  readonly #settings: Required<Omit<SupervisionOptions, 'spinMs'>>;
  readonly #listener: SupervisionListener;
  #state: WorkerState = 'starting';
  #restarts = 0;
  #child: ChildProcess | undefined;
  #facts: EngineFacts | undefined;
  #trying: Gpu | undefined;
  #lastError: TtsError | undefined;
  #readyAtMs: number | undefined;
  #failures = 0;
  #startTimer: Timer | undefined;
  #restartTimer: Timer | undefined;

  constructor(settings: SupervisionOptions, listener: SupervisionListener) {
    this.#settings = { ...SUPERVISION, clock: systemClock, ...settings };
    this.#listener = listener;
    this.standstill = new Standstill(() => this.#child?.pid, settings.spinMs);
    this.#spawn();
  }

  get state(): WorkerState {
    return this.#state;
  }

  get restarts(): number {
    return this.#restarts;
  }

  /** Undefined while it is not ready. */
  get facts(): EngineFacts | undefined {
    return this.#facts;
  }

  /** The GPU that its engine checks before it is ready, where it said so. */
  get trying(): Gpu | undefined {
    return this.#trying;
  }

  get lastError(): TtsError | undefined {
    return this.#state === 'ready' ? undefined : this.#lastError;
  }

  /** Throws where the process is gone, or the message cannot be sent as it is. */
  send(message: JobRequest): void {
    if (!this.#child?.connected) throw new WorkerLost('The engine process is gone.');
    this.#child.send(message, () => undefined);
  }

  /** Ends it at once, as if it had died. Does not wait: a process may hang in the kernel. */
  kill(why: string, { blameless = false } = {}): void {
    if (this.#child !== undefined) this.#ended(`${why} and was killed`, blameless);
  }

  /** Ends it for standing still. Unseen, and on a busy machine, it may only have been slow. */
  killSilent(why: string): void {
    this.kill(why, { blameless: !this.standstill.certain && isMachineBusy() });
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#restartTimer?.cancel();
    const leaving = this.#child;
    // Nothing in the process needs saving, and during a native run it would not react for seconds.
    this.#letGo();
    this.#setState('closed');
    if (!leaving || leaving.exitCode !== null || leaving.signalCode !== null) return;
    await new Promise<void>((resolve) => leaving.once('exit', () => resolve()));
  }

  #spawn(): void {
    const { options, log, clock, startTimeoutMs } = this.#settings;
    this.#setState('starting');
    let started: ChildProcess;
    try {
      started = forkEngine({ type: 'start', options });
    } catch (error) {
      this.#ended(`could not be started: ${(error as Error).message}`);
      return;
    }
    this.#child = started;
    let stderrTail = '';
    started.on('message', (message: FromWorker) => {
      if (started === this.#child) this.#receive(message);
    });
    createInterface({ input: started.stderr! }).on('line', (line) => {
      stderrTail = `${stderrTail}\n${line}`.slice(-500);
      log.warn({ line }, 'engine process wrote to stderr');
    });
    started.once('exit', (code, signal) => {
      // A grandchild or the other end of the channel may outlive the exit.
      started.stderr?.destroy();
      const how = signal ? `was killed by ${signal}` : `ended with exit code ${code}`;
      if (started === this.#child) this.#ended(`${how}.${stderrTail}`);
    });
    this.standstill.reset();
    this.#startTimer = clock.setInterval(() => this.#watchStart(), startTimeoutMs * SUPERVISION.startLookShare).unref();
  }

  /** Counts standstill, not time: on a busy machine a start takes as long as it takes. */
  #watchStart(): void {
    const { standstill } = this;
    const { clock, startTimeoutMs: timeoutMs } = this.#settings;
    standstill.look(clock.now(), 2 * timeoutMs * SUPERVISION.startLookShare);
    const seconds = timeoutMs / 1000;
    if (standstill.spins(timeoutMs)) this.kill('ran for too long without being ready');
    else if (standstill.stillMs >= timeoutMs) this.kill(`was not ready and stood still for ${seconds} s`);
  }

  #receive(message: FromWorker): void {
    const { log } = this.#settings;
    switch (message.type) {
      case 'ready':
        this.#ready(message);
        break;
      case 'failed':
        this.#lastError = new TtsError(message.code, message.message);
        break;
      case 'tries':
        this.#trying = message.device;
        this.#listener.onChange();
        break;
      case 'measured':
        break;
      case 'log':
        log[message.level](message.fields, message.message);
        break;
      case 'memory':
        this.#replaceIfLarge(message.rssBytes);
        break;
      default:
        this.standstill.reset();
        if (message.type === 'end') this.#failures = 0;
        this.#listener.onReply(message);
    }
  }

  #ready(facts: EngineFacts): void {
    const { log, clock } = this.#settings;
    this.#startTimer?.cancel();
    this.standstill.reset();
    this.#readyAtMs = clock.now();
    this.#facts = facts;
    this.#trying = undefined;
    this.#lastError = undefined;
    log.info({ engine: facts.description, pid: this.#child?.pid }, 'engine ready');
    this.#listener.onReady(facts);
    this.#setState('ready');
  }

  #replaceIfLarge(rssBytes: number): void {
    const { log, maxRssBytes } = this.#settings;
    const times = this.#facts?.capacity ? SUPERVISION.gpuRssTimes : 1;
    if (rssBytes <= maxRssBytes * times || !this.#listener.isIdle()) return;
    log.info({ rssBytes, maxRssBytes }, 'engine process has grown too large and is replaced');
    this.#letGo();
    this.#failures = 0;
    this.#restartIn(0);
  }

  /** Forgets the process and kills it if it still runs; its jobs are lost. */
  #letGo(): void {
    this.#startTimer?.cancel();
    const gone = this.#child;
    this.#child = undefined;
    this.#facts = undefined;
    this.#trying = undefined;
    gone?.kill('SIGKILL');
  }

  #ended(how: string, blameless = false): void {
    const { backoffMs, maxBackoffMs, log, clock } = this.#settings;
    const healthy = this.#readyAtMs !== undefined && clock.now() - this.#readyAtMs > SUPERVISION.healthyMs;
    this.#failures = healthy ? 1 : this.#failures + 1;
    this.#readyAtMs = undefined;
    this.#letGo();
    this.#lastError ??= new TtsError('no_worker_ready', `The engine process ${how}`);
    const waitMs = Math.min(maxBackoffMs, backoffMs * 2 ** (this.#failures - 1));
    log.warn({ how, waitMs, reason: this.#lastError.message }, 'engine process died; it is started again');
    this.#restartIn(waitMs);
    // Last: the listener gives its jobs to other workers at once.
    this.#listener.onLost(how, blameless);
  }

  #restartIn(waitMs: number): void {
    this.#setState('dead');
    const restart = () => {
      this.#restarts += 1;
      this.#lastError = undefined;
      this.#spawn();
    };
    this.#restartTimer = this.#settings.clock.setTimeout(restart, waitMs).unref();
  }

  #setState(next: WorkerState): void {
    if (this.#state === next) return;
    this.#state = next;
    this.#listener.onChange();
  }
}
