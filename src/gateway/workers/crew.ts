/** How many workers a gateway has: some always, more while work waits for one, fewer again when they have had nothing to do. */
import type { Logger } from '../../log.js';
import type { BaseModel } from '../../protocol/job.js';
import type { WorkerPool } from './pool.js';
import type { Worker } from './worker.js';

export interface CrewOptions {
  readonly pool: WorkerPool;
  /** Makes a worker, which starts by itself. `models`: those it will be asked for, as far as is known. */
  readonly hire: (number: number, models: readonly BaseModel[]) => Worker;
  /** Those that are always there, and how many there may be. */
  readonly least: number;
  readonly most: number;
  /** Whether the others of the least start when the first one is ready, and not beside it. */
  readonly inTurn?: boolean;
  /** Makes a worker on the CPU, which serves while the first one looks whether a GPU can be used; without it nobody does. */
  readonly standIn?: (number: number) => Worker;
  /** That may be starting at the same time: a start takes a core for as long as it lasts. */
  readonly startsAtOnce: number;
  /** A worker beyond the least goes after so long without a job. */
  readonly idleMs: number;
  /** How many there may be of what was found to run here, asked when one is ready; `most` where absent. */
  readonly mostNow?: () => number;
  readonly log: Logger;
}

export interface Crew {
  /** Workers that would come if they were needed. */
  readonly spare: number;
  /** Brings those that are always there. */
  start(): void;
  /** So many turns wait and no worker has room for them. */
  need(turns: number, models: readonly BaseModel[]): void;
  /** Nobody comes or goes any more. */
  stop(): void;
}

export function createCrew(options: CrewOptions): Crew {
  const { pool, hire, least, most, inTurn = false, startsAtOnce, idleMs, mostNow = () => most, standIn, log } = options;
  /** Those that came for a while, and since when they have had no job. */
  const helpers = new Map<Worker, number | undefined>();
  /** The one that serves until the first worker is ready. */
  let substitute: Worker | undefined;
  let permanent = 0;
  let hired = 0;
  let started = false;
  let stopped = false;
  let watch: NodeJS.Timeout | undefined;

  const spare = (): number => {
    const limit = started ? mostNow() - least : most;
    return Math.max(0, limit - helpers.size);
  };

  /** Lets those go that had nothing to do for long enough, the last to come first where all had. */
  function look(): void {
    const nowMs = performance.now();
    for (const [worker, idleSinceMs] of helpers) {
      if (!worker.idle || worker.state === 'starting') helpers.set(worker, undefined);
      else if (idleSinceMs === undefined) helpers.set(worker, nowMs);
      else if (nowMs - idleSinceMs >= idleMs) dismiss(worker);
    }
    if (helpers.size > 0) return;
    clearInterval(watch);
    watch = undefined;
  }

  function dismiss(worker: Worker): void {
    helpers.delete(worker);
    log.info({ worker: worker.id, workers: permanent + helpers.size }, 'an engine process had nothing to do and ends');
    pool.remove(worker).catch((error: unknown) => log.warn({ err: error }, 'an engine process could not be ended'));
  }

  function bringLeast(): void {
    for (; !stopped && permanent < least; permanent += 1) pool.add(hire(++hired, []));
  }

  /** Brings the others of the least once `first` is ready, and a substitute for as long as it looks at a GPU instead. */
  function watchFirst(first: Worker): void {
    let wasReady = false;
    first.onChange(() => {
      if (stopped) return;
      if (first.trying !== undefined) substituteFor(first);
      const isReady = first.state === 'ready';
      if (isReady && !wasReady) {
        bringLeast();
        giveWayTo(first);
      }
      wasReady = isReady;
    });
  }

  function substituteFor({ id, trying }: Worker): void {
    if (standIn === undefined || substitute !== undefined || pool.state === 'ready') return;
    substitute = standIn(++hired);
    log.info({ worker: id, gpu: trying, substitute: substitute.id }, 'a GPU is looked at; the CPU serves meanwhile');
    pool.add(substitute);
  }

  /** What began on the CPU while the GPU was looked at ends there. */
  function giveWayTo(first: Worker): void {
    if (substitute === undefined) return;
    const gone = [substitute, ...helpers.keys()].filter(
      (worker) => worker === substitute || worker.version !== first.version,
    );
    substitute = undefined;
    for (const worker of gone) {
      helpers.delete(worker);
      log.info({ worker: worker.id, first: first.id, engine: first.description }, 'an engine process gives way');
      pool.retire(worker).then(
        () => log.info({ worker: worker.id }, 'what it began has ended, and it ends'),
        (error: unknown) => log.warn({ err: error }, 'an engine process could not be ended'),
      );
    }
  }

  return {
    get spare() {
      return spare();
    },
    start() {
      if (started || stopped) return;
      started = true;
      if (!inTurn) {
        bringLeast();
        return;
      }
      const first = hire(++hired, []);
      permanent = 1;
      watchFirst(first);
      pool.add(first);
    },
    need(turns, models) {
      if (!started || stopped || pool.state !== 'ready') return;
      const starting = pool.serving.filter(({ state }) => state === 'starting').length;
      // Those that are on their way will take some of it.
      const missing = Math.ceil(turns / 2) - starting;
      const count = Math.min(missing, startsAtOnce - starting, spare());
      for (let i = 0; i < count; i++) {
        const worker = hire(++hired, models);
        helpers.set(worker, undefined);
        log.info(
          { worker: worker.id, workers: permanent + helpers.size, most },
          'work waits: an engine process starts',
        );
        pool.add(worker);
      }
      if (helpers.size > 0) watch ??= setInterval(look, Math.max(10, idleMs / 4)).unref();
    },
    stop() {
      stopped = true;
      clearInterval(watch);
    },
  };
}
