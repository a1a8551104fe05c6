/** Errors as OpenAI's clients know them: four fields, their statuses, and whether a client should try again. */
import type { ErrorCode, TtsError } from '../../../protocol/errors.js';
import type { ErrorShape } from '../../error-handler.js';

interface Told {
  readonly status?: number;
  readonly type?: string;
  readonly code?: string | null;
}

const RATE_LIMIT: Told = { type: 'requests', code: 'rate_limit_exceeded' };
const WRONG_KEY: Told = { type: 'invalid_request_error', code: 'invalid_api_key' };

/** Where theirs differ from the table. */
const THEIRS: Partial<Record<ErrorCode, Told>> = {
  missing_api_key: { type: 'invalid_request_error', code: null },
  invalid_api_key: WRONG_KEY,
  revoked_api_key: WRONG_KEY,
  expired_api_key: WRONG_KEY,
  early_access_required: { type: 'invalid_request_error' },
  insufficient_credits: { status: 429, type: 'insufficient_quota', code: 'insufficient_quota' },
  model_not_found: { status: 404 },
  concurrency_limit_exceeded: RATE_LIMIT,
  daily_limit_exceeded: RATE_LIMIT,
  too_many_failed_keys: RATE_LIMIT,
};

/** Their statuses ask for a retry, but a moment later is no better. */
const NO_RETRY: ReadonlySet<ErrorCode> = new Set(['insufficient_credits', 'daily_limit_exceeded']);

export const openaiError: ErrorShape = ({ code, message, param, row }: TtsError) => {
  const told = THEIRS[code] ?? {};
  return {
    status: told.status ?? row.status,
    body: {
      error: { message, type: told.type ?? row.type, param, code: told.code === undefined ? code : told.code },
    },
    ...(NO_RETRY.has(code) && { headers: { 'x-should-retry': 'false' } }),
  };
};
