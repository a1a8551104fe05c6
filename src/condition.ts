/** A condition variable. */

export class Condition {
  #waiting: (() => void)[] = [];

  /** Something changed: all waiting tests are run again. */
  notify(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  /**
   * Resolves when `test`, run now and at each `notify`, holds; rejects if it throws or on abort.
   */
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
