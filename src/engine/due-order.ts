/**
 * The order of work that waits for a core or the GPU: what is due soonest first, then by arrival.
 */

export interface Due {
  /** By the clock of `performance.now`. */
  readonly dueMs: number;
}

/** What is due within this time is a first sound, or of a stream that would run dry. */
const SOON_MS = 1_000;

export const isSoon = ({ dueMs }: Due, nowMs: number): boolean => dueMs < nowMs + SOON_MS;

/** Inserts `one` into `waiting`, which is in this order. */
export function insertByDue<Waiting extends Due>(waiting: Waiting[], one: Waiting): void {
  let at = waiting.length;
  while (at > 0 && waiting[at - 1]!.dueMs > one.dueMs) at -= 1;
  waiting.splice(at, 0, one);
}
