/** Whose native run is next: one at a time, the job whose listener would run dry first. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { samplesToMs } from '../protocol/audio.js';

/** Somebody who has heard nothing yet notices a delay of this much less than a listener notices a gap. */
const PATIENCE_MS = 150;

export interface Turn {
  /** Runs `work` when it is this job's turn; throws when the signal aborted meanwhile. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** This many samples left for the listener. */
  sent(samples: number): void;
}

export interface Turns {
  /** `dueMs`: how long from now the job's listener has something else to hear. */
  join(signal: AbortSignal, dueMs?: number): Turn;
}

interface Waiting {
  readonly deadlineMs: () => number;
  readonly order: number;
  readonly start: () => void;
}

export function createTurns(now: () => number = () => performance.now()): Turns {
  const waiting: Waiting[] = [];
  let busy = false;
  let joined = 0;

  function next(): void {
    if (busy || waiting.length === 0) return;
    let first = 0;
    for (let i = 1; i < waiting.length; i += 1) {
      const [a, b] = [waiting[i]!, waiting[first]!];
      const difference = a.deadlineMs() - b.deadlineMs();
      if (difference < 0 || (difference === 0 && a.order < b.order)) first = i;
    }
    busy = true;
    waiting.splice(first, 1)[0]!.start();
  }

  return {
    join(signal, dueMs = 0) {
      joined += 1;
      const order = joined;
      const dueAtMs = now() + dueMs;
      let heardFromMs: number | undefined;
      let sentSamples = 0;
      const deadlineMs = () =>
        heardFromMs === undefined ? dueAtMs + PATIENCE_MS : heardFromMs + samplesToMs(sentSamples);

      return {
        async run(work) {
          await new Promise<void>((start) => {
            waiting.push({ deadlineMs, order, start });
            next();
          });
          try {
            // A native run is deaf: let messages in first, a cancellation may be among them.
            await nextTurn();
            signal.throwIfAborted();
            return await work();
          } finally {
            // Not at once: first this job goes on and may ask for its next run, which then competes with the others.
            setImmediate(() => {
              busy = false;
              next();
            });
          }
        },
        sent(samples) {
          heardFromMs ??= Math.max(now(), dueAtMs);
          sentSamples += samples;
        },
      };
    },
  };
}
