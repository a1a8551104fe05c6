/** Credits of jobs: reserved whole before a job is taken, settled once by what was made. */
import { dailyLimit, LOCAL_KEY_ID, needsPartner, refusalOf, shortOf } from '../accounts/access.js';
import { JOBS_HOLDER } from '../accounts/jobs-holder.js';
import type { AccountStore, ReservationRef } from '../accounts/store.js';
import type { JobRow } from '../accounts/tables/job-rows.js';
import type { Accounts, KeyRecord } from '../accounts/types.js';
import { parseModel, type SpeechModel } from '../protocol/contract.js';
import { TtsError } from '../protocol/errors.js';

type ReservedJob = Pick<JobRow, 'reservation_id' | 'id' | 'key_id' | 'model' | 'voice' | 'characters'>;

const refOf = (job: ReservedJob): ReservationRef => ({
  id: job.reservation_id,
  keyId: job.key_id,
  // The ledger's row of a job is found by the job's id.
  requestId: job.id,
  model: job.model,
  voice: job.voice,
});

const isCharged = ({ key_id: keyId, model }: Pick<JobRow, 'key_id' | 'model'>): boolean =>
  keyId !== LOCAL_KEY_ID && !parseModel(model as SpeechModel).free;

export class JobMoney {
  readonly #store: AccountStore;
  readonly #accounts: Pick<Accounts, 'freeDaily'>;
  readonly #freeToo: boolean;

  constructor(store: AccountStore, accounts: Pick<Accounts, 'freeDaily'>, freeToo: boolean) {
    this.#store = store;
    this.#accounts = accounts;
    this.#freeToo = freeToo;
  }

  /** Throws where this key may have no job of this model. */
  check(key: KeyRecord, model: SpeechModel): void {
    const { base, free } = parseModel(model);
    if (!free && key.tier !== 'partner') {
      if (this.#freeToo) throw needsPartner(model);
      throw new TtsError('early_access_required', 'Jobs need a Partner key on this server.');
    }
    if (free && !this.#freeToo) {
      throw new TtsError(
        'early_access_required',
        `Jobs have no Free access on this server; the model ${base} has jobs.`,
        {
          param: 'model',
        },
      );
    }
  }

  /** Throws `insufficient_credits`, `daily_limit_exceeded` or `revoked_api_key`. */
  async reserve(key: KeyRecord, job: ReservedJob): Promise<void> {
    const model = job.model as SpeechModel;
    const { free } = parseModel(model);
    const limit = this.#accounts.freeDaily(key, model);
    const reserved = await this.#store.reserve({
      ...refOf(job),
      characters: job.characters,
      credits: job.characters,
      charged: isCharged(job),
      holder: JOBS_HOLDER,
      ...(free && { free: { limit } }),
    });
    if (reserved.ok) return;
    if (reserved.reason === 'insufficient_credits') throw shortOf(job.characters, reserved.balance);
    if (reserved.reason === 'daily_limit') throw dailyLimit(reserved.nowMs, model, limit);
    throw refusalOf({ ...key, revoked: true })!;
  }

  /** As if it had never been. May be called for a job whose reservation was never made. */
  async drop(job: ReservedJob): Promise<void> {
    await this.#store.drop(refOf(job));
  }

  /** Debits what was made of a completed job, nothing of another. A second call does nothing. */
  async settle(job: JobRow, time: Date): Promise<number> {
    const { outcome, characters, made_characters: made, audio_ms: audioMs } = job;
    const isCompleted = outcome === 'completed';
    const credits = isCompleted && isCharged(job) ? made : 0;
    await this.#store.end(refOf(job), {
      outcome: outcome ?? 'failed',
      time: time.toISOString(),
      audioMs: isCompleted ? audioMs : 0,
      characters: isCompleted ? made : characters,
      deliveredCharacters: isCompleted ? made : 0,
      credits,
    });
    return credits;
  }
}
