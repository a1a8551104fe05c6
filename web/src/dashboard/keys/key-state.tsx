/** What a key can do at this moment, in a word. */
import type { AdminKey, AdminStatus } from '../../../../src/protocol/admin.js';
import { freeLimitOf } from '../../../../src/protocol/free-limit.js';
import { BASE_MODELS } from '../../../../src/protocol/job.js';
import { status } from '../state.js';

type Limits = AdminStatus['limits'];

const WORDS = {
  active: 'good',
  'used up today': 'warm',
  'out of credits': 'bad',
  blocked: 'bad',
  expired: 'bad',
  revoked: 'bad',
} as const;
export type KeyState = keyof typeof WORDS;

/** Whether a limit of the key's own shuts it out altogether. */
function isBlocked({ tier, concurrency, free_daily: daily }: AdminKey): boolean {
  const isZero = (limit: AdminKey['concurrency']) =>
    limit !== null && BASE_MODELS.every((model) => freeLimitOf(limit, model) === 0);
  return tier === 'partner' ? concurrency === 0 : isZero(concurrency) || isZero(daily);
}

function isUsedUp({ tier, today, free_daily: own }: AdminKey, limits: Limits | undefined): boolean {
  if (tier !== 'free' || today === undefined) return false;
  return BASE_MODELS.every((model) => {
    const limit = freeLimitOf(own, model) ?? (limits && freeLimitOf(limits.free_daily, model));
    return limit !== undefined && today.free_requests_by_model[model] >= limit;
  });
}

export function stateOf(key: AdminKey, limits = status.value?.limits): KeyState {
  if (key.revoked) return 'revoked';
  if (key.expired) return 'expired';
  if (isBlocked(key)) return 'blocked';
  if (key.tier === 'partner' && key.credits - key.reserved <= 0) return 'out of credits';
  return isUsedUp(key, limits) ? 'used up today' : 'active';
}

const day = (time: string): string => new Date(time).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });

/** The state with what will end it. */
export function KeyStateTag({ of }: { readonly of: AdminKey }) {
  const state = stateOf(of);
  const isOver = of.revoked || of.expired;
  return (
    <>
      <span class={`tag ${WORDS[state]}`}>{state}</span>
      {!isOver && of.expires_at !== null && <small class="note">until {day(of.expires_at)}</small>}
      {!isOver && of.previous_ends_at !== null && (
        <small class="note">old secret until {day(of.previous_ends_at)}</small>
      )}
    </>
  );
}
