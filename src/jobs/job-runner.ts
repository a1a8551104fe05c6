/** Makes jobs that wait: takes them, keeps their leases, and ends each of them once. */
import { availableParallelism } from 'node:os';
import type { RequestLog } from '../accounts/requests/request-log.js';
import type { AccountStore } from '../accounts/store.js';
import type { JobRow, JobTable } from '../accounts/tables/job-rows.js';
import type { Accounts, Outcome } from '../accounts/types.js';
import type { Clock } from '../clock.js';
import type { Logger } from '../log.js';
import type { SpeechModel } from '../protocol/contract.js';
import { BOOK_STYLE } from '../protocol/delivery/delivery.js';
import { publicError, TtsError } from '../protocol/errors.js';
import { type MadeBook, makeBookAside, ThreadLost } from './book-thread.js';
import type { JobFolder } from './job-folder.js';
import type { JobMoney } from './job-money.js';
import type { JobSpeaker } from './job-speaker.js';
import type { JobProgress, JobResult, KeptOrder } from './order.js';

export interface JobRunnerOptions {
  readonly table: JobTable;
  readonly store: Pick<AccountStore, 'shared'>;
  readonly accounts: Pick<Accounts, 'renew'>;
  readonly money: JobMoney;
  readonly folder: JobFolder;
  readonly speaker: JobSpeaker;
  /** Jobs that are made at the same time; 0 leaves them to other servers. */
  readonly atOnce: number;
  readonly keepMs: number;
  /** What decides how a voice sounds here, besides its text. */
  readonly soundOf: (job: Pick<KeptOrder, 'model' | 'voice'>) => readonly unknown[];
  readonly requestLog?: Pick<RequestLog, 'add'> | undefined;
  readonly log: Logger;
  readonly clock: Clock;
  /** A job has ended. */
  readonly onEnd: () => void;
  /** The same, for the metrics. */
  readonly onEnded?: ((end: { readonly outcome: Outcome; readonly audioMs: number }) => void) | undefined;
}

/** A server that was not heard for this long has lost its jobs. */
const LEASE_MS = 15_000;
const BEAT_MS = 1_000;
/** Sentences at once of one job, for each core; a GPU takes many. */
const PER_CORE = 4;
const MOST_AT_ONCE = 64;
/** A job that took this many servers or threads with it is given up. */
const MAX_EPOCHS = 50;

/** Another attempt goes on where this one broke. */
const isPassing = (error: unknown): boolean =>
  error instanceof ThreadLost ||
  (error instanceof TtsError && ['store_unavailable', 'shutting_down'].includes(error.code));

interface Running {
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #running = new Map<string, Running>();

  constructor(options: JobRunnerOptions) {
    this.#options = options;
  }

  /** Takes jobs while there is room for them. */
  async look(signal: AbortSignal): Promise<void> {
    const { table, folder, atOnce } = this.#options;
    while (!signal.aborted) {
      const runs = this.#running.size < atOnce;
      const job = await table.claim(folder.name, { leaseMs: LEASE_MS, runs });
      if (job === undefined) return;
      if (job.state === 'running') this.#start(job, signal);
      else await this.clearUp(job);
    }
  }

  /** Stops making a job that has been ended elsewhere. */
  stop(id: string): void {
    this.#running.get(id)?.stop.abort(new Error('the job was ended'));
  }

  /** Gives everything back, for other servers or the next start. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#running.values()].map(({ done }) => done));
  }

  /** Decides how a job ends, and settles it; false where that was decided before. */
  async end(
    job: JobRow,
    end: { readonly outcome: 'failed' | 'cancelled'; readonly error?: unknown },
    epoch?: number,
  ): Promise<boolean> {
    const { code, message } = publicError(end.error);
    const error = end.error === undefined ? null : JSON.stringify({ code, message });
    const about = { outcome: end.outcome, made_characters: 0, audio_ms: 0, result: null, error };
    return this.#end(job, about, epoch);
  }

