/** Jobs as the server sees them: taken with a source, looked at, fetched, cancelled. */
import { randomUUID } from 'node:crypto';
import type { ReadStream } from 'node:fs';
import type { AccountStore } from '../accounts/store.js';
import type { JobRow, JobTable, JobTotals } from '../accounts/tables/job-rows.js';
import type { Accounts, KeyRecord } from '../accounts/types.js';
import { type Clock, systemClock, type Timer } from '../clock.js';
import type { Logger } from '../log.js';
import type { VoiceCatalogue } from '../models/catalogue.js';
import { DEFAULT_VOICE, parseModel } from '../protocol/contract.js';
import { TtsError, wrongScript } from '../protocol/errors.js';
import { LANGUAGE_CODES, LANGUAGE_NAMES } from '../protocol/languages.js';
import { unreadableLanguage } from '../text/detect-language.js';
import { readInTime } from './book-thread.js';
import { JobFolder } from './job-folder.js';
import { newJobId } from './job-id.js';
import { type JobLimits, refusalOf } from './job-limits.js';
import { JobMoney } from './job-money.js';
import { JobRunner, type JobRunnerOptions } from './job-runner.js';
import { estimatedBytes, type JobSource } from './job-source.js';
import { JobSpeaker, type JobSpeakerOptions } from './job-speaker.js';
import { jobView, resultOf } from './job-view.js';
import type { BookFacts, JobOrder, KeptOrder } from './order.js';
import { Turns } from './turns.js';
import { Upkeep } from './upkeep.js';
import { Deliveries } from './webhook/deliveries.js';
import { checkWebhookUrl, drawSecret } from './webhook/webhook.js';

export interface JobsOptions
  extends Omit<JobSpeakerOptions, 'clock'>,
    Pick<JobRunnerOptions, 'soundOf' | 'requestLog' | 'onEnded'> {
  readonly store: AccountStore;
  readonly accounts: Accounts;
  readonly catalogue: Pick<VoiceCatalogue, 'speaker' | 'fitting'>;
  /** Folder of all jobs. */
  readonly dir: string;
  readonly limits: JobLimits;
  readonly log: Logger;
  readonly clock?: Clock;
  readonly webhookRetriesMs?: readonly number[];
}

const LOOK_MS = 1_000;
/** A job whose credits are not reserved after this time is cleared up. */
const NEW_MS = 60_000;
/** Books that are read at the same time. */
const READERS = 2;

export class Jobs {
  readonly limits: JobLimits;
  readonly #options: JobsOptions;
  readonly #table: JobTable;
  readonly #money: JobMoney;
  readonly #folder: JobFolder;
  readonly #runner: JobRunner;
  readonly #deliveries: Deliveries;
  readonly #upkeep: Upkeep;
  readonly #readers = new Turns(READERS);
  readonly #stop = new AbortController();
  /** Sources that are being received, by key. */
  readonly #receiving = new Map<string, number>();
  #timer: Timer | undefined;
  #looking: Promise<void> | undefined;
  #lookAgain = false;

