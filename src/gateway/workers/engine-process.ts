/** Supervision of one engine process: started, started again with back-off when it dies, replaced when it grows, killed. */
import type { ChildProcess } from 'node:child_process';
import { availableParallelism, loadavg } from 'node:os';
import { createInterface } from 'node:readline';
import type { Logger } from '../../log.js';
import type { Gpu } from '../../protocol/device.js';
import { TtsError } from '../../protocol/errors.js';
import type { EngineFacts, EngineOptions, FromWorker, JobReply, JobRequest } from '../../worker/protocol.js';
import { Standstill } from '../../worker/standstill.js';
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
  /** A process that stood still for this long before it was ready is killed and started again. */
  readonly startTimeoutMs?: number;
  /** Processor time without a sign of progress, or before it is ready, after which a process is taken for an endless loop. */
  readonly spinMs?: number;
}

/** What is told of the process to whoever gives it work. */
export interface SupervisionListener {
  onReady(facts: EngineFacts): void;
  onReply(reply: JobReply): void;
  /** It is gone, with all that was in it. `blameless`: it was killed on a guess, so that no segment need be the reason. */
  onLost(how: string, blameless: boolean): void;
  onChange(): void;
  /** Whether it may be replaced without loss. */
  isIdle(): boolean;
}

/** A process that has been up this long counts as healthy: its next failure waits the shortest time again. */
const HEALTHY_MS = 30_000;
const MANY_AT_ONCE = 4;
const DEFAULTS = { maxRssBytes: 2 * 1024 ** 3, backoffMs: 200, maxBackoffMs: 30_000, startTimeoutMs: 120_000 };
/** How often a process that starts is looked at, in its time-out. */
const START_LOOKS = 10;

/** More wants to run than there are processors; Windows never says so. */
const isMachineBusy = (): boolean => loadavg()[0]! > availableParallelism();

/** What is to be done when this process ends: one listener for all engines, however many there are. */
const endingWithUs = new Set<() => void>();
process.once('exit', () => {
  for (const end of endingWithUs) end();
});

export class EngineProcess {
  /** What the process does while it says nothing, since the last reply to a job. */
  readonly standstill: Standstill;
  readonly #settings: Required<Omit<SupervisionOptions, 'spinMs'>> & SupervisionOptions;
  readonly #listener: SupervisionListener;
  #state: WorkerState = 'starting';
  #restarts = 0;
  #child: ChildProcess | undefined;
  #facts: EngineFacts | undefined;
  #trying: Gpu | undefined;
  #lastError: TtsError | undefined;
  #readyAtMs: number | undefined;
  #failures = 0;
  #startTimer: NodeJS.Timeout | undefined;
  #restartTimer: NodeJS.Timeout | undefined;

