/** Whether one more live stream can be carried without a stall of those there are: from what a second of speech was measured to cost. */
import { samplesToMs } from '../protocol/audio.js';
import { type BaseModel, stretchOf } from '../protocol/job.js';
import { Timeline } from './timeline.js';
import type { Wants } from './wants.js';

/** Speech is made in runs of about so much, none of which is heard before it is done. */
const RUN_MS = 1_600;
/** What is kept back for what a measurement does not see: arrivals at once, sentences longer than most. */
const USABLE = 0.93;
/** Of their time workers are at work while work waits; the rest are hand-overs. Until it was measured. */
const AT_WORK = 0.95;
const LEAST_AT_WORK = 0.5;
/** Every break that a listener hears keeps this much more back, up to so much, which is forgiven in about so long. */
const BREAK_STEP = 0.002;
const MOST_CAUTION = 0.1;
const FORGIVE_MS = 20_000;
/** What was spoken longer ago than this counts for little. */
const LEARN_MS = 80_000;
/** What was measured when most workers had work is what the next crowd will cost; in quiet times it fades this slowly. */
const FADE_MS = 800_000;
/** Processes at work beside it do not make one slower than this: two share a core at most. */
const MOST_CROWDING = 2;
/** About what a character lasts, until some were spoken. */
const MS_PER_CHAR = 65;
/** How much each stretch of time in which work waited says of the next. */
const AT_WORK_STEP = 0.2;
/** Nobody has to be given more than this before he needs it, so that no more can be made of idle workers in advance. */
const AHEAD_MS = 10_000;

export interface Want {
  readonly atMs: number;
  readonly restMs: number;
  readonly leadMs?: number | undefined;
}

interface Moment {
  /** Of the workers' time, for live streams. */
  readonly share?: number;
  /** What is due before this is late already, and nobody else's fault. */
  readonly fromMs?: number;
}

/** Workers that are there from some moment on. */
export interface Supply {
  readonly workers: number;
  readonly fromMs: number;
}

export interface Spoken {
  readonly model: BaseModel;
  /** As many as last as long at the voice's own pace. */
  readonly chars: number;
  readonly samples: number;
  readonly speed: number;
  /** Of an engine's time, and what of that came before the first sample. */
  readonly runMs: number;
  readonly leadMs: number;
  /** It had all cores at times, and would have taken at least as long on one. */
  readonly wide: boolean;
  /** Most workers had work. */
  readonly crowded: boolean;
}

/** Milliseconds of a worker for a millisecond of a model's speech. */
interface Cost {
  wide?: number;
  narrow?: number;
  crowded?: number;
  /** What `crowded` was when the server last ran. */
  remembered?: number;
  /** To the first sample of a segment, for a character. */
  leadMsPerChar?: number;
}

const towards = (mean: number | undefined, value: number, step: number): number =>
  mean === undefined ? value : mean + (value - mean) * Math.min(1, step);

export class Admission {
  readonly #timeline = new Timeline();
  #nowMs = 0;
  readonly #costs = new Map<BaseModel, Cost>();
  #msPerChar = MS_PER_CHAR;
  #atWork = AT_WORK;
  #caution = 0;
  #cautiousAtMs = 0;

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

