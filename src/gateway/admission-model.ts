/** Whether live streams can be carried without a stall, by what speech was measured to cost. */
import { samplesToMs } from '../protocol/audio.js';
import type { BaseModel } from '../protocol/job.js';
import { speedParts } from '../protocol/speed.js';
import { Timeline } from './timeline.js';
import { DEMAND, MS_PER_CHAR, SUPPLY } from './tuning.js';
import type { Wants } from './wants.js';

/** Speech that a stream will want. */
export interface Want {
  /** When it is due: the listener has played out what came before it. */
  readonly atMs: number;
  /** Its duration. */
  readonly restMs: number;
  /** Work before its first sample; where absent, all work is spread over its duration. */
  readonly leadMs?: number | undefined;
}

interface Moment {
  /** Share of the workers' time that live streams have. */
  readonly share?: number;
  /** Work due before this is late already, which another stream would not change. */
  readonly fromMs?: number;
}

/** Workers that are there from `fromMs` on, counted from now. */
export interface Supply {
  readonly workers: number;
  readonly fromMs: number;
}

export interface Spoken {
  readonly model: BaseModel;
  /** Characters that last as long at speed 1. */
  readonly chars: number;
  readonly samples: number;
  readonly speed: number;
  /** Engine time, and its part before the first sample. */
  readonly runMs: number;
  readonly leadMs: number;
  /** Some steps had all cores; single-threaded they would have taken at least as long. */
  readonly multiThreaded: boolean;
  /** Most workers had work. */
  readonly loaded: boolean;
}

/** What speech of a model costs: milliseconds of a worker for a millisecond of audio. */
interface Cost {
  multiThreaded?: number;
  singleThreaded?: number;
  /** Single-threaded while most workers had work. */
  loaded?: number;
  /** What `loaded` was when the server last ran. */
  remembered?: number;
  /** Work before the first sample of a segment, for a character. */
  leadMsPerChar?: number;
}

/** Work for a second of audio at a speed, before its first sample and after, in that at speed 1. */
function workAt(model: BaseModel, speed: number): { readonly lead: number; readonly rest: number } {
  const { acoustic, stretch } = speedParts(model, speed);
  return { lead: speed / acoustic, rest: stretch };
}

const towards = (mean: number | undefined, value: number, weight: number): number =>
  mean === undefined ? value : mean + (value - mean) * Math.min(1, weight);

export class AdmissionModel {
  readonly #timeline = new Timeline();
  #nowMs = 0;
  readonly #costs = new Map<BaseModel, Cost>();
  #msPerChar: number = MS_PER_CHAR.initial;
  #atWork: number = SUPPLY.atWork;
  #caution = 0;
  #cautiousAtMs = 0;

  constructor(known: Readonly<Partial<Record<BaseModel, number>>> = {}) {
    for (const [model, remembered] of Object.entries(known)) this.#costs.set(model as BaseModel, { remembered });
  }

  get msPerChar(): number {
    return this.#msPerChar;
  }