  async #end(job: JobRow, end: Parameters<JobTable['end']>[1], epoch: number | undefined): Promise<boolean> {
    const { table } = this.#options;
    if (!(await table.end(job.id, end, { leaseMs: LEASE_MS, ...(epoch !== undefined && { epoch }) }))) return false;
    await this.#settle({ ...job, ...end, state: 'ending' });
    return true;
  }

  /** Where this breaks off, the server that takes the row next does it again. */
  async #settle(job: JobRow): Promise<void> {
    const { table, money, folder, keepMs, clock, log, onEnd, onEnded } = this.#options;
    const credits = await money.settle(job, new Date(clock.wallMs()));
    const { id: jobId, key_id: keyId, outcome, characters, audio_ms: audioMs } = job;
    const result = job.result === null ? undefined : (JSON.parse(job.result) as JobResult);
    if (job.folder === folder.name) {
      await (result ? folder.keepOnly(jobId, result.file) : folder.remove(jobId)).catch((error: unknown) =>
        log.warn({ err: error, job: jobId }, 'the files of a job could not be removed'),
      );
    }
    await table.settled(jobId, { credits, bytes: result?.bytes ?? 0, keepMs });
    log.info({ job: jobId, keyId, outcome, characters, credits, audioMs }, 'a job ended');
    this.#record(job, credits);
    onEnded?.({ outcome: outcome ?? 'failed', audioMs });
    onEnd();
  }

  /** In the request log, as every request that ended. */
  #record(job: JobRow, credits: number): void {
    const { requestLog, clock } = this.#options;
    const told = job.error === null ? undefined : (JSON.parse(job.error) as { code: string });
    requestLog?.add({
      time: new Date(clock.wallMs()).toISOString(),
      requestId: job.id,
      keyId: job.key_id,
      route: 'job',
      model: job.model,
      voice: job.voice,
      characters: job.characters,
      credits,
      audioMs: job.audio_ms,
      durationMs: Math.max(0, Math.round(clock.wallMs() - job.created_ms)),
      firstAudioMs: null,
      breaks: 0,
      outcome: job.outcome ?? 'failed',
      error: told?.code ?? null,
      worker: null,
      traceId: null,
    });
  }

  /** A row that a server left between two steps. */
  async clearUp(job: JobRow): Promise<void> {
    const { table, money, folder } = this.#options;
    if (job.state === 'ending') return this.#settle(job);
    await money.drop(job);
    await table.remove(job.id);
    await folder.remove(job.id);
  }

  #start(job: JobRow, signal: AbortSignal): void {
    const stop = new AbortController();
    const done = this.#run(job, stop, signal)
      .catch((error: unknown) => this.#options.log.error({ err: error, job: job.id }, 'a job could not be ended yet'))
      .finally(() => this.#running.delete(job.id));
    this.#running.set(job.id, { stop, done });
  }

  async #run(job: JobRow, stop: AbortController, outer: AbortSignal): Promise<void> {
    const { table, folder, log } = this.#options;
    const order = JSON.parse(job.speech) as KeptOrder;
    const signal = AbortSignal.any([stop.signal, outer]);
    const output = folder.resultOf(job.id, job.epoch, order.format);
    log.info({ job: job.id, keyId: job.key_id, characters: job.characters, epoch: job.epoch }, 'a job is being made');
    try {
      const made = await this.#make(job, order, output.path, stop, signal);
      const result: JobResult = { file: output.file, bytes: await folder.sizeOf(job.id, output.file) };
      const end = { outcome: 'completed', error: null, result: JSON.stringify(result) } as const;
      const told = { ...end, made_characters: made.characters, audio_ms: Math.round(made.audioMs) };
      // The job was cancelled meanwhile, and the cancellation removes its files.
      await this.#end(job, told, job.epoch);
    } catch (error) {
      if (outer.aborted) await table.release(job.id, job.epoch);
      else if (stop.signal.aborted) return;
      else if (isPassing(error) && job.epoch < MAX_EPOCHS) {
        log.error({ err: error, job: job.id }, 'a job broke off, and is begun again');
        await table.release(job.id, job.epoch);
      } else {
        log.error({ err: error, job: job.id }, 'a job failed');
        await this.end(job, { outcome: 'failed', error }, job.epoch);
      }
    }
  }

  async #make(
    job: JobRow,
    order: KeptOrder,
    output: string,
    stop: AbortController,
    signal: AbortSignal,
  ): Promise<MadeBook> {
    const { folder, speaker, soundOf, accounts, clock } = this.#options;
    if (job.epoch > MAX_EPOCHS) throw new Error('the job broke off too often');
    await accounts.renew({ id: job.key_id });
    const { source, notes, skipBroken, voice, language, speed, range } = order;
    const startedMs = clock.now();
    let progress: JobProgress = { characters: 0, audioMs: 0, chapter: null, leftMs: null };
    const beating = this.#beat(job, stop, () => progress);
    try {
      return await makeBookAside(
        {
          type: 'make',
          file: folder.sourceOf(job.id, source),
          notes,
          skipBroken,
          chapters: range,
          speaker: { voice, language },
          speed,
          sound: [order.model, voice, speed, BOOK_STYLE, ...soundOf(order)],
          inFlight: Math.min(MOST_AT_ONCE, PER_CORE * availableParallelism()),
          keepIn: folder.sentencesOf(job.id),
          output,
        },
        {
          speak: (sentence) => {
            const spoken = { id: job.id, keyId: job.key_id, model: job.model as SpeechModel, voice, language, speed };
            return speaker.speak(spoken, sentence, signal);
          },
          progress: ({ newCharacters, ...told }) => {
            const left = job.characters - told.characters;
            const leftMs = newCharacters === 0 ? null : ((clock.now() - startedMs) * left) / newCharacters;
            progress = { ...told, leftMs: leftMs === null ? null : Math.round(leftMs) };
          },
        },
        signal,
      );
    } finally {
      beating.cancel();
    }
  }

  /** Signs of life; the job stops where it was taken away, or its key is not let in any more. */
  #beat(job: JobRow, stop: AbortController, progress: () => JobProgress) {
    const { table, accounts, clock, log } = this.#options;
    let heardMs = clock.now();
    let isBusy = false;
    const beat = async () => {
      const askedMs = clock.now();
      const told = { leaseMs: LEASE_MS, progress: JSON.stringify(progress()) };
      if (!(await table.beat(job.id, job.epoch, told))) {
        stop.abort(new Error('the job is not held any more'));
        return;
      }
      heardMs = askedMs;
      await accounts.renew({ id: job.key_id }).catch(async (error: unknown) => {
        if (publicError(error).row.status !== 401) return;
        stop.abort(error);
        await this.end(job, { outcome: 'failed', error }, job.epoch);
      });
    };
    return clock.setInterval(() => {
      if (isBusy) return;
      isBusy = true;
      beat()
        .catch((error: unknown) => {
          log.warn({ err: error, job: job.id }, 'a job could not be kept alive');
          // Another server may have taken it by now.
          if (clock.now() - heardMs > LEASE_MS) stop.abort(error);
        })
        .finally(() => {
          isBusy = false;
        });
    }, BEAT_MS);
  }
}