  /** About what a worker takes to the first sample of so many characters. */
  leadMs(model: BaseModel, chars: number, speed: number): number {
    return ((this.#costs.get(model)?.leadMsPerChar ?? 0) * chars * stretchOf(speed)) / speed;
  }

  /** About what it takes for a run that goes on with a segment. */
  runMs(model: BaseModel, speed: number): number {
    return (this.#costOf(model) * stretchOf(speed) - this.#leadCostOf(model, speed)) * RUN_MS;
  }

  learn({ model, chars, samples, speed, runMs, leadMs, wide, crowded }: Spoken): void {
    const spokenMs = samplesToMs(samples);
    if (spokenMs === 0 || chars === 0) return;
    const step = spokenMs / LEARN_MS;
    this.#msPerChar = towards(this.#msPerChar, spokenMs / chars, step);
    const cost = this.#costs.get(model) ?? {};
    this.#costs.set(model, cost);
    const measured = runMs / (spokenMs * stretchOf(speed));
    if (wide) {
      cost.wide = towards(cost.wide, measured, step);
      return;
    }
    cost.leadMsPerChar = towards(cost.leadMsPerChar, leadMs / (chars * stretchOf(speed)), step);
    cost.narrow = towards(cost.narrow, measured, step);
    if (crowded) cost.crowded = towards(cost.crowded, measured, step);
    else if (cost.crowded !== undefined) cost.crowded = towards(cost.crowded, measured, spokenMs / FADE_MS);
  }

  /** While work waited all the time, workers were at work for this share of theirs, by the clocks of their engines. */
  sawAtWork(share: number): void {
    this.#atWork = towards(this.#atWork, Math.max(LEAST_AT_WORK, Math.min(1, share)), AT_WORK_STEP);
  }

  /** A listener ran dry though his text was there. */
  broke(nowMs: number): void {
    this.#caution = Math.min(MOST_CAUTION, this.#cautionAt(nowMs) + BREAK_STEP);
    this.#cautiousAtMs = nowMs;
  }

  #cautionAt(nowMs: number): number {
    return this.#caution * Math.exp((this.#cautiousAtMs - nowMs) / FORGIVE_MS);
  }

  /** Seconds of a worker a second of speech; 0 where it was never measured: nobody is refused for a guess. */
  #costOf(model: BaseModel): number {
    const { crowded, narrow, remembered, wide } = this.#costs.get(model) ?? {};
    if (crowded !== undefined) return crowded;
    if (narrow === undefined) return remembered ?? wide ?? 0;
    // Of a crowd on another day, as far as it fits what is seen today.
    return Math.max(narrow, Math.min(remembered ?? 0, narrow * MOST_CROWDING));
  }

  /** Of that, what comes before the first sample of a segment. */
  #leadCostOf(model: BaseModel, speed: number): number {
    const cost = this.#costOf(model) * stretchOf(speed);
    const { leadMsPerChar = 0 } = this.#costs.get(model) ?? {};
    return Math.min(0.9 * cost, (leadMsPerChar * stretchOf(speed)) / this.#msPerChar);
  }

  /**
   * Notes what a live stream will want: `restMs` of speech, none of it before `atMs`, when its listener has heard what he has in hand.
   * `leadMs` has to be done before its first sample, and of the rest the share that comes after; without it, all of it as it is heard.
   */
  note(wants: Wants, model: BaseModel, speed: number, { atMs, restMs, leadMs }: Want): void {
    if (restMs <= 0) return;
    wants.firstEndMs = Math.min(wants.firstEndMs, atMs + restMs);
    const cost = this.#costOf(model) * stretchOf(speed);
    if (cost === 0) return;
    const rate = leadMs === undefined ? cost : cost - this.#leadCostOf(model, speed);
    const runMs = leadMs === undefined ? 0 : Math.min(restMs, RUN_MS);
    wants.add(atMs, (leadMs ?? 0) + rate * runMs, rate, restMs - runMs);
  }

  /** Begins to add up what is wanted. */
  begin(nowMs: number): void {
    this.#nowMs = nowMs;
    this.#timeline.begin(nowMs);
  }

  add(wants: Wants): void {
    this.#timeline.add(wants);
  }

  /** The number of workers whose time admission may fill. */
  capacityOf(workers: number, nowMs: number): number {
    return workers * this.#atWork * (USABLE - this.#cautionAt(nowMs));
  }

  /** Whether all that was added is done in time by the share of `supply` that is for live streams. */
  isCarried(supply: readonly Supply[], { share = 1, fromMs = 0 }: Moment = {}): boolean {
    const usable = this.#atWork * (USABLE - this.#cautionAt(this.#nowMs)) * share;
    for (const { workers, fromMs: thereMs } of supply) this.#timeline.supply(thereMs, workers * usable);
    return this.#timeline.isCarried(fromMs, AHEAD_MS);
  }
}
