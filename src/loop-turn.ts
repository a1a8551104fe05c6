/**
 * Turns for work that cannot leave the thread that answers requests: one slice of all of it in each turn of the event loop,
 * so that everything else is done in between.
 */

const waiting: (() => void)[] = [];

function next(): void {
  waiting[0]!();
  // Taken off behind the slice: who comes meanwhile waits for the turn after it.
  setImmediate(() => {
    waiting.shift();
    if (waiting.length > 0) next();
  });
}

/** Resolves when it is the caller's turn; what it does without waiting is its slice, of a few milliseconds. */
export const loopTurn = (): Promise<void> =>
  new Promise((begin) => {
    waiting.push(begin);
    if (waiting.length === 1) setImmediate(next);
  });
