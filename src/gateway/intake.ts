/** Who is taken in: what a gateway sees of its streams and workers, for the admission to judge. */
import { TtsError } from '../protocol/errors.js';
import type { BaseModel, SegmentJob } from '../protocol/job.js';
import { Admission, type Supply, type Want } from './admission.js';
import { AGED_TURNS } from './scheduler.js';
import { FIRST_WITHIN_MS, type SegmentTask } from './segment-task.js';
import type { StreamIntake } from './speech-host.js';
import type { SpeechStream } from './speech-stream.js';
import type { GatewayLoad, GatewayObserver, SpeechOrder } from './types.js';
import { Wants } from './wants.js';
import type { Crew } from './workers/crew.js';
import type { WorkerPool } from './workers/pool.js';
import { isUsable } from './workers/usable.js';
import type { Worker } from './workers/worker.js';

export interface IntakeOptions {
  readonly pool: WorkerPool;
  readonly crew?: Pick<Crew, 'spare'>;
  readonly costs?: Admission['costs'];
  readonly observer?: Pick<GatewayObserver, 'stalled'>;
}

/** What a session says, until some were heard. */
const SESSION_MS = 10_000;
/** As long as a segment is, until some were spoken. */
const SEGMENT_CHARS = 80;
/** How much each says of the next. */
const SEGMENT_STEP = 0.02;
/** Where its first sound takes an engine long, a listener is taken in who waits for so many of them. */
const WITHIN_LEADS = 2.5;
/** Of a turn, what a worker has to go with one that it has begun when something else is due, about. */
const BEGUN = 0.5;
/** Segments of a text that are looked at one by one before they are cut. */
const MOST_UNCUT = 4;
/** From this share of busy workers on, what is measured holds for a crowd. */
const CROWDED = 0.75;
/** Work has to wait for so long without a break for what workers do meanwhile to mean something. */
const BUSY_MS = 1_000;
/** How often it is worked out how far away workers are. */
const TRIPS_MS = 250;
/** Demand is what is wanted over so long. */
const LOAD_MS = 10_000;

/** For this long, requests that want as much as one that was refused are refused without looking at all streams again. */
const REFUSAL_MS = 100;

/** A request that could not be carried. */
interface Refusal {
  readonly model: BaseModel;
  readonly speed: number;
  readonly restMs: number;
  /** When it was refused, and when the first of the others will be through. */
  readonly atMs: number;
  readonly firstEndMs: number;
}

const overloaded = ({ firstEndMs }: Refusal, nowMs: number): TtsError =>
  new TtsError('overloaded', 'There are as many listeners as this server can carry without a break.', {
    retryAfterS: Math.min(60, Math.max(1, Math.ceil((firstEndMs - nowMs) / 1000))),
  });

/** How many of these workers can be used by this gateway now. */
function usableOf(workers: readonly Worker[]): number {
  let count = 0;
  for (const worker of workers) if (isUsable(worker)) count += 1;
  return count;
}

export class Intake implements StreamIntake {
  readonly #pool: WorkerPool;
  readonly #crew: Pick<Crew, 'spare'> | undefined;
  readonly #observer: IntakeOptions['observer'];
  readonly #admission: Admission;
  /** Of the one who asks. */
  readonly #asked = new Wants();
  /** The last one; undefined where a stream has ended since. */
  #refusal: Refusal | undefined;
  /** What sessions say, on average. */
  #sessionMs = SESSION_MS;
  /** How long segments are, on average. */
  #segmentChars = SEGMENT_CHARS;
  /** What a message takes to the workers and back, and when that was worked out. */
  #roundTripMs = 0;
  #tripsSeenMs = Number.NEGATIVE_INFINITY;
  /** Since when there has been more to do than so many workers have room for, and what their engines ran meanwhile. */
  #busy: { readonly sinceMs: number; readonly workers: number; runMs: number } | undefined;

  constructor({ pool, crew, costs, observer }: IntakeOptions) {
    this.#pool = pool;
    this.#observer = observer;
    this.#crew = crew;
    this.#admission = new Admission(costs);
  }

  get costs(): Admission['costs'] {
    return this.#admission.costs;
  }

