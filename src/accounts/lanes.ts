/** Turns by key: work that waits for one key's row holds up no other key's. */
import { TtsError } from '../protocol/errors.js';

/** Transactions of one key at once. They lock the key's row, so more would only wait inside the database. */
const WIDTH = 2;
/** Calls of one key that may wait; the next is refused at once. */
const MAX_WAITING = 200;

interface Lane {
  running: number;
  readonly waiting: Set<() => void>;
}

export interface Lanes {
  /** Runs `work` when the key has a free place; rejects with `store_unavailable` where none came free in time. */
  run<T>(keyId: string, work: () => Promise<T>): Promise<T>;
}

export function createLanes(patienceMs: number, place: string): Lanes {
  const lanes = new Map<string, Lane>();

  const busy = () =>
    new TtsError('store_unavailable', `The accounts database ${place} is busy with earlier work of this key.`);

  function entered({ waiting }: Lane): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(enter);
        reject(busy());
      }, patienceMs);
      waiting.add(enter);
    });
  }

  /** Hands the place to the next that waits, or gives it back. */
  function leave(keyId: string, lane: Lane): void {
    const [next] = lane.waiting;
    if (next !== undefined) {
      lane.waiting.delete(next);
      next();
      return;
    }
    lane.running--;
    if (lane.running === 0) lanes.delete(keyId);
  }

  return {
    async run(keyId, work) {
      const lane = lanes.get(keyId) ?? { running: 0, waiting: new Set<() => void>() };
      lanes.set(keyId, lane);
      if (lane.running < WIDTH) lane.running++;
      else if (lane.waiting.size >= MAX_WAITING) throw busy();
      else await entered(lane);
      try {
        return await work();
      } finally {
        leave(keyId, lane);
      }
    },
  };
}
