/** Ends a transfer in which nothing arrives any more. */
import { Stalled } from './failure.js';

export interface Watchdog {
  readonly signal: AbortSignal;
  /** Something arrived. */
  feed(): void;
  /** Ends the transfer for another reason. */
  end(reason: Error): void;
  stop(): void;
}

/** Its signal aborts when `parent` does, or when it was not fed for `stallMs`. */
export function createWatchdog(stallMs: number, parent: AbortSignal | undefined): Watchdog {
  const controller = new AbortController();
  const stalled = () => controller.abort(new Stalled(`nothing arrived for ${Math.round(stallMs / 1000)} seconds`));
  const timer = setTimeout(stalled, stallMs);
  return {
    signal: parent ? AbortSignal.any([parent, controller.signal]) : controller.signal,
    feed: () => void timer.refresh(),
    end: (reason) => controller.abort(reason),
    stop: () => clearTimeout(timer),
  };
}
