/** Errors as ElevenLabs' clients know them: one `detail`, a list where fields are wrong. */
import type { ErrorCode } from '../../../protocol/errors.js';
import type { ErrorShape } from '../../error-handler.js';

interface Theirs {
  readonly status?: number;
  readonly code?: string;
}

/** Where theirs differ from the table. */
const THEIRS: Partial<Record<ErrorCode, Theirs>> = {
  missing_api_key: { code: 'needs_authorization' },
  revoked_api_key: { code: 'invalid_api_key' },
  expired_api_key: { code: 'invalid_api_key' },
  insufficient_credits: { status: 401, code: 'quota_exceeded' },
  input_too_long: { code: 'max_character_limit_exceeded' },
  voice_not_found: { status: 404 },
  concurrency_limit_exceeded: { code: 'too_many_concurrent_requests' },
  daily_limit_exceeded: { code: 'quota_exceeded' },
  overloaded: { code: 'system_busy' },
  no_worker_ready: { code: 'system_busy' },
};

/** Codes of missing and wrong fields, which are 422 with the place of the field. */
const FIELDS: ReadonlySet<ErrorCode> = new Set(['missing_field', 'invalid_type', 'invalid_value', 'empty_input']);

export const elevenlabsError: ErrorShape = ({ code, message, param, row }, requestId) => {
  if (FIELDS.has(code)) {
    const where = param === 'output_format' ? 'query' : 'body';
    const loc = param === null ? [where] : [where, param];
    return { status: 422, body: { detail: [{ type: code, loc, msg: message }] } };
  }
  const theirs = THEIRS[code] ?? {};
  const status = theirs.code ?? code;
  return {
    status: theirs.status ?? row.status,
    body: { detail: { type: row.type, code: status, status, message, param, request_id: requestId } },
  };
};
