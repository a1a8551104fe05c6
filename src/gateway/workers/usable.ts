/** Which workers are of use to a gateway and for what, and why others are not: for readiness, metrics, the dashboard and the log. */
import type { Logger } from '../../log.js';
import { TtsError } from '../../protocol/errors.js';
import { BASE_MODELS, type BaseModel, type SegmentJob } from '../../protocol/job.js';
import { LogBrake } from '../../worker/log-brake.js';
import type { WorkerPool } from './pool.js';
import { UNUSABLE, type Unusable, type Worker } from './worker.js';

export interface UsableOptions {
  readonly pool: WorkerPool;
  readonly log: Logger;
  /** How this gateway reads text. */
  readonly textVersion?: string;
  /** Whether workers may come that nobody has heard of yet; true where it is left out. */
  readonly expects?: () => boolean;
  /** How long a worker that died is waited for. */
  readonly deadPatienceMs: number;
}

export interface UnusableWorker {
  readonly id: string;
  readonly reason: Unusable;
  /** How it reads text, where that is the reason. */
  readonly textVersion?: string;
}

/** Changes that come together are logged together. */
const LOG_AFTER_MS = 200;
/** Workers that are named in a line of the log. */
const MOST_NAMED = 20;
const RETRY_AFTER_S = 5;

const isUsableFor = (worker: Worker, model: BaseModel): boolean =>
  worker.state === 'ready' && worker.unusable?.(model) === undefined;

/** It is ready, and there is a model that it speaks for this gateway. */
export const isUsable = (worker: Worker): boolean => BASE_MODELS.some((model) => isUsableFor(worker, model));

export const noWorker = (model?: BaseModel): TtsError =>
  new TtsError(
    'no_worker_ready',
    `No speech engine is ready${model ? ` for ${model}` : ''}. Try again in ${RETRY_AFTER_S} seconds.`,
    { retryAfterS: RETRY_AFTER_S },
  );

export class Usable {
  readonly #options: UsableOptions;
  readonly #brake: LogBrake;
  readonly #unsubscribe: () => void;
  #logged = '';
  #soon: NodeJS.Timeout | undefined;

  constructor(options: UsableOptions) {
    this.#options = options;
    this.#brake = new LogBrake(options.log);
    this.#unsubscribe = options.pool.onChange((restated) => {
      if (restated) this.#soon ??= setTimeout(() => this.#tell(), LOG_AFTER_MS).unref();
    });
  }

  get textVersion(): string {
    return this.#options.textVersion ?? '';
  }

  /** Somebody can speak. */
  get any(): boolean {
    return this.#options.pool.workers.some(isUsable);
  }

  /** Workers that are ready and speak the model for this gateway. */
  get counts(): Record<BaseModel, number> {
    const { workers } = this.#options.pool;
    const count = (model: BaseModel) => workers.filter((worker) => isUsableFor(worker, model)).length;
    return Object.fromEntries(BASE_MODELS.map((model) => [model, count(model)])) as Record<BaseModel, number>;
  }

  /** Those that are ready and are given nothing. */
  get unusable(): UnusableWorker[] {
    return this.#options.pool.workers.flatMap((worker) => {
      if (worker.state !== 'ready' || isUsable(worker)) return [];
      const { id, textVersion } = worker;
      const [reason] = BASE_MODELS.flatMap((model) => worker.unusable?.(model) ?? []);
      if (reason === undefined) return [];
      return [{ id, reason, ...(reason === 'text_version' && textVersion !== undefined && { textVersion }) }];
    });
  }

  /** How many of them there are, by why. */
  get reasons(): Record<Unusable, number> {
    const counts = Object.fromEntries(UNUSABLE.map((reason) => [reason, 0])) as Record<Unusable, number>;
    for (const { reason } of this.unusable) counts[reason] += 1;
    return counts;
  }

  /** Why nobody can speak, or what a part of the workers cannot be used for; '' where all is well. For anybody's eyes: no names. */
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

  /** By the ids of those that are given nothing: why, in words. */
  get whys(): Map<string, string> {
    return new Map(this.unusable.map((worker) => [worker.id, this.#why(worker)]));
  }

  /** As it follows a colon. */
  #why({ reason, textVersion = 'unknown' }: UnusableWorker): string {
    const reasons: Record<Unusable, string> = {
      text_version: `text is read another way there (text version ${textVersion}, this gateway's is ${this.textVersion}); --lexicon or the release differs`,
      model: 'it offers none of the models of this gateway',
      styles: 'its voice styles are not those of this gateway; the release of the model differs',
      draining: 'it finishes what it has and stops',
    };
    return reasons[reason];
  }

  /** Throws where nobody can serve an order, and nobody is on the way who may. */
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

  /** Somebody may come who starts at this moment. */
  get isComing(): boolean {
    const { pool, expects = () => true } = this.#options;
    return pool.workers.length === 0 ? expects() : pool.workers.some(({ state }) => state === 'starting');
  }

  close(): void {
    clearTimeout(this.#soon);
    this.#brake.close();
    this.#unsubscribe();
  }

  /** Logs one line when the set of unusable workers changes; draining workers are left out. */
  #tell(): void {
    this.#soon = undefined;
    const unusable = this.unusable.filter(({ reason }) => reason !== 'draining');
    const now = unusable.map(({ id, reason }) => `${id} ${reason}`).join();
    if (now === this.#logged) return;
    this.#logged = now;
    const { counts: usable } = this;
    if (unusable.length === 0) this.#brake.write('info', { usable }, 'every worker that is ready can be used');
    else {
      const workers = unusable.slice(0, MOST_NAMED).map((worker) => ({ id: worker.id, why: this.#why(worker) }));
      this.#brake.write('warn', { count: unusable.length, usable, workers }, 'workers cannot be used by this gateway');
    }
  }
}
