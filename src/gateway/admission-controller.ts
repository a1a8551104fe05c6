/** Which live streams are admitted, by what a gateway sees of its streams and workers. */
import type { Clock } from '../clock.js';
import { TtsError } from '../protocol/errors.js';
import type { BaseModel, SegmentJob } from '../protocol/job.js';
import { AdmissionModel, type Supply, type Want } from './admission-model.js';
import type { SegmentTask } from './segment-task.js';
import type { StreamAdmission } from './speech-host.js';
import type { SpeechStream } from './speech-stream.js';
import { DEMAND, SCHEDULING, SUPPLY } from './tuning.js';
import type { GatewayLoad, GatewayObserver, SpeechOrder } from './types.js';
import { Wants } from './wants.js';
import type { Autoscaler } from './workers/autoscaler.js';
import type { WorkerPool } from './workers/pool.js';
import { isUsable } from './workers/usable.js';
import type { Worker } from './workers/worker.js';

export interface AdmissionOptions {
  readonly pool: WorkerPool;
  readonly autoscaler?: Pick<Autoscaler, 'spare'>;
  readonly costs?: AdmissionModel['costs'];
  readonly observer?: Pick<GatewayObserver, 'stalled'>;
}

/** A request that could not be carried. */
interface Refusal {
  readonly model: BaseModel;
  readonly speed: number;
  readonly restMs: number;
  /** When it was refused, and when the first of the open streams ends. */
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

export class AdmissionController implements StreamAdmission {
  readonly #options: AdmissionOptions;
  readonly #clock: Clock;
  readonly #model: AdmissionModel;
  /** Wants of the request that asks for admission. */
  readonly #asked = new Wants();
  /** The last refusal; undefined where a stream has ended since. */
  #refusal: Refusal | undefined;
  /** Running mean of what sessions say. */
  #sessionMs: number = DEMAND.sessionMs;
  /** Running mean of the characters of segments. */
  #segmentChars: number = DEMAND.segmentChars;
  /** Mean round trip to the workers, and when it was computed. */
  #roundTripMs = 0;
  #roundTripAtMs = Number.NEGATIVE_INFINITY;
  /** Since when work has waited for this many workers, and the engine time they spent since. */
  #busy: { readonly sinceMs: number; readonly workers: number; runMs: number } | undefined;

  constructor(options: AdmissionOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#model = new AdmissionModel(options.costs);
  }

  get costs(): AdmissionModel['costs'] {
    return this.#model.costs;
  }

