/** A condition variable: whoever waits for something looks again whenever a change is told. */

export class Condition {
  #waiting: (() => void)[] = [];

  /** Something changed: all who wait look again. */
  notify(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  /** Resolves once `test` holds, which is asked now and after every change; rejects when it throws or `signal` aborts. */
  async until(test: () => boolean, signal?: AbortSignal): Promise<void> {
    if (signal === undefined) {
      while (!test()) await new Promise<void>((wake) => this.#waiting.push(wake));
      return;
    }
    const onAbort = () => this.notify();
    signal.addEventListener('abort', onAbort);
    try {
      for (signal.throwIfAborted(); !test(); signal.throwIfAborted()) {
        await new Promise<void>((wake) => this.#waiting.push(wake));
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }
}
