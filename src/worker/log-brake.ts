/** Limits log lines that other programs cause: one at once, then one a window with their count. */
import { type Clock, systemClock, type Timer } from '../clock.js';
import type { Logger } from '../log.js';

const WINDOW_MS = 10_000;

interface Held {
  times: number;
  fields: object;
  readonly timer: Timer;
}

export class LogBrake {
  readonly #log: Logger;
  readonly #clock: Clock;
  /** By message: lines that were logged within the window. */
  readonly #held = new Map<string, Held>();

  constructor(log: Logger, clock: Clock = systemClock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** Lines are counted by `message`, which has to be one of a few. */
  write(level: 'info' | 'warn', fields: object, message: string): void {
    const held = this.#held.get(message);
    if (held !== undefined) {
      held.times += 1;
      held.fields = fields;
      return;
    }
    this.#log[level](fields, message);
    this.#hold(level, message);
  }

  /** Drops the lines that are held. */
  close(): void {
    for (const { timer } of this.#held.values()) timer.cancel();
    this.#held.clear();
  }

  #hold(level: 'info' | 'warn', message: string): void {
    const onEnd = () => {
      const { times, fields } = this.#held.get(message)!;
      this.#held.delete(message);
      if (times === 0) return;
      this.#log[level]({ ...fields, times }, message);
      this.#hold(level, message);
    };
    this.#held.set(message, { times: 0, fields: {}, timer: this.#clock.setTimeout(onEnd, WINDOW_MS).unref() });
  }
}
