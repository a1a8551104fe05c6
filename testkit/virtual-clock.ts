/** A clock that stands still until a test moves it. */
import { type Clock, sleepOn, type Timer } from '../src/clock.js';

interface Due {
  readonly run: () => void;
  readonly everyMs: number | undefined;
  atMs: number;
  /** Orders timers that are due at the same time. */
  order: number;
}

/** Turns of the event loop that promises are given to settle between two timers. */
const SETTLE_TURNS = 4;
/** Turns of the event loop without a timer after which `runUntil` gives up. */
const STUCK_TURNS = 1_000;

const loopTurns = async (turns: number): Promise<void> => {
  for (let i = 0; i < turns; i += 1) await new Promise<void>((resolve) => setImmediate(resolve));
};

export class VirtualClock implements Clock {
  readonly #due = new Set<Due>();
  readonly #wallStartMs: number;
  #nowMs = 0;
  #ordered = 0;

  constructor(wallStartMs = Date.UTC(2026, 0, 1)) {
    this.#wallStartMs = wallStartMs;
  }

  /** Timers that are due some time. */
  get timers(): number {
    return this.#due.size;
  }

  now(): number {
    return this.#nowMs;
  }

  wallMs(): number {
    return this.#wallStartMs + this.#nowMs;
  }

  setTimeout(run: () => void, ms: number): Timer {
    return this.#add(run, ms, undefined);
  }

  setInterval(run: () => void, ms: number): Timer {
    return this.#add(run, ms, Math.max(1, ms));
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  /** Moves the time without running timers, as while a process is stopped or busy; `advance` then runs them late. */
  skip(ms: number): void {
    this.#nowMs += ms;
  }

  /** Moves the time by `ms`: timers run in the order in which they are due, and promises settle in between. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    await loopTurns(SETTLE_TURNS);
    for (let next = this.#next(); next !== undefined && next.atMs <= untilMs; next = this.#next()) {
      this.#fire(next);
      await loopTurns(SETTLE_TURNS);
    }
    this.#nowMs = untilMs;
  }

  /** Moves from timer to timer until `promise` settles; throws where no timer is left that could bring that about. */
  async runUntil<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const done = () => {
      settled = true;
    };
    promise.then(done, done);
    for (let stuck = 0; stuck < STUCK_TURNS; ) {
      await loopTurns(SETTLE_TURNS);
      if (settled) return promise;
      const next = this.#next();
      stuck = next === undefined ? stuck + SETTLE_TURNS : 0;
      if (next !== undefined) this.#fire(next);
    }
    throw new Error('No timer is due, and the promise is not settled.');
  }

  #add(run: () => void, ms: number, everyMs: number | undefined): Timer {
    const due: Due = { run, everyMs, atMs: this.#nowMs + Math.max(0, ms), order: ++this.#ordered };
    this.#due.add(due);
    const timer: Timer = { cancel: () => this.#due.delete(due), unref: () => timer };
    return timer;
  }

  #next(): Due | undefined {
    let next: Due | undefined;
    for (const due of this.#due) {
      if (next === undefined || due.atMs < next.atMs || (due.atMs === next.atMs && due.order < next.order)) next = due;
    }
    return next;
  }

  #fire(due: Due): void {
    this.#nowMs = Math.max(this.#nowMs, due.atMs);
    if (due.everyMs === undefined) this.#due.delete(due);
    else {
      due.atMs = this.#nowMs + due.everyMs;
      due.order = ++this.#ordered;
    }
    due.run();
  }
}