  /** Seconds of a worker for a second of speech, of each model that was measured under load. */
  get costs(): Partial<Record<BaseModel, number>> {
    const known: Partial<Record<BaseModel, number>> = {};
    for (const [model, { loaded }] of this.#costs) if (loaded !== undefined) known[model] = loaded;
    return known;
  }

  /** Expected engine time before the first sample of a segment of `chars`. */
  leadMs(model: BaseModel, chars: number, speed: number): number {
    return ((this.#costs.get(model)?.leadMsPerChar ?? 0) * chars * workAt(model, speed).lead) / speed;
  }

  /** Expected engine time of a later step of a segment. */
  stepMs(model: BaseModel, speed: number): number {
    const { rest } = this.#costAt(model, speed);
    return rest * DEMAND.stepAudioMs;
  }

  learn({ model, chars, samples, speed, runMs, leadMs, multiThreaded, loaded }: Spoken): void {
    const spokenMs = samplesToMs(samples);
    if (spokenMs === 0 || chars === 0) return;
    const weight = spokenMs / SUPPLY.learnMs;
    this.#msPerChar = towards(this.#msPerChar, spokenMs / chars, weight);
    const cost = this.#costs.get(model) ?? {};
    this.#costs.set(model, cost);
    const work = workAt(model, speed);
    const measured = (leadMs / work.lead + (runMs - leadMs) / work.rest) / spokenMs;
    if (multiThreaded) {
      cost.multiThreaded = towards(cost.multiThreaded, measured, weight);
      return;
    }
    cost.leadMsPerChar = towards(cost.leadMsPerChar, leadMs / (chars * work.lead), weight);
    cost.singleThreaded = towards(cost.singleThreaded, measured, weight);
    const loadedWeight = loaded ? weight : spokenMs / SUPPLY.loadedFadeMs;
    if (loaded || cost.loaded !== undefined) cost.loaded = towards(cost.loaded, measured, loadedWeight);
  }

  /** While work waited all the time, steps filled this share of the workers' time. */
  sawAtWork(share: number): void {
    const bounded = Math.max(SUPPLY.leastAtWork, Math.min(1, share));
    this.#atWork = towards(this.#atWork, bounded, SUPPLY.atWorkWeight);
  }

  /** A listener heard a stall: less of the workers' time is filled for a while. */
  stalled(nowMs: number): void {
    this.#caution = Math.min(SUPPLY.mostCaution, this.#cautionAt(nowMs) + SUPPLY.stallCaution);
    this.#cautiousAtMs = nowMs;
  }

  #cautionAt(nowMs: number): number {
    return this.#caution * Math.exp((this.#cautiousAtMs - nowMs) / SUPPLY.cautionFadeMs);
  }

  /** Seconds of a worker for a second of speech; 0, which refuses none, before it was measured. */
  #costOf(model: BaseModel): number {
    const { loaded, singleThreaded, remembered, multiThreaded } = this.#costs.get(model) ?? {};
    if (loaded !== undefined) return loaded;
    if (singleThreaded === undefined) return remembered ?? multiThreaded ?? 0;
    return Math.max(singleThreaded, Math.min(remembered ?? 0, singleThreaded * SUPPLY.mostLoaded));
  }

  /** The cost at a speed, before the first sample of a segment and after. */
  #costAt(model: BaseModel, speed: number): { readonly lead: number; readonly rest: number } {
    const cost = this.#costOf(model);
    const lead = Math.min(0.9 * cost, (this.#costs.get(model)?.leadMsPerChar ?? 0) / this.#msPerChar);
    const work = workAt(model, speed);
    return { lead: lead * work.lead, rest: (cost - lead) * work.rest };
  }

  /** Adds to `wants` the work that a stream's next speech takes. */
  note(wants: Wants, model: BaseModel, speed: number, { atMs, restMs, leadMs }: Want): void {
    if (restMs <= 0) return;
    wants.endsAt(atMs + restMs);
    const { lead, rest } = this.#costAt(model, speed);
    if (lead + rest === 0) return;
    const rate = leadMs === undefined ? lead + rest : rest;
    const stepMs = leadMs === undefined ? 0 : Math.min(restMs, DEMAND.stepAudioMs);
    wants.add(atMs, (leadMs ?? 0) + rate * stepMs, rate, restMs - stepMs);
  }

  /** Starts a new sum of wants. */
  begin(nowMs: number): void {
    this.#nowMs = nowMs;
    this.#timeline.begin(nowMs);
  }

  add(wants: Wants): void {
    this.#timeline.add(wants);
  }

  /** The number of workers whose time admission may fill. */
  capacityOf(workers: number, nowMs: number): number {
    return workers * this.#atWork * (SUPPLY.usable - this.#cautionAt(nowMs));
  }

  /** Whether wants added since `begin` are met in time by the live streams' share of `supply`. */
  isCarried(supply: readonly Supply[], { share = 1, fromMs = 0 }: Moment = {}): boolean {
    const usable = this.#atWork * (SUPPLY.usable - this.#cautionAt(this.#nowMs)) * share;
    for (const { workers, fromMs: thereMs } of supply) this.#timeline.supply(thereMs, workers * usable);
    return this.#timeline.isCarried(fromMs, DEMAND.aheadMs);
  }
}