  /** Throws where streams of `open` would stall for one more. The first is always admitted. */
  admit({ model, chars, speed = 1 }: SpeechOrder, open: Iterable<SpeechStream>, stepMs: number): void {
    const nowMs = this.#clock.now();
    const restMs = chars === undefined ? this.#sessionMs : (chars / speed) * this.msPerChar;
    const refusal = this.#refusal;
    const isAsMuch = refusal?.model === model && refusal.speed === speed && restMs >= refusal.restMs;
    if (isAsMuch && nowMs - refusal.atMs < DEMAND.refusalMs) throw overloaded(refusal, nowMs);
    let share = 1;
    let firstEndMs = Number.POSITIVE_INFINITY;
    this.#model.begin(nowMs);
    for (const stream of open) {
      if (stream.order.whole) {
        // Late buffered responses have one step in so many.
        share = 1 - 1 / SCHEDULING.agedEvery;
        continue;
      }
      const wants = stream.wants(nowMs, this.#sessionMs);
      firstEndMs = Math.min(firstEndMs, wants.firstEndMs);
      this.#model.add(wants);
    }
    if (firstEndMs === Number.POSITIVE_INFINITY) return;
    const fromMs = this.withinMs(model);
    this.#asked.clear();
    this.noteUncut(this.#asked, model, speed, { atMs: nowMs + fromMs, restMs });
    this.#model.add(this.#asked);
    if (this.#model.isCarried(this.#supply(stepMs), { share, fromMs })) return;
    this.#refusal = { model, speed, restMs, atMs: nowMs, firstEndMs };
    throw overloaded(this.#refusal, nowMs);
  }

  withinMs(model: BaseModel): number {
    return Math.max(SCHEDULING.firstAudioWithinMs, DEMAND.withinLeads * this.firstAudioMs(model));
  }

  note(wants: Wants, model: BaseModel, speed: number, want: Want): void {
    this.#model.note(wants, model, speed, want);
  }

  noteUncut(wants: Wants, model: BaseModel, speed: number, { atMs, restMs }: Want): void {
    const { msPerChar } = this;
    const segmentMs = (this.#segmentChars / speed) * msPerChar;
    for (let [fromMs, count] = [0, 1]; fromMs < restMs; count += 1) {
      const last = count === DEMAND.uncutSegments;
      const partMs = last ? restMs - fromMs : Math.min(segmentMs, restMs - fromMs);
      const leadMs = last ? undefined : this.#model.leadMs(model, (partMs * speed) / msPerChar, speed);
      this.#model.note(wants, model, speed, { atMs: atMs + fromMs, restMs: partMs, leadMs });
      fromMs += partMs;
    }
  }

  leadMs({ model, segment, speed }: SegmentJob): number {
    return this.#model.leadMs(model, segment.text.length, speed);
  }

  stepMs({ model, speed }: SegmentJob): number {
    return this.#model.stepMs(model, speed);
  }

  get msPerChar(): number {
    return this.#model.msPerChar;
  }

  /** Expected engine time to the first audio of a segment of mean length. */
  firstAudioMs(model: BaseModel): number {
    return this.#model.leadMs(model, this.#segmentChars, 1);
  }

  /** A segment was spoken to its end. */
  learn({ job, multiThreaded, runMs, leadMs, receivedSamples: samples }: SegmentTask): void {
    const { model, speed, segment } = job;
    this.#segmentChars += (segment.text.length - this.#segmentChars) * DEMAND.segmentWeight;
    const chars = segment.text.length / speed;
    this.#model.learn({ model, chars, samples, speed, runMs, leadMs, multiThreaded, loaded: this.#isLoaded });
  }

  ran(runMs: number): void {
    if (this.#busy !== undefined) this.#busy.runMs += runMs;
  }

  stalled(model: BaseModel): void {
    this.#model.stalled(this.#clock.now());
    this.#options.observer?.stalled({ model });
  }

  /** What streams want over the next seconds, buffered ones as if live, and the capacity. */
  load(open: Iterable<SpeechStream>): GatewayLoad {
    const nowMs = this.#clock.now();
    let workMs = 0;
    for (const stream of open) workMs += stream.wants(nowMs, this.#sessionMs).workMs(nowMs, nowMs + DEMAND.loadMs);
    const workers = usableOf(this.#options.pool.workers) + this.#spare;
    return { demand: workMs / DEMAND.loadMs, capacity: this.#model.capacityOf(workers, nowMs) };
  }

  closed({ order, writtenChars }: SpeechStream): void {
    this.#refusal = undefined;
    if (order.chars !== undefined || order.whole || writtenChars === 0) return;
    const saidMs = (writtenChars / (order.speed ?? 1)) * this.msPerChar;
    this.#sessionMs += (saidMs - this.#sessionMs) * DEMAND.sessionWeight;
  }

  /** Measures the share of time in which workers run steps while segments are always queued. */
  watch(queued: number): void {
    const nowMs = this.#clock.now();
    const ready = usableOf(this.#options.pool.serving);
    const busy = this.#busy;
    const goesOn = queued > 0 && busy?.workers === ready;
    if (goesOn && nowMs - busy.sinceMs < SUPPLY.atWorkWindowMs) return;
    if (goesOn) this.#model.sawAtWork(busy.runMs / (ready * (nowMs - busy.sinceMs)));
    this.#busy = { sinceMs: nowMs, workers: ready, runMs: 0 };
  }

  /** The mean round trip to the workers that can be used. */
  get roundTripMs(): number {
    const nowMs = this.#clock.now();
    if (nowMs - this.#roundTripAtMs < SUPPLY.roundTripMs) return this.#roundTripMs;
    this.#roundTripAtMs = nowMs;
    const tripsMs = this.#options.pool.workers.filter(isUsable).map((worker) => worker.roundTripMs ?? 0);
    this.#roundTripMs = tripsMs.reduce((sum, ms) => sum + ms, 0) / Math.max(1, tripsMs.length);
    return this.#roundTripMs;
  }

  get #spare(): number {
    return this.#options.autoscaler?.spare ?? 0;
  }

  /** Workers that are ready, that are starting, and that the autoscaler would start. */
  #supply(stepMs: number): Supply[] {
    const { comingMs, startMs, workers } = this.#options.pool;
    const coming = comingMs.map((fromMs) => ({ workers: 1, fromMs }));
    // The autoscaler starts one half of the rest, and the other half when those are ready.
    const spare = this.#spare;
    const first = comingMs.length > 0 ? 0 : Math.ceil(spare / 2);
    const firstMs = comingMs.length > 0 ? Math.max(...comingMs) : startMs;
    return [
      // Retiring workers count: so do their streams. A step's audio arrives a round trip later.
      { workers: usableOf(workers), fromMs: SUPPLY.begunStep * stepMs + this.roundTripMs },
      ...coming,
      { workers: first, fromMs: firstMs },
      { workers: spare - first, fromMs: firstMs + startMs },
    ];
  }

  /** Most of the workers there can be have work. */
  get #isLoaded(): boolean {
    const { serving } = this.#options.pool;
    const busy = serving.filter((worker) => worker.busy > 0).length;
    const unusable = serving.filter(({ state }) => state === 'ready').length - usableOf(serving);
    return busy >= SUPPLY.loadedShare * (serving.length - unusable + this.#spare);
  }
}
