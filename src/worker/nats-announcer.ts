/** Announces a worker to all gateways: every beat, when it changed, and when a gateway asks. */
import type { Clock, Timer } from '../clock.js';
import type { Bus } from './nats-bus.js';
import { isHello } from './nats-messages.js';
import { type Announcement, encode, type Offer, SUBJECT, WIRE_VERSION } from './nats-wire.js';
import type { EngineFacts } from './protocol.js';

/** Facts, which rarely change, go with every so many announcements. */
const FACTS_EVERY = 10;
/** Gateways that ask are answered at most this often. */
const HELLO_MS = 100;

export interface AnnouncerOptions {
  readonly bus: Bus;
  readonly id: string;
  readonly offer: Offer;
  readonly clock: Clock;
  readonly facts: () => EngineFacts | undefined;
  /** Steps that all gateways have in the engine. */
  readonly steps: () => number;
}

export class Announcer {
  readonly #options: AnnouncerOptions;
  /** Runs after the answer to a hello; others in the meantime are answered at its end. */
  #answered: Timer | undefined;
  #askedAgain = false;
  #epoch = 1;
  #announced = 0;
  #leaving: 'draining' | 'gone' | undefined;

  constructor(options: AnnouncerOptions) {
    this.#options = options;
  }

  /** Changes with every start of the engine. */
  get epoch(): string {
    return String(this.#epoch);
  }

  nextEpoch(): void {
    this.#epoch += 1;
  }

  get leaving(): 'draining' | 'gone' | undefined {
    return this.#leaving;
  }

  leave(state: 'draining' | 'gone'): void {
    this.#leaving = state;
    this.announce();
    if (state === 'gone') this.#answered?.cancel();
  }

  beat(): void {
    this.announce(this.#announced % FACTS_EVERY === 0);
  }

  announce(withFacts = false): void {
    const { bus, id, offer, facts: factsOf, steps } = this.#options;
    const facts = factsOf();
    this.#announced += 1;
    const announcement: Announcement = {
      v: WIRE_VERSION,
      id,
      life: this.epoch,
      state: this.#leaving ?? (facts === undefined ? 'starting' : 'ready'),
      turns: steps(),
      ...(withFacts && facts !== undefined && { facts: { ...offer, ...facts, echoes: true } }),
    };
    bus.publish(SUBJECT.workers, encode(announcement));
  }

  receiveHello(payload: Uint8Array): void {
    if (!isHello(payload)) return;
    if (this.#answered !== undefined) {
      this.#askedAgain = true;
      return;
    }
    this.announce(true);
    this.#answered = this.#options.clock.setTimeout(() => {
      this.#answered = undefined;
      if (this.#askedAgain) this.announce(true);
      this.#askedAgain = false;
    }, HELLO_MS);
  }
}
