/** Errors as OpenAI's clients know them: four fields, their statuses, and whether to try again. */
import type { ErrorCode, TtsError } from '../../../protocol/errors.js';
import type { ErrorShape } from '../../error-handler.js';

interface Theirs {
  readonly status?: number;
  readonly type?: string;
  readonly code?: string | null;
}

const RATE_LIMIT: Theirs = { type: 'requests', code: 'rate_limit_exceeded' };
const WRONG_KEY: Theirs = { type: 'invalid_request_error', code: 'invalid_api_key' };

/** Where theirs differ from the table. */
const THEIRS: Partial<Record<ErrorCode, Theirs>> = {
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
  const theirs = THEIRS[code] ?? {};
  return {
    status: theirs.status ?? row.status,
    body: {
      error: { message, type: theirs.type ?? row.type, param, code: theirs.code === undefined ? code : theirs.code },
    },
    ...(NO_RETRY.has(code) && { headers: { 'x-should-retry': 'false' } }),
  };
};