  private constructor(options: JobsOptions, folder: JobFolder) {
    const { store, accounts, limits, log, clock = systemClock, webhookRetriesMs } = options;
    this.limits = limits;
    this.#options = options;
    this.#table = store.jobs;
    this.#folder = folder;
    this.#money = new JobMoney(store, accounts, limits.freeToo);
    const { keepMs, atOnce, privateWebhooks } = limits;
    const shared = { ...options, table: store.jobs, money: this.#money, folder, keepMs, clock };
    this.#runner = new JobRunner({
      ...shared,
      atOnce,
      speaker: new JobSpeaker({ ...options, clock }),
      onEnd: () => this.#nudge(),
    });
    this.#deliveries = new Deliveries({
      ...shared,
      log,
      privateToo: privateWebhooks,
      about: jobView,
      ...(webhookRetriesMs && { retriesMs: webhookRetriesMs }),
    });
    this.#upkeep = new Upkeep({
      ...shared,
      log,
      endAbandoned: (job) => this.#endAbandoned(job),
      drop: (left) => store.drop(left),
    });
  }

  /** Takes up what an earlier server left; jobs are made from now on. */
  static async open(options: JobsOptions): Promise<Jobs> {
    const { store, clock = systemClock, dir } = options;
    const jobs = new Jobs(options, await JobFolder.open(dir));
    if (!store.shared) await store.jobs.releaseAll();
    jobs.#timer = clock.setInterval(() => jobs.#nudge(), LOOK_MS).unref();
    jobs.#nudge();
    return jobs;
  }

  /** Throws where the key may have no further job, before its source is received. */
  async accepts(key: KeyRecord): Promise<void> {
    if (key.tier !== 'partner') this.#money.check(key, this.limits.freeToo ? 'base-tts:free' : 'base-tts');
    const { open, bytes } = await this.#table.sums(key.id);
    if (open + (this.#receiving.get(key.id) ?? 0) >= this.limits.perKey) throw refusalOf('too_many', this.limits);
    if (bytes >= this.limits.bytesPerKey) throw refusalOf('no_room', this.limits);
  }

  /** Counts a source that is being received; the result ends that, and removes one left behind. */
  receive(key: KeyRecord, name: string): { id: string; path: string; end(isTaken: boolean): Promise<void> } {
    const id = newJobId();
    const count = (by: number) => this.#receiving.set(key.id, (this.#receiving.get(key.id) ?? 0) + by);
    count(1);
    return {
      id,
      path: this.#folder.begin(id, name),
      end: async (isTaken) => {
        count(-1);
        if (this.#receiving.get(key.id) === 0) this.#receiving.delete(key.id);
        if (!isTaken) await this.#folder.remove(id);
      },
    };
  }

  /** Reads the source, reserves what it costs, and queues it. */
  async submit(key: KeyRecord, order: JobOrder, source: JobSource, signal: AbortSignal): Promise<JobRow> {
    const { privateWebhooks: privateToo, perKey, bytesPerKey } = this.limits;
    this.#money.check(key, order.model);
    if (order.webhook) checkWebhookUrl(order.webhook.url, { privateToo });
    const { sample, characters, ...facts } = await this.#read(order, source, signal);
    const { webhook, voice: _voice, chapters: range, ...rest } = order;
    const kept: KeptOrder = { ...rest, ...facts, range, source: source.name };
    const job = {
      id: source.id,
      key_id: key.id,
      reservation_id: randomUUID(),
      folder: this.#folder.name,
      speech: JSON.stringify(kept),
      model: order.model,
      voice: facts.voice,
      characters,
      bytes: source.bytes + estimatedBytes(order, characters),
      webhook_url: webhook?.url ?? null,
      webhook_secret: webhook ? (webhook.secret ?? drawSecret()) : null,
    };
    if (job.bytes > bytesPerKey) {
      const mb = Math.ceil(job.bytes / 1_000_000);
      const message = `This needs about ${mb} MB on the disk, and all jobs of a key have ${bytesPerKey / 1_000_000}. Order fewer chapters.`;
      throw new TtsError('input_too_long', message, { param: 'input' });
    }
    const added = await this.#table.add(job, { jobs: perKey, bytes: bytesPerKey, leaseMs: NEW_MS });
    if (added !== 'added') throw refusalOf(added, this.limits);
    try {
      await this.#money.reserve(key, job);
    } catch (error) {
      // Where the store is away, the row is cleared up later.
      await this.#money
        .drop(job)
        .then(() => this.#table.remove(job.id))
        .catch(() => undefined);
      throw error;
    }
    if (!(await this.#table.queue(job.id))) {
      await this.#money.drop(job);
      throw new TtsError('store_unavailable', 'The job could not be kept in time. Order it again.', { retryAfterS: 5 });
    }
    this.#nudge();
    return (await this.find(job.id, key.id))!;
  }

  /** Of one key, where one is named; throws `not_found`. */
  async find(id: string, keyId?: string): Promise<JobRow> {
    const job = await this.#table.find(id);
    if (job !== undefined && (keyId === undefined || job.key_id === keyId)) return job;
    throw new TtsError('not_found', 'There is no such job of this key; ended ones are removed after a while.');
  }

  /** Jobs that wait and that are made, and what the files of all of them take. */
  totals(): Promise<JobTotals> {
    return this.#table.totals(this.#folder.name);
  }

  list(filter: Parameters<JobTable['list']>[0]): Promise<JobRow[]> {
    return this.#table.list(filter);
  }

  /** One that has ended stays as it is. */
  async cancel(id: string, keyId?: string): Promise<JobRow> {
    const job = await this.find(id, keyId);
    if (await this.#runner.end(job, { outcome: 'cancelled' })) this.#runner.stop(id);
    return this.find(id, keyId);
  }

  /** The file of a completed job, and how to read it. */
  async result(job: JobRow): Promise<{
    readonly bytes: number;
    read(range?: { readonly start: number; readonly end: number }): Promise<ReadStream>;
  }> {
    const result = resultOf(job);
    if (result === undefined) {
      const status = jobView(job).status;
      const why = status === 'completed' ? 'Its result was removed.' : `It is ${status}.`;
      throw new TtsError('job_without_result', `This job has no result. ${why}`);
    }
    return {
      bytes: result.bytes,
      read: async (range) => {
        const stream = await this.#folder.read(job.id, result.file, range);
        if (stream !== undefined) return stream;
        const message = 'The result lies with another gateway. Gateways of one database share a folder: --jobs-dir.';
        throw new TtsError('job_without_result', message);
      },
    };
  }

  async removeResult(id: string, keyId?: string): Promise<void> {
    const job = await this.find(id, keyId);
    if (job.state !== 'ended') throw new TtsError('job_without_result', 'This job has not ended: cancel it instead.');
    await this.#table.forgetResult(id);
    await this.#folder.remove(id);
  }

  /** Gives running jobs back, to be made by other servers or after the next start. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('the server stops'));
    this.#timer?.cancel();
    await this.#looking;
    await Promise.all([this.#runner.settled(), this.#deliveries.settled()]);
  }

  async #read(order: JobOrder, { id, name }: JobSource, signal: AbortSignal): Promise<BookFacts> {
    const { catalogue } = this.#options;
    const { base: model } = parseModel(order.model);
    const { voice: asked, notes, skipBroken, chapters } = order;
    const speakerOf = ({ voice, language }: ReturnType<VoiceCatalogue['speaker']>) => ({ voice: voice.id, language });
    const voice = speakerOf(catalogue.speaker(model, asked ?? DEFAULT_VOICE));
    const fitting = LANGUAGE_CODES.flatMap((code) => {
      const found = code === voice.language.slice(0, 2) ? undefined : catalogue.fitting(code, { model });
      return found ? [[code, speakerOf(found)] as const] : [];
    });
    const voices = asked === undefined ? Object.fromEntries(fitting) : {};
    const file = this.#folder.sourceOf(id, name);
    const task = { type: 'read', file, notes, skipBroken, chapters, voice, voices } as const;
    const facts = await this.#readers.run(() => readInTime(task, AbortSignal.any([signal, this.#stop.signal])));
    const other = unreadableLanguage(facts.sample, facts.language);
    if (other !== undefined) {
      const names = {
        voice: facts.voice,
        language: LANGUAGE_NAMES[other],
        fitting: catalogue.fitting(other)?.voice.id,
      };
      throw wrongScript(names, 'input');
    }
    return facts;
  }

  async #endAbandoned(job: JobRow): Promise<void> {
    const error = new TtsError('session_ended', 'The server that held the files of this job is gone.');
    if (job.state === 'queued' || job.state === 'running') await this.#runner.end(job, { outcome: 'failed', error });
    else await this.#runner.clearUp(job);
  }

  /** Looks for work now; looks follow one another. */
  #nudge(): void {
    this.#lookAgain = true;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
  }

  async #look(): Promise<void> {
    const { signal } = this.#stop;
    while (this.#lookAgain && !signal.aborted) {
      this.#lookAgain = false;
      try {
        await this.#runner.look(signal);
        await this.#deliveries.look(signal);
        await this.#upkeep.look();
      } catch (error) {
        this.#options.log.warn({ err: error }, 'jobs could not be looked for');
        return;
      }
    }
  }
}
