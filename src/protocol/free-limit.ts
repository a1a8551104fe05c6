/** Limits of Free access: one number for each `:free` model by itself, or numbers by model. */
import { BASE_MODELS, type BaseModel } from './job.js';

/** Models are named without the suffix `:free`. */
export type FreeLimit = number | Readonly<Record<BaseModel, number>>;
/** A key's own limits; models that are not named have the server's limit. */
export type OwnFreeLimit = number | Readonly<Partial<Record<BaseModel, number>>>;

/** How a limit by model is written in settings, options and forms. */
export const BY_MODEL_EXAMPLE = 'base-tts=100,base-tts-fast=400';

export function freeLimitOf(limit: FreeLimit, model: BaseModel): number;
export function freeLimitOf(limit: OwnFreeLimit | null, model: BaseModel): number | undefined;
export function freeLimitOf(limit: OwnFreeLimit | null, model: BaseModel): number | undefined {
  return limit === null || typeof limit === 'number' ? (limit ?? undefined) : limit[model];
}

/** In the form that `parseFreeLimit` reads. */
export const freeLimitText = (limit: OwnFreeLimit): string =>
  typeof limit === 'number'
    ? String(limit)
    : BASE_MODELS.filter((model) => limit[model] !== undefined)
        .map((model) => `${model}=${limit[model]}`)
        .join(',');

/** The most that a key may be given. */
export const MAX_LIMIT = 1_000_000_000;

const wholeNumber = (raw: unknown, max: number): number | undefined => {
  const number = typeof raw === 'string' && /^\d+$/.test(raw.trim()) ? Number(raw) : raw;
  const isAllowed = Number.isSafeInteger(number) && (number as number) >= 0 && (number as number) <= max;
  return isAllowed ? (number as number) : undefined;
};

/** `[['base-tts', '100'], …]` from a text or an object; undefined for anything else. */
function entriesOf(raw: unknown): (readonly [string, unknown])[] | undefined {
  if (typeof raw === 'object' && raw !== null && !Array.isArray(raw)) return Object.entries(raw);
  if (typeof raw !== 'string') return undefined;
  return raw.split(',').map((part) => {
    const [name = '', ...value] = part.split('=');
    return [name.trim(), value.join('=')];
  });
}

/**
 * Parses `200`, `base-tts=100,base-tts-fast=400` or the same as an object. Undefined for anything
 * else, a model that is named twice, and a number above `max`.
 */
export function parseFreeLimit(raw: unknown, max: number): OwnFreeLimit | undefined {
  const number = wholeNumber(raw, max);
  if (number !== undefined) return number;
  const entries = entriesOf(raw) ?? [];
  const limits: Partial<Record<BaseModel, number>> = {};
  for (const [name, value] of entries) {
    const model = BASE_MODELS.find((known) => known === name);
    const limit = wholeNumber(value, max);
    if (model === undefined || limit === undefined || limits[model] !== undefined) return undefined;
    limits[model] = limit;
  }
  return entries.length > 0 ? limits : undefined;
}

/** What is allowed, to end the sentence "--free-daily must be …". */
export const allowedFreeLimit = (max: number): string =>
  `a whole number from 0 to ${max} for each :free model, or one by model such as ${BY_MODEL_EXAMPLE}`;
