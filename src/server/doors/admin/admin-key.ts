/** A key as the admin interface shows it. */
import type { KeySummary } from '../../../accounts/store.js';
import type { KeyRecord } from '../../../accounts/types.js';
import type { AdminKey } from '../../../protocol/admin.js';

export function adminKey(key: KeyRecord | KeySummary): AdminKey {
  const { id, name, tier, credits, reserved, createdAt, expiresAt, revoked, expired, limits } = key;
  const { rotatedAt, previousEndsAt } = key;
  return {
    id,
    name,
    tier,
    credits,
    reserved,
    created_at: createdAt,
    expires_at: expiresAt,
    revoked,
    expired,
    rotated_at: rotatedAt,
    previous_ends_at: previousEndsAt,
    concurrency: limits.concurrency,
    free_daily: limits.freeDaily,
    ...('today' in key && {
      today: {
        free_requests: key.today.freeRequests,
        free_requests_by_model: key.today.freeRequestsByModel,
        requests: key.today.requests,
        characters: key.today.characters,
        credits: key.today.credits,
      },
    }),
  };
}
