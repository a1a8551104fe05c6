/** Time as a dependency, so that tests decide when it passes. */

/** A call that is due later, once or again and again. */
export interface Timer {
  /** Idempotent. */
  cancel(): void;
  /** Lets the process end while the call is due; returns the timer itself. */
  unref(): Timer;
}

export interface Clock {
  /** Milliseconds since some start, which never go back: for intervals and deadlines. */
  now(): number;
  /** Milliseconds since 1970, which the operating system may set: for what people or other machines read. */
  wallMs(): number;
  setTimeout(run: () => void, ms: number): Timer;
  setInterval(run: () => void, ms: number): Timer;
  /** Resolves after `ms`; rejects with the signal's reason as soon as that aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

function timerOf(timeout: NodeJS.Timeout): Timer {
  return {
    cancel: () => clearTimeout(timeout),
    unref() {
      timeout.unref();
      return this;
    },
  };
}

/** `sleep` for a clock that has timers. */
export function sleepOn(clock: Pick<Clock, 'setTimeout'>, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

export const systemClock: Clock = {
  now: () => performance.now(),
  wallMs: () => Date.now(),
  setTimeout: (run, ms) => timerOf(setTimeout(run, ms)),
  setInterval: (run, ms) => timerOf(setInterval(run, ms)),
  sleep: (ms, signal) => sleepOn(systemClock, ms, signal),
};