  constructor(settings: SupervisionOptions, listener: SupervisionListener) {
    this.#settings = { ...DEFAULTS, ...settings };
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

  /** The GPU that its engine looks at before it is ready, where it said so. */
  get trying(): Gpu | undefined {
    return this.#trying;
  }

  get lastError(): TtsError | undefined {
    return this.#state === 'ready' ? undefined : this.#lastError;
  }

  /** Throws where there is nobody to receive it, or the message cannot be sent as it is. */
  send(message: JobRequest): void {
    if (!this.#child?.connected) throw new WorkerLost('The engine process is gone.');
    this.#child.send(message, () => undefined);
  }

  /** Ends it at once, as if it had died. Not waited for: a process may be too deep in the kernel to die when it should. */
  kill(why: string, { blameless = false } = {}): void {
    if (this.#child !== undefined) this.#ended(`${why} and was killed`, blameless);
  }

  /** Ends it for having stood still. Where that was not seen, and the machine is busy, it may only have been slow. */
  killSilent(why: string): void {
    this.kill(why, { blameless: !this.standstill.certain && isMachineBusy() });
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    clearTimeout(this.#restartTimer);
    const leaving = this.#child;
    // Nothing in the process needs saving, and a native run would make it deaf to a polite request for seconds.
    this.#letGo();
    this.#setState('closed');
    if (!leaving || leaving.exitCode !== null || leaving.signalCode !== null) return;
    await new Promise<void>((resolve) => leaving.once('exit', () => resolve()));
  }

  #spawn(): void {
    const { options, log, startTimeoutMs } = this.#settings;
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
    endingWithUs.add(this.#killAtExit);
    started.on('message', (message: FromWorker) => {
      if (started === this.#child) this.#receive(message);
    });
    createInterface({ input: started.stderr! }).on('line', (line) => {
      stderrTail = `${stderrTail}\n${line}`.slice(-500);
      log.warn({ line }, 'engine process wrote to stderr');
    });
    started.once('exit', (code, signal) => {
      // A grandchild or the other end of the channel may outlive the exit; nobody will read it.
      started.stderr?.destroy();
      const how = signal ? `was killed by ${signal}` : `ended with exit code ${code}`;
      if (started === this.#child) this.#ended(`${how}.${stderrTail}`);
    });
    this.standstill.reset();
    this.#startTimer = setInterval(() => this.#watchStart(startTimeoutMs), startTimeoutMs / START_LOOKS).unref();
  }

  /** A machine that is busy lets a start take as long as it takes. */
  #watchStart(timeoutMs: number): void {
    const { standstill } = this;
    standstill.look(performance.now(), (2 * timeoutMs) / START_LOOKS);
    const seconds = timeoutMs / 1000;
    if (standstill.spins(timeoutMs)) this.kill('ran for too long without being ready');
    else if (standstill.stillMs >= timeoutMs) this.kill(`was not ready and stood still for ${seconds} s`);
  }

  readonly #killAtExit = (): void => {
    this.#child?.kill('SIGKILL');
  };

  #receive(message: FromWorker): void {
    const { log, maxRssBytes } = this.#settings;
    switch (message.type) {
      case 'ready':
        clearInterval(this.#startTimer);
        this.standstill.reset();
        this.#readyAtMs = performance.now();
        this.#facts = message;
        this.#trying = undefined;
        this.#lastError = undefined;
        log.info({ engine: message.description, pid: this.#child?.pid }, 'engine ready');
        this.#listener.onReady(message);
        this.#setState('ready');
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
        // One that runs many at once holds what many hold.
        if (message.rssBytes <= maxRssBytes * (this.#facts?.capacity ? MANY_AT_ONCE : 1) || !this.#listener.isIdle())
          break;
        log.info({ rssBytes: message.rssBytes, maxRssBytes }, 'engine process has grown too large and is replaced');
        this.#letGo();
        this.#failures = 0;
        this.#restartIn(0);
        break;
      default:
        this.standstill.reset();
        if (message.type === 'end') this.#failures = 0;
        this.#listener.onReply(message);
    }
  }

  /** Forgets the process, which is killed if it still runs; what it had is lost. */
  #letGo(): void {
    clearInterval(this.#startTimer);
    endingWithUs.delete(this.#killAtExit);
    const gone = this.#child;
    this.#child = undefined;
    this.#facts = undefined;
    this.#trying = undefined;
    gone?.kill('SIGKILL');
  }

  #ended(how: string, blameless = false): void {
    const { backoffMs, maxBackoffMs, log } = this.#settings;
    const healthy = this.#readyAtMs !== undefined && performance.now() - this.#readyAtMs > HEALTHY_MS;
    this.#failures = healthy ? 1 : this.#failures + 1;
    this.#readyAtMs = undefined;
    this.#letGo();
    this.#lastError ??= new TtsError('no_worker_ready', `The engine process ${how}`);
    const waitMs = Math.min(maxBackoffMs, backoffMs * 2 ** (this.#failures - 1));
    log.warn({ how, waitMs, reason: this.#lastError.message }, 'engine process died; it is started again');
    this.#restartIn(waitMs);
    // Last: what was in it is given away at once, and not to what is no more.
    this.#listener.onLost(how, blameless);
  }

  #restartIn(waitMs: number): void {
    this.#setState('dead');
    this.#restartTimer = setTimeout(() => {
      this.#restarts += 1;
      this.#lastError = undefined;
      this.#spawn();
    }, waitMs).unref();
  }

  #setState(next: WorkerState): void {
    if (this.#state === next) return;
    this.#state = next;
    this.#listener.onChange();
  }
}
