/** Which of several workers would have a segment done soonest, by how fast each was lately and what it has to do already. */
import type { BaseModel } from '../../protocol/job.js';
import type { Worker } from './worker.js';

/** A measurement this old says nothing any more: a worker that was slow is tried again. */
const FORGET_MS = 60_000;
/** How much the last segment counts. */
const SHARE = 0.3;

interface Pace {
  /** Milliseconds of work for a sample. */
  msPerSample: number;
  atMs: number;
}

/** How often it is worked out anew who is how fast. */
const REFRESH_MS = 250;

export class Placement {
  readonly #paces = new WeakMap<Worker, Map<BaseModel, Pace>>();
  /** How many times longer than the fastest each takes; those that are not in it are as fast as any. */
  #slow = new Map<Worker, number>();
  #refreshedMs = Number.NEGATIVE_INFINITY;

  /** A segment was spoken on `worker`. */
  learn(worker: Worker, model: BaseModel, { runMs, samples }: { runMs: number; samples: number }): void {
    if (samples === 0) return;
    const paces = this.#paces.get(worker) ?? new Map<BaseModel, Pace>();
    this.#paces.set(worker, paces);
    const before = paces.get(model)?.msPerSample ?? runMs / samples;
    paces.set(model, { msPerSample: before + SHARE * (runMs / samples - before), atMs: performance.now() });
  }

  /** None of `all` was faster lately. */
  isFastest(worker: Worker, all: readonly Worker[]): boolean {
    this.#refresh(all);
    return this.#slownessOf(worker) === 1;
  }

  /**
   * Whether a segment that is given to `worker` now is done sooner than if it waited for a faster one of `all` that is busy:
   * `queued` segments wait with it, which the faster ones that `fit` would share.
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

  /** In powers of two: what lies between says more of the segments that were measured than of the workers. */
  #refresh(all: readonly Worker[]): void {
    const nowMs = performance.now();
    if (nowMs - this.#refreshedMs < REFRESH_MS) return;
    this.#refreshedMs = nowMs;
    const measured = all.flatMap((worker) =>
      [...(this.#paces.get(worker) ?? [])]
        .filter(([, { atMs }]) => worker.state === 'ready' && nowMs - atMs <= FORGET_MS)
        .map(([model, { msPerSample }]) => ({ worker, model, msPerSample })),
    );
    const best = new Map<BaseModel, number>();
    for (const { model, msPerSample } of measured)
      best.set(model, Math.min(best.get(model) ?? msPerSample, msPerSample));
    this.#slow = new Map();
    for (const { worker, model, msPerSample } of measured) {
      const times = 2 ** Math.round(Math.log2(msPerSample / best.get(model)!));
      // Nothing at all is what an engine for tests takes.
      if (Number.isFinite(times)) this.#slow.set(worker, Math.max(this.#slownessOf(worker), times));
    }
  }
}

const loadOf = ({ busy, others }: Worker): number => busy + others;
