/** How many turns a worker elsewhere is given ahead so that it never waits for the next: by the round trip and what a turn takes. */

/** The shortest of this many round trips counts; longer ones include waiting on a busy machine. */
const TRIPS = 8;
/** A shorter one is no more than a hand-over, which the second turn hides. */
const LEAST_TRIP_MS = 10;
/** A longer measured round trip is discarded as implausible. */
const MOST_TRIP_MS = 10_000;
/** How much each turn says of the next: a few short ones at the beginning of segments say little. */
const STEP = 1 / 32;
/** About what a turn takes, until some were measured. */
const TURN_MS = 80;
/** A turn that takes less is given as if it took this. */
const LEAST_TURN_MS = 2;
/** Turns differ in length, and some are given to jobs that turn out to be through. */
const MARGIN = 1.5;
/** Of a turn: what the second one hides in any case. */
const HIDDEN = 0.25;
/** On the way to one worker and back, at most. */
const MOST_AHEAD = 128;
/** One that runs and one that lies ready. */
export const TURNS_OF_A_JOB = 2;
/** As many as a worker lets one job have. */
const MOST_OF_A_JOB = 16;

export class InFlight {
  readonly #tripsMs: number[] = [];
  #turnMs = TURN_MS;
  #measured = false;
  #ahead = 0;
  #roundTripMs = 0;

  /** To the worker and back, as it was lately; 0 until it was measured. */
  get roundTripMs(): number {
    return this.#roundTripMs;
  }

  /** Turns beyond those of a worker nearby: what its engine gets through while a message goes there and back. */
  get ahead(): number {
    return this.#ahead;
  }

  /** Turns that one job may have, where no other job needs them. */
  get ofAJob(): number {
    return Math.min(MOST_OF_A_JOB, TURNS_OF_A_JOB + this.#ahead);
  }

  /** A message went there and back in so long. Tells whether `ahead` changed. */
  tripTook(ms: number): boolean {
    if (!(ms >= 0 && ms <= MOST_TRIP_MS)) return false;
    this.#tripsMs.push(ms);
    if (this.#tripsMs.length > TRIPS) this.#tripsMs.shift();
    this.#roundTripMs = Math.min(...this.#tripsMs);
    return this.#look();
  }

  /** A turn took so much of the engine's time. Tells whether `ahead` changed. */
  turnTook(ms: number): boolean {
    this.#measured = true;
    this.#turnMs += (ms - this.#turnMs) * STEP;
    return this.#look();
  }

  #look(): boolean {
    const before = this.#ahead;
    this.#ahead = this.#needed();
    return this.#ahead !== before;
  }

  #needed(): number {
    if (!this.#measured || this.#roundTripMs < LEAST_TRIP_MS) return 0;
    const turns = this.#roundTripMs / Math.max(LEAST_TURN_MS, this.#turnMs);
    return Math.min(MOST_AHEAD, Math.ceil(Math.max(0, MARGIN * turns - HIDDEN)));
  }
}
