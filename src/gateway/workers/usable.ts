/** Which workers a gateway can use, for which models, and why others not: for operators. */
import type { Clock, Timer } from '../../clock.js';
import type { Logger } from '../../log.js';
import { TtsError } from '../../protocol/errors.js';
import { BASE_MODELS, type BaseModel, type SegmentJob } from '../../protocol/job.js';
import { LogBrake } from '../../worker/log-brake.js';
import { PATIENCE, REPORTS } from '../tuning.js';
import type { WorkerPool } from './pool.js';
import { UNUSABLE, type Unusable, type Worker } from './worker.js';

export interface UsableOptions {
  readonly pool: WorkerPool;
  readonly log: Logger;
  readonly clock: Clock;
  /** Version of this gateway's text reading. */
  readonly textVersion?: string;
  /** Whether workers may come that are not in the pool yet; true where absent. */
  readonly expects?: () => boolean;
  /** How long segments wait for a dead worker. */
  readonly deadPatienceMs: number;
}

export interface UnusableWorker {
  readonly id: string;
  readonly reason: Unusable;
  /** Its version of reading text, where that is the reason. */
  readonly textVersion?: string;
}

const { retryAfterS } = PATIENCE;

const isUsableFor = (worker: Worker, model: BaseModel): boolean =>
  worker.state === 'ready' && worker.unusable?.(model) === undefined;

/** Whether it is ready and speaks a model for this gateway. */
export const isUsable = (worker: Worker): boolean => BASE_MODELS.some((model) => isUsableFor(worker, model));

export const noWorker = (model?: BaseModel): TtsError =>
  new TtsError(
    'no_worker_ready',
    `No speech engine is ready${model ? ` for ${model}` : ''}. Try again in ${retryAfterS} seconds.`,
    { retryAfterS },
  );

export class Usable {
  readonly #options: UsableOptions;
  readonly #brake: LogBrake;
  readonly #unsubscribe: () => void;
  #logged = '';
  #soon: Timer | undefined;

  constructor(options: UsableOptions) {
    this.#options = options;
    this.#brake = new LogBrake(options.log, options.clock);
    this.#unsubscribe = options.pool.onChange((restated) => {
      if (restated) this.#soon ??= options.clock.setTimeout(() => this.#report(), REPORTS.usableAfterMs).unref();
    });
  }

  get textVersion(): string {
    return this.#options.textVersion ?? '';
  }

  /** Whether a worker can be used. */
  get any(): boolean {
    return this.#options.pool.workers.some(isUsable);
  }

  /** Workers that are ready and speak the model for this gateway. */
  get counts(): Record<BaseModel, number> {
    const { workers } = this.#options.pool;
    const count = (model: BaseModel) => workers.filter((worker) => isUsableFor(worker, model)).length;
    return Object.fromEntries(BASE_MODELS.map((model) => [model, count(model)])) as Record<BaseModel, number>;
  }

  /** Ready workers that are given nothing. */
  get unusable(): UnusableWorker[] {
    return this.#options.pool.workers.flatMap((worker) => {
      if (worker.state !== 'ready' || isUsable(worker)) return [];
      const { id, textVersion } = worker;
      const [reason] = BASE_MODELS.flatMap((model) => worker.unusable?.(model) ?? []);
      if (reason === undefined) return [];
      return [{ id, reason, ...(reason === 'text_version' && textVersion !== undefined && { textVersion }) }];
    });
  }

  /** How many there are for each reason. */
  get reasons(): Record<Unusable, number> {
    const counts = Object.fromEntries(UNUSABLE.map((reason) => [reason, 0])) as Record<Unusable, number>;
    for (const { reason } of this.unusable) counts[reason] += 1;
    return counts;
  }

  /** What is wrong with the workers; '' where all is well. Public, so without their names. */
  get words(): string {
    const unusable = this.unusable;
    const said: string[] = [];
    for (const reason of new Set(unusable.map((worker) => worker.reason))) {
      const those = unusable.filter((worker) => worker.reason === reason);
      said.push(`Of the workers, ${those.length} cannot be used: ${this.#why(those[0]!)}.`);
    }
    if (!this.any) return said.length === 0 ? 'No speech engine is ready yet.' : said.join(' ');
    const absent = BASE_MODELS.filter((model) => this.counts[model] === 0);
    if (absent.length > 0) said.push(`Nobody speaks ${absent.join(' or ')}.`);
    return said.join(' ');
  }

  /** In words: why a worker is given nothing, by its id. */
  get whys(): Map<string, string> {
    return new Map(this.unusable.map((worker) => [worker.id, this.#why(worker)]));
  }

  /** The reason as it follows a colon. */
  #why({ reason, textVersion = 'unknown' }: UnusableWorker): string {
    const reasons: Record<Unusable, string> = {
      text_version: `text is read another way there (text version ${textVersion}, this gateway's is ${this.textVersion}); --lexicon or the release differs`,
      model: 'it offers none of the models of this gateway',
      styles: 'its voice styles are not those of this gateway; the release of the model differs',
      draining: 'it finishes what it has and stops',
    };
    return reasons[reason];
  }

  /** Throws where no worker can serve an order, and none is coming that may. */
  check(job: Pick<SegmentJob, 'model' | 'mix'>): void {
    const { pool, deadPatienceMs, expects = () => true } = this.#options;
    const may = (worker: Worker): boolean => {
      if (worker.state === 'ready') return worker.takes(job);
      if (worker.unusable?.(job.model) !== undefined) return false;
      return worker.state === 'starting' || (worker.state === 'dead' && pool.deadForMs(worker) <= deadPatienceMs);
    };
    if (pool.workers.length === 0 ? expects() : pool.workers.some(may)) return;
    const fields = { model: job.model, usable: this.counts, reason: this.words };
    this.#brake.write('warn', fields, 'a request was refused: no worker can serve it');
    throw noWorker(job.model);
  }

  /** Whether a worker is starting, or expected. */
  get isComing(): boolean {
    const { pool, expects = () => true } = this.#options;
    return pool.workers.length === 0 ? expects() : pool.workers.some(({ state }) => state === 'starting');
  }

  close(): void {
    this.#soon?.cancel();
    this.#brake.close();
    this.#unsubscribe();
  }

  /** Logs one line when the set of unusable workers changes; draining workers are left out. */
  #report(): void {
    this.#soon = undefined;
    const unusable = this.unusable.filter(({ reason }) => reason !== 'draining');
    const now = unusable.map(({ id, reason }) => `${id} ${reason}`).join();
    if (now === this.#logged) return;
    this.#logged = now;
    const { counts: usable } = this;
    if (unusable.length === 0) this.#brake.write('info', { usable }, 'every worker that is ready can be used');
    else {
      const workers = unusable.slice(0, REPORTS.mostNamed).map((worker) => ({ id: worker.id, why: this.#why(worker) }));
      this.#brake.write('warn', { count: unusable.length, usable, workers }, 'workers cannot be used by this gateway');
    }
  }
}
