/** Failures of requests and connections as a TtsError, in the server's words where it sent any. */
import { type ErrorCode, isErrorCode, printable, TtsError } from '../protocol/errors.js';

const BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid_value',
  401: 'invalid_api_key',
  402: 'insufficient_credits',
  403: 'early_access_required',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  413: 'body_too_large',
  415: 'unsupported_media_type',
  426: 'upgrade_required',
  429: 'concurrency_limit_exceeded',
  503: 'overloaded',
};

export interface FailedResponse {
  readonly status: number;
  readonly body: string;
  readonly requestId: string | undefined;
  readonly retryAfter: string | undefined;
}

/** The error of a non-2xx response. Where its body is of another kind, the status decides. */
export function errorOfResponse({ status, body, requestId, retryAfter }: FailedResponse): TtsError {
  const sent = errorField(body);
  const code =
    sent?.code && isErrorCode(sent.code)
      ? sent.code
      : (BY_STATUS[status] ?? (status >= 500 ? 'internal_error' : 'invalid_value'));
  const seconds = retryAfter && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined;
  const message = sent?.message || `The server answered ${status} without saying why.`;
  return new TtsError(code, withAdvice(code, message, seconds), {
    ...(sent?.param ? { param: sent.param } : {}),
    ...(requestId ? { requestId } : {}),
    ...(seconds === undefined ? {} : { retryAfterS: seconds }),
  });
}

function errorField(body: string): { code?: string; message?: string; param?: string } | undefined {
  try {
    const data: unknown = JSON.parse(body);
    const { error: ours, detail } = (data ?? {}) as { error?: unknown; detail?: unknown };
    // As ElevenLabs' dialect has it, which is used for other speeds.
    const error = ours ?? detail;
    if (typeof error !== 'object' || error === null) return undefined;
    const text = (key: string) => {
      const value = (error as Record<string, unknown>)[key];
      return typeof value === 'string' ? { [key]: printable(value) } : {};
    };
    return { ...text('code'), ...text('message'), ...text('param') };
  } catch {
    // No JSON, perhaps the page of a proxy: the status says enough.
    return undefined;
  }
}

/** Adds advice for a person at the command line to a server's message. */
function withAdvice(code: ErrorCode, message: string, retryAfterS: number | undefined): string {
  switch (code) {
    case 'missing_api_key':
      return `${message} Pass one with TTS_API_KEY or --api-key-file FILE.`;
    case 'concurrency_limit_exceeded':
    case 'daily_limit_exceeded':
    case 'overloaded':
    case 'store_unavailable':
    case 'no_worker_ready':
      return retryAfterS === undefined ? message : `${message} Try again in ${inWords(retryAfterS)}.`;
    default:
      return message;
  }
}

const inWords = (seconds: number): string =>
  seconds < 120
    ? `${seconds} s`
    : seconds < 7200
      ? `${Math.ceil(seconds / 60)} minutes`
      : `${Math.ceil(seconds / 3600)} hours`;

/** The error of a connection that was not made, or that ended before an answer. */
export function errorOfConnecting(cause: unknown, url: URL): TtsError {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    return connectionLost(`${url.origin} hung up before it answered.`, undefined, cause);
  }
  const reasons: Record<string, string> = {
    ECONNREFUSED: 'nothing is listening there',
    ENOTFOUND: 'the name is unknown',
    EAI_AGAIN: 'the name could not be looked up',
    ETIMEDOUT: 'it did not answer',
    EHOSTUNREACH: 'there is no way to it',
    ENETUNREACH: 'there is no network to it',
    CERT_HAS_EXPIRED: 'its certificate has expired',
    DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is its own: name it in NODE_EXTRA_CA_CERTS to trust it',
    SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is its own: name it in NODE_EXTRA_CA_CERTS to trust it',
  };
  const reason = (code && reasons[code]) || (cause instanceof Error ? cause.message : String(cause)) || code;
  return new TtsError(
    'connection_failed',
    `No connection to ${url.origin}: ${reason}. Is the server running (tts serve) and --server right?`,
    { cause },
  );
}

export function connectionLost(detail: string, requestId?: string, cause?: unknown): TtsError {
  return new TtsError('connection_lost', detail, {
    ...(requestId ? { requestId } : {}),
    ...(cause === undefined ? {} : { cause }),
  });
}

/** A server without the dialect that has a speed answers 404; says what that means. */
export const orOneDelivery = (error: unknown, door: string): unknown =>
  error instanceof TtsError && error.code === 'not_found'
    ? new TtsError(
        'not_found',
        `This server speaks at one speed and in one style only: it has no ${door}. Leave --speed and --style out, or speak without --server.`,
        { cause: error },
      )
    : error;
