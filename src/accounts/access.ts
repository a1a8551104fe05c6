/** What a key may do now: which limits hold for it, and the words in which it is refused. */
import type { SpeechModel } from '../protocol/contract.js';
import { TtsError } from '../protocol/errors.js';
import { freeLimitOf } from '../protocol/free-limit.js';
import type { BaseModel } from '../protocol/job.js';
import { SLOT_RETRY_S } from './tuning.js';
import type { CallerKey, KeyRecord, Limits } from './types.js';

/** The key of the server's own machine, which has no row in the store. */
export const LOCAL_KEY_ID = 'local';

const DAY_MS = 86_400_000;

const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`;

/** To the end of the UTC day. */
export const secondsToMidnight = (nowMs: number): number => Math.ceil((DAY_MS - (nowMs % DAY_MS)) / 1000);

/**
 * Why a key is not let in, undefined being a key that is not stored; undefined where it is let in.
 */
export function refusalOf(key: KeyRecord | undefined): TtsError | undefined {
  if (key === undefined) {
    return new TtsError(
      'invalid_api_key',
      'This API key is not known here. "tts keys list" on the server shows the ids.',
    );
  }
  if (key.revoked) return new TtsError('revoked_api_key', `The API key ${key.id} was revoked.`);
  if (key.expired) return new TtsError('expired_api_key', `The API key ${key.id} expired at ${key.expiresAt}.`);
  return undefined;
}

/** Why a secret of a key is not let in any more; undefined where it is. */
export function replacedSecret(key: KeyRecord, { rotations }: Pick<CallerKey, 'rotations'>): TtsError | undefined {
  const oldest = key.rotations - (key.previousEndsAt === null ? 0 : 1);
  if (rotations >= oldest) return undefined;
  return new TtsError('revoked_api_key', `This secret of the API key ${key.id} was replaced by another one.`);
}

/** Requests a day on one `:free` model. */
export const freeDailyOf = (limits: Limits, key: KeyRecord, base: BaseModel): number =>
  freeLimitOf(key.limits.freeDaily, base) ?? freeLimitOf(limits.freeDaily, base);

/**
 * Sessions at once: with Free access on one model, with Partner access on all; undefined where any
 * number may run.
 */
export function sessionsOf(limits: Limits, key: KeyRecord, base: BaseModel, free: boolean): number | undefined {
  const { concurrency } = key.limits;
  if (free) return freeLimitOf(concurrency, base) ?? freeLimitOf(limits.freeConcurrency, base);
  if (typeof concurrency === 'number') return concurrency;
  return key.id === LOCAL_KEY_ID ? undefined : limits.partnerConcurrency;
}

export const needsPartner = (model: SpeechModel): TtsError =>
  new TtsError(
    'early_access_required',
    `The model ${model} needs a Partner key; a Free key like this one speaks with ${model}:free over POST /v1/audio/speech.`,
    { param: 'model' },
  );

export const shortOf = (chars: number, balance: number): TtsError =>
  new TtsError(
    'insufficient_credits',
    `This needs ${count(Math.max(1, chars), 'credit')} (1 per character) and the key has ${balance} free.`,
  );

export const dailyLimit = (nowMs: number, model: SpeechModel, limit: number): TtsError =>
  new TtsError(
    'daily_limit_exceeded',
    `This key has used its ${count(limit, 'request')} of today on ${model}. The count begins again at 00:00 UTC.`,
    { retryAfterS: secondsToMidnight(nowMs) },
  );

export function noSlot(model: SpeechModel, free: boolean, limit: number): TtsError {
  const [where, access] = free ? [` on ${model}`, 'Free'] : ['', 'Partner'];
  return new TtsError(
    'concurrency_limit_exceeded',
    `This key already has ${count(limit, 'session')} running${where}, which is the limit of ${access} access. Wait for one to end.`,
    { retryAfterS: SLOT_RETRY_S },
  );
}
