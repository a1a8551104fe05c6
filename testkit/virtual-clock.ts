/** A clock that stands still until a test moves it. */
import { type Clock, sleepOn, type Timer } from '../src/clock.js';

interface Due {
  readonly run: () => void;
  readonly everyMs: number | undefined;
  atMs: number;
}

/** Turns of the event loop after which nothing moves any more without the clock. */
const SETTLE_TURNS = 8;
/** Turns of the event loop without a timer after which `runUntil` gives up. */
const STUCK_TURNS = 2_000;

const never = (): boolean => false;

/** Lets promises settle, or until `done`. */
async function settle(done: () => boolean = never): Promise<void> {
  for (let i = 0; i < SETTLE_TURNS && !done(); i += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}

export class VirtualClock implements Clock {
  /** The next one stands last; of equals, the one that was set first. */
  readonly #due: Due[] = [];
  readonly #wallStartMs: number;
  #nowMs = 0;

  constructor(wallStartMs = Date.UTC(2026, 0, 1)) {
    this.#wallStartMs = wallStartMs;
  }

  /** How many timers are set. */
  get timers(): number {
    return this.#due.length;
  }

  now(): number {
    return this.#nowMs;
  }

  wallMs(): number {
    return this.#wallStartMs + this.#nowMs;
  }

  setTimeout(run: () => void, ms: number): Timer {
    return this.#add({ run, everyMs: undefined, atMs: this.#nowMs + Math.max(0, ms) });
  }

  setInterval(run: () => void, ms: number): Timer {
    const everyMs = Math.max(1, ms);
    return this.#add({ run, everyMs, atMs: this.#nowMs + everyMs });
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  /** Moves the time without running timers, as while a process is stopped; they run late. */
  skip(ms: number): void {
    this.#nowMs += ms;
  }

  /** Moves the time by `ms`: timers run in order of time, and promises settle in between. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    await settle();
    while (this.#nextMs <= untilMs) {
      this.#fire();
      await settle();
    }
    this.#nowMs = untilMs;
  }

  /**
   * Moves from timer to timer until a promise settles or a condition holds; throws where no timer
   * is left that could bring that about.
   */
  async runUntil<T>(goal: Promise<T>): Promise<T>;
  async runUntil(goal: () => boolean): Promise<void>;
  async runUntil<T>(goal: Promise<T> | (() => boolean)): Promise<T | undefined> {
    let reached = typeof goal === 'function' ? goal : never;
    if (typeof goal !== 'function') {
      const onSettled = () => {
        reached = () => true;
      };
      goal.then(onSettled, onSettled);
    }
    for (let stuck = 0; stuck < STUCK_TURNS; ) {
      await settle(() => reached());
      if (reached()) return typeof goal === 'function' ? undefined : goal;
      stuck = this.#due.length === 0 ? stuck + SETTLE_TURNS : 0;
      if (stuck === 0) this.#fire();
    }
    throw new Error('No timer is set that could bring it about.');
  }

  get #nextMs(): number {
    return this.#due.at(-1)?.atMs ?? Number.POSITIVE_INFINITY;
  }

  #add(due: Due): Timer {
    this.#insert(due);
    const timer: Timer = {
      cancel: () => {
        const at = this.#due.indexOf(due);
        if (at >= 0) this.#due.splice(at, 1);
      },
      unref: () => timer,
    };
    return timer;
  }

  #insert(due: Due): void {
    let at = this.#due.length;
    while (at > 0 && this.#due[at - 1]!.atMs <= due.atMs) at -= 1;
    this.#due.splice(at, 0, due);
  }

  /** Runs the timers of the next moment at which one is due. */
  #fire(): void {
    this.#nowMs = Math.max(this.#nowMs, this.#nextMs);
    while (this.#nextMs <= this.#nowMs) {
      const due = this.#due.pop()!;
      if (due.everyMs !== undefined) {
        due.atMs = this.#nowMs + due.everyMs;
        this.#insert(due);
      }
      due.run();
    }
  }
}
