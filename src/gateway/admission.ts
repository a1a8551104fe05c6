/** Whether one more live stream can be carried without a stall of those there are: from what a second of speech was measured to cost. */
import { samplesToMs } from '../protocol/audio.js';
import type { BaseModel } from '../protocol/job.js';

/** What is kept back for what a measurement does not see: hand-overs, arrivals at once, sentences longer than most. */
const USABLE = 0.88;
/** With every segment the ones before count for less. */
const LEARN = 1 / 20;
/** What was measured when most workers had work is what the next crowd will cost; in quiet times it fades this slowly. */
const FADE = 1 / 200;
/** Processes at work beside it do not make one slower than this: two share a core at most. */
const MOST_CROWDING = 2;
/** About what a character lasts, until some were spoken. */
const MS_PER_CHAR = 65;

/** What a live stream will want: `restMs` of speech, none of it before the `aheadMs` that its listener has in hand have passed. */
export interface Demand {
  readonly model: BaseModel;
  readonly aheadMs: number;
  readonly restMs: number;
}

export interface Spoken {
  readonly model: BaseModel;
  readonly chars: number;
  readonly samples: number;
  /** Of a worker's time. */
  readonly tookMs: number;
  /** It had all cores at times, and would have taken at least as long on one. */
  readonly wide: boolean;
  /** Most workers had work. */
  readonly crowded: boolean;
}

/** Milliseconds of a worker for a second of a model's speech. */
interface Cost {
  wide?: number;
  narrow?: number;
  crowded?: number;
  /** What `crowded` was when the server last ran. */
  remembered?: number;
}

const towards = (mean: number | undefined, value: number, step: number): number =>
  mean === undefined ? value : mean + (value - mean) * step;

export class Admission {
  readonly #costs = new Map<BaseModel, Cost>();
  #msPerChar = MS_PER_CHAR;

  constructor(known: Readonly<Partial<Record<BaseModel, number>>> = {}) {
    for (const [model, remembered] of Object.entries(known)) this.#costs.set(model as BaseModel, { remembered });
  }

  get msPerChar(): number {
    return this.#msPerChar;
  }

  /** Seconds of a worker a second of speech, for each model that was measured among others. */
  get costs(): Partial<Record<BaseModel, number>> {
    const known: Partial<Record<BaseModel, number>> = {};
    for (const [model, { crowded }] of this.#costs) if (crowded !== undefined) known[model] = crowded;
    return known;
  }

  learn({ model, chars, samples, tookMs, wide, crowded }: Spoken): void {
    const spokenMs = samplesToMs(samples);
    if (spokenMs === 0 || chars === 0) return;
    this.#msPerChar = towards(this.#msPerChar, spokenMs / chars, LEARN);
    const cost = this.#costs.get(model) ?? {};
    this.#costs.set(model, cost);
    const measured = tookMs / spokenMs;
    if (wide) {
      cost.wide = towards(cost.wide, measured, LEARN);
      return;
    }
    cost.narrow = towards(cost.narrow, measured, LEARN);
    if (crowded) cost.crowded = towards(cost.crowded, measured, LEARN);
    else if (cost.crowded !== undefined) cost.crowded = towards(cost.crowded, measured, FADE);
  }

  /** Seconds of a worker a second of speech; 0 where it was never measured: nobody is refused for a guess. */
  #costOf(model: BaseModel): number {
    const { crowded, narrow, remembered, wide } = this.#costs.get(model) ?? {};
    if (crowded !== undefined) return crowded;
    if (narrow === undefined) return remembered ?? wide ?? 0;
    // Of a crowd on another day, as far as it fits what is seen today.
    return Math.max(narrow, Math.min(remembered ?? 0, narrow * MOST_CROWDING));
  }

  /**
   * Whether `workers` can do all of it in time. What has to be done until any moment must fit into the time until then; it is
   * tightest at the ends of streams.
   */
  carries(demands: readonly Demand[], workers: number): boolean {
    const costs = demands.map(({ model }) => this.#costOf(model));
    return demands.every(({ aheadMs, restMs }) => {
      const untilMs = aheadMs + restMs;
      let workMs = 0;
      for (const [i, other] of demands.entries()) {
        workMs += costs[i]! * Math.min(other.restMs, Math.max(0, untilMs - other.aheadMs));
      }
      return workMs <= untilMs * workers * USABLE;
    });
  }
}

/** When the first of them is through, heard as it is spoken. */
export const firstEndMs = (demands: readonly Demand[]): number =>
  Math.min(...demands.map(({ aheadMs, restMs }) => aheadMs + restMs));
