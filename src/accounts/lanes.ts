/** Turns by key: work that waits for one key's row holds up no other key's. */
import { type Clock, systemClock } from '../clock.js';
import { TtsError } from '../protocol/errors.js';
import { KEY_TRANSACTIONS, MAX_KEY_CALLS_WAITING } from './tuning.js';

interface Lane {
  running: number;
  readonly waiting: Set<() => void>;
}

export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #patienceMs: number;
  readonly #place: string;
  readonly #clock: Clock;

  constructor(patienceMs: number, place: string, clock = systemClock) {
    this.#patienceMs = patienceMs;
    this.#place = place;
    this.#clock = clock;
  }

  /**
   * Runs `work` when the key has a free place; rejects with `store_unavailable` where none came
   * free in time.
   */
  async run<T>(keyId: string, work: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(keyId) ?? { running: 0, waiting: new Set<() => void>() };
    this.#lanes.set(keyId, lane);
    if (lane.running < KEY_TRANSACTIONS) lane.running++;
    else if (lane.waiting.size >= MAX_KEY_CALLS_WAITING) throw this.#busy();
    else await this.#entered(lane);
    try {
      return await work();
    } finally {
      this.#leave(keyId, lane);
    }
  }

  #busy(): TtsError {
    return new TtsError(
      'store_unavailable',
      `The accounts database ${this.#place} is busy with earlier work of this key.`,
    );
  }

  #entered({ waiting }: Lane): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        timer.cancel();
        resolve();
      };
      const timer = this.#clock.setTimeout(() => {
        waiting.delete(enter);
        reject(this.#busy());
      }, this.#patienceMs);
      waiting.add(enter);
    });
  }

  /** Hands the place to the next call that waits, or gives it back. */
  #leave(keyId: string, lane: Lane): void {
    const [next] = lane.waiting;
    if (next !== undefined) {
      lane.waiting.delete(next);
      next();
      return;
    }
    lane.running--;
    if (lane.running === 0) this.#lanes.delete(keyId);
  }
}
