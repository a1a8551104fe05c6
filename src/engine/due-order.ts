/** The order of what waits in an engine, for a core or for the card: what is due soonest first; of equals, what came first. */

export interface Due {
  /** On the clock of `performance.now`. */
  readonly dueMs: number;
}

/** Puts `one` where it belongs in `waiting`, which has this order. */
export function insertByDue<Waiting extends Due>(waiting: Waiting[], one: Waiting): void {
  let at = waiting.length;
  while (at > 0 && waiting[at - 1]!.dueMs > one.dueMs) at -= 1;
  waiting.splice(at, 0, one);
}