  /** Throws where those that are `open` would stall for one more; the first is always taken. */
  admit({ model, chars, speed = 1 }: SpeechOrder, open: Iterable<SpeechStream>, turnMs: number): void {
    const nowMs = performance.now();
    const restMs = chars === undefined ? this.#sessionMs : (chars / speed) * this.#admission.msPerChar;
    const refusal = this.#refusal;
    const isAsMuch = refusal?.model === model && refusal.speed === speed && restMs >= refusal.restMs;
    if (isAsMuch && nowMs - refusal.atMs < REFUSAL_MS) throw overloaded(refusal, nowMs);
    let share = 1;
    let firstEndMs = Number.POSITIVE_INFINITY;
    this.#admission.begin(nowMs);
    for (const stream of open) {
      if (stream.order.whole) {
        // What is left of the turns where those of whole answers are late.
        share = 1 - 1 / AGED_TURNS;
        continue;
      }
      const wants = stream.wants(nowMs, this.#sessionMs);
      firstEndMs = Math.min(firstEndMs, wants.firstEndMs);
      this.#admission.add(wants);
    }
    if (firstEndMs === Number.POSITIVE_INFINITY) return;
    const fromMs = this.withinMs(model);
    this.#asked.clear();
    this.noteUncut(this.#asked, model, speed, { atMs: nowMs + fromMs, restMs });
    this.#admission.add(this.#asked);
    if (this.#admission.isCarried(this.#supply(turnMs), { share, fromMs })) return;
    this.#refusal = { model, speed, restMs, atMs: nowMs, firstEndMs };
    throw overloaded(this.#refusal, nowMs);
  }

  withinMs(model: BaseModel): number {
    return Math.max(FIRST_WITHIN_MS, WITHIN_LEADS * this.firstMs(model));
  }

  note(wants: Wants, model: BaseModel, speed: number, want: Want): void {
    this.#admission.note(wants, model, speed, want);
  }

  noteUncut(wants: Wants, model: BaseModel, speed: number, { atMs, restMs }: Want): void {
    const { msPerChar } = this.#admission;
    const segmentMs = (this.#segmentChars / speed) * msPerChar;
    for (let [fromMs, count] = [0, 1]; fromMs < restMs; count += 1) {
      const last = count === MOST_UNCUT;
      const partMs = last ? restMs - fromMs : Math.min(segmentMs, restMs - fromMs);
      const leadMs = last ? undefined : this.#admission.leadMs(model, (partMs * speed) / msPerChar, speed);
      this.#admission.note(wants, model, speed, { atMs: atMs + fromMs, restMs: partMs, leadMs });
      fromMs += partMs;
    }
  }

  leadMs({ model, segment, speed }: SegmentJob): number {
    return this.#admission.leadMs(model, segment.text.length, speed);
  }

  runMs({ model, speed }: SegmentJob): number {
    return this.#admission.runMs(model, speed);
  }

  get msPerChar(): number {
    return this.#admission.msPerChar;
  }

  /** What an engine takes to the first sound of a segment as long as most. */
  firstMs(model: BaseModel): number {
    return this.#admission.leadMs(model, this.#segmentChars, 1);
  }

  /** A segment came out of an engine whole. */
  learn({ job, wide, runMs, leadMs, receivedSamples: samples }: SegmentTask): void {
    const { model, speed, segment } = job;
    this.#segmentChars += (segment.text.length - this.#segmentChars) * SEGMENT_STEP;
    const chars = segment.text.length / speed;
    this.#admission.learn({ model, chars, samples, speed, runMs, leadMs, wide, crowded: this.#crowded });
  }

  /** An engine ran for so long. */
  ran(runMs: number): void {
    if (this.#busy !== undefined) this.#busy.runMs += runMs;
  }

  /** A listener ran dry though his text was there. */
  broke(model: BaseModel): void {
    this.#admission.broke(performance.now());
    this.#observer?.stalled({ model });
  }

  /** What streams want over the next seconds, whole answers as if they were heard, and what there is for it. */
  load(open: Iterable<SpeechStream>): GatewayLoad {
    const nowMs = performance.now();
    let workMs = 0;
    for (const stream of open) workMs += stream.wants(nowMs, this.#sessionMs).workMs(nowMs, nowMs + LOAD_MS);
    const workers = usableOf(this.#pool.workers) + (this.#crew?.spare ?? 0);
    return { demand: workMs / LOAD_MS, capacity: this.#admission.capacityOf(workers, nowMs) };
  }

  closed({ order, writtenChars }: SpeechStream): void {
    this.#refusal = undefined;
    if (order.chars !== undefined || order.whole || writtenChars === 0) return;
    const saidMs = (writtenChars / (order.speed ?? 1)) * this.#admission.msPerChar;
    this.#sessionMs += (saidMs - this.#sessionMs) / 20;
  }

  /** Sees what share of their time workers are at work while segments are always queued: what hand-overs leave. */
  watch(queued: number): void {
    const nowMs = performance.now();
    const ready = usableOf(this.#pool.serving);
    const busy = this.#busy;
    const goesOn = queued > 0 && busy?.workers === ready;
    if (goesOn && nowMs - busy.sinceMs < BUSY_MS) return;
    if (goesOn) this.#admission.sawAtWork(busy.runMs / (ready * (nowMs - busy.sinceMs)));
    this.#busy = { sinceMs: nowMs, workers: ready, runMs: 0 };
  }

  /** Workers that are there, that come, and that would come if they were needed. */
  #supply(turnMs: number): Supply[] {
    const { comingMs, startMs } = this.#pool;
    const coming = comingMs.map((fromMs) => ({ workers: 1, fromMs }));
    // They start in two halves, the second when the first is there.
    const spare = this.#crew?.spare ?? 0;
    const first = comingMs.length > 0 ? 0 : Math.ceil(spare / 2);
    const firstMs = comingMs.length > 0 ? Math.max(...comingMs) : startMs;
    return [
      // Retiring workers count too: they serve streams that are counted. A step's audio arrives a round trip later.
      { workers: usableOf(this.#pool.workers), fromMs: BEGUN * turnMs + this.roundTripMs },
      ...coming,
      { workers: first, fromMs: firstMs },
      { workers: spare - first, fromMs: firstMs + startMs },
    ];
  }

  /** Most of the workers there can be have work. */
  get #crowded(): boolean {
    const { serving } = this.#pool;
    const busy = serving.filter((worker) => worker.busy > 0).length;
    const unusable = serving.filter(({ state }) => state === 'ready').length - usableOf(serving);
    return busy >= CROWDED * (serving.length - unusable + (this.#crew?.spare ?? 0));
  }

  /** The mean round trip to the workers that can be used. */
  get roundTripMs(): number {
    const nowMs = performance.now();
    if (nowMs - this.#tripsSeenMs < TRIPS_MS) return this.#roundTripMs;
    this.#tripsSeenMs = nowMs;
    const tripsMs = this.#pool.workers.filter(isUsable).map((worker) => worker.roundTripMs ?? 0);
    this.#roundTripMs = tripsMs.reduce((sum, ms) => sum + ms, 0) / Math.max(1, tripsMs.length);
    return this.#roundTripMs;
  }
}
