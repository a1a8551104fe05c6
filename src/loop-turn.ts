/**
 * Slices of work on the thread that answers requests: one slice in each turn of the event loop, so
 * that everything else is done in between.
 */

const waiting: (() => void)[] = [];

function next(): void {
  waiting[0]!();
  // Removed behind its slice, so that a new caller waits for the turn after it.
  setImmediate(() => {
    waiting.shift();
    if (waiting.length > 0) next();
  });
}

/** Resolves when the caller may run its slice: what it does before it awaits, a few ms. */
export const loopTurn = (): Promise<void> =>
  new Promise((begin) => {
    waiting.push(begin);
    if (waiting.length === 1) setImmediate(next);
  });
