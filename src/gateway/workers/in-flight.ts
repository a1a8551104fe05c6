/** How many steps a worker elsewhere is given ahead, so that it never waits for the next one. */
import { IN_FLIGHT } from '../tuning.js';

export class InFlight {
  readonly #tripsMs: number[] = [];
  #stepMs: number = IN_FLIGHT.stepMs;
  #measured = false;
  #ahead = 0;
  #roundTripMs = 0;

  /** The recent round trip to the worker; 0 until it was measured. */
  get roundTripMs(): number {
    return this.#roundTripMs;
  }

  /** Steps beyond those of a worker nearby: what its engine finishes during a round trip. */
  get ahead(): number {
    return this.#ahead;
  }

  /** Steps that one job may have, where no other job needs them. */
  get ofAJob(): number {
    return Math.min(IN_FLIGHT.mostOfAJob, IN_FLIGHT.ofAJob + this.#ahead);
  }

  /** A round trip took `ms`. Returns whether `ahead` changed. */
  tripTook(ms: number): boolean {
    if (!(ms >= 0 && ms <= IN_FLIGHT.mostTripMs)) return false;
    this.#tripsMs.push(ms);
    if (this.#tripsMs.length > IN_FLIGHT.trips) this.#tripsMs.shift();
    this.#roundTripMs = Math.min(...this.#tripsMs);
    return this.#update();
  }

  /** A step took `ms` of the engine's time. Returns whether `ahead` changed. */
  stepTook(ms: number): boolean {
    this.#measured = true;
    this.#stepMs += (ms - this.#stepMs) * IN_FLIGHT.stepWeight;
    return this.#update();
  }

  #update(): boolean {
    const before = this.#ahead;
    this.#ahead = this.#needed();
    return this.#ahead !== before;
  }

  #needed(): number {
    if (!this.#measured || this.#roundTripMs < IN_FLIGHT.leastTripMs) return 0;
    const steps = this.#roundTripMs / Math.max(IN_FLIGHT.leastStepMs, this.#stepMs);
    return Math.min(IN_FLIGHT.mostAhead, Math.ceil(Math.max(0, IN_FLIGHT.margin * steps - IN_FLIGHT.hidden)));
  }
}
