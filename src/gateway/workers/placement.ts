/** Which worker finishes a segment soonest, by how fast each was lately and what it has to do. */
import type { Clock } from '../../clock.js';
import type { BaseModel } from '../../protocol/job.js';
import { PLACEMENT } from '../tuning.js';
import type { Worker } from './worker.js';

interface Speed {
  /** Milliseconds of work for a sample. */
  msPerSample: number;
  atMs: number;
}

export class Placement {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #speeds = new WeakMap<Worker, Map<BaseModel, Speed>>();
  /** How many times longer than the fastest a worker takes; absent workers are as fast as any. */
  #slow = new Map<Worker, number>();
  #refreshedMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** A segment was spoken on `worker`. */
  learn(worker: Worker, model: BaseModel, { runMs, samples }: { runMs: number; samples: number }): void {
    if (samples === 0) return;
    const speeds = this.#speeds.get(worker) ?? new Map<BaseModel, Speed>();
    this.#speeds.set(worker, speeds);
    const before = speeds.get(model)?.msPerSample ?? runMs / samples;
    const msPerSample = before + PLACEMENT.weight * (runMs / samples - before);
    speeds.set(model, { msPerSample, atMs: this.#clock.now() });
  }

  /** None of `all` was faster lately. */
  isFastest(worker: Worker, all: readonly Worker[]): boolean {
    this.#refresh(all);
    return this.#slownessOf(worker) === 1;
  }

  /**
   * Whether a segment given to `worker` now is done sooner than if it waited for a faster one of
   * `all` that is busy. `queued` segments wait with it, which the faster workers that `fit` would
   * share.
   */
  isSoonest(
    worker: Worker,
    all: readonly Worker[],
    queued: number,
    fit: (worker: Worker) => boolean = () => true,
  ): boolean {
    this.#refresh(all);
    const own = this.#slownessOf(worker);
    if (own === 1) return true;
    const faster = all.filter((other) => other.state === 'ready' && this.#slownessOf(other) < own && fit(other));
    const doneHere = (loadOf(worker) + 1) * own;
    const aheadOfIt = queued / Math.max(1, faster.length);
    return !faster.some((other) => (loadOf(other) + aheadOfIt + 1) * this.#slownessOf(other) < doneHere);
  }

  #slownessOf(worker: Worker): number {
    return this.#slow.get(worker) ?? 1;
  }

  /** In powers of two: smaller differences come from segments more than from workers. */
  #refresh(all: readonly Worker[]): void {
    const nowMs = this.#clock.now();
    if (nowMs - this.#refreshedMs < PLACEMENT.refreshMs) return;
    this.#refreshedMs = nowMs;
    const measured = all.flatMap((worker) =>
      [...(this.#speeds.get(worker) ?? [])]
        .filter(([, { atMs }]) => worker.state === 'ready' && nowMs - atMs <= PLACEMENT.forgetMs)
        .map(([model, { msPerSample }]) => ({ worker, model, msPerSample })),
    );
    const best = new Map<BaseModel, number>();
    for (const { model, msPerSample } of measured)
      best.set(model, Math.min(best.get(model) ?? msPerSample, msPerSample));
    this.#slow = new Map();
    for (const { worker, model, msPerSample } of measured) {
      const times = 2 ** Math.round(Math.log2(msPerSample / best.get(model)!));
      // An engine for tests may take no time at all.
      if (Number.isFinite(times)) this.#slow.set(worker, Math.max(this.#slownessOf(worker), times));
    }
  }
}

const loadOf = ({ busy, others }: Worker): number => busy + others;
