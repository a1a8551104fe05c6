/** Lines of the log that strangers can cause: one at once, then one a window with how many there were. */
import type { Logger } from '../log.js';

const WINDOW_MS = 10_000;

interface Held {
  times: number;
  fields: object;
  readonly timer: NodeJS.Timeout;
}

export class LogBrake {
  readonly #log: Logger;
  readonly #windowMs: number;
  /** By message: those that were logged within the window. */
  readonly #held = new Map<string, Held>();

  constructor(log: Logger, windowMs = WINDOW_MS) {
    this.#log = log;
    this.#windowMs = windowMs;
  }

  /** `message` is one of a few: it is what is counted by. */
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

  /** Logs nothing any more. */
  close(): void {
    for (const { timer } of this.#held.values()) clearTimeout(timer);
    this.#held.clear();
  }

  #hold(level: 'info' | 'warn', message: string): void {
    const timer = setTimeout(() => {
      const { times, fields } = this.#held.get(message)!;
      this.#held.delete(message);
      if (times === 0) return;
      this.#log[level]({ ...fields, times }, message);
      this.#hold(level, message);
    }, this.#windowMs);
    timer.unref();
    this.#held.set(message, { times: 0, fields: {}, timer });
  }
}
