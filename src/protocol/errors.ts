/** The table of errors: HTTP status, WebSocket close code, exit code, and whether to retry. */

export const ERROR_TYPES = [
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'billing_error',
  'rate_limit_error',
  'server_error',
] as const;
type ErrorType = (typeof ERROR_TYPES)[number];

interface ErrorRow {
  readonly status: number;
  readonly type: ErrorType;
  /** Close code of the WebSocket session that ends with this error. */
  readonly close: number;
  /** Exit code of a command that ends with this error. */
  readonly exit: number;
  readonly retryable: boolean;
}

/**
 * Exit codes: 1 failed, 2 usage, 3 server unreachable or broken off, 4 key refused, 5 credits or
 * limits, 6 model missing or broken, 7 no sound device, 8 engine failed, 130 interrupted.
 */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  connection: 3,
  access: 4,
  limits: 5,
  model: 6,
  sound: 7,
  engine: 8,
  interrupted: 130,
} as const;

const row = (status: number, type: ErrorType, close: number, exit: number, retryable = false): ErrorRow => ({
  status,
  type,
  close,
  exit,
  retryable,
});
const invalid = (status = 400, close = 1008) => row(status, 'invalid_request_error', close, EXIT.usage);
const key = row(401, 'authentication_error', 1008, EXIT.access);
const limit = row(429, 'rate_limit_error', 1013, EXIT.limits, true);
const engine = row(500, 'server_error', 1011, EXIT.engine, true);
const busy = (close: number) => row(503, 'server_error', close, EXIT.connection, true);
const model = row(500, 'server_error', 1011, EXIT.model);
const sound = row(500, 'server_error', 1011, EXIT.sound);

const WIRE_ERRORS = {
  // Validation
  invalid_json: invalid(),
  missing_field: invalid(),
  invalid_type: invalid(),
  invalid_value: invalid(),
  empty_input: invalid(),
  input_too_long: invalid(),
  model_not_found: invalid(),
  voice_not_found: invalid(),
  // Access
  missing_api_key: key,
  invalid_api_key: key,
  revoked_api_key: key,
  expired_api_key: key,
  insufficient_credits: row(402, 'billing_error', 1008, EXIT.limits),
  sign_in_required: key,
  invalid_secret: key,
  operator_required: row(403, 'permission_error', 1008, EXIT.access),
  foreign_origin: row(403, 'permission_error', 1008, EXIT.access),
  early_access_required: row(403, 'permission_error', 1008, EXIT.access),
  // HTTP
  not_found: invalid(404),
  key_not_found: row(404, 'invalid_request_error', 1008, EXIT.failed),
  key_revoked: row(409, 'invalid_request_error', 1008, EXIT.failed),
  request_log_off: row(404, 'invalid_request_error', 1008, EXIT.failed),
  jobs_off: row(404, 'invalid_request_error', 1008, EXIT.failed),
  job_without_result: row(409, 'invalid_request_error', 1008, EXIT.failed),
  invalid_range: row(416, 'invalid_request_error', 1008, EXIT.failed),
  method_not_allowed: invalid(405),
  request_timeout: row(408, 'invalid_request_error', 1008, EXIT.connection, true),
  body_too_large: invalid(413),
  unsupported_media_type: invalid(415),
  misdirected_request: invalid(421),
  upgrade_required: invalid(426),
  headers_too_large: invalid(431),
  // Limits
  concurrency_limit_exceeded: limit,
  daily_limit_exceeded: limit,
  job_limit_exceeded: limit,
  too_many_failed_keys: limit,
  // Server
  internal_error: row(500, 'server_error', 1011, EXIT.failed, true),
  synthesis_failed: engine,
  no_worker_ready: busy(1013),
  overloaded: busy(1013),
  store_unavailable: row(503, 'server_error', 1013, EXIT.failed, true),
  shutting_down: busy(1012),
  session_ended: row(503, 'server_error', 1012, EXIT.connection),
  // WebSocket only
  not_initialized: invalid(),
  invalid_message: invalid(),
  invalid_voice_settings: invalid(),
  invalid_ssml: invalid(),
  text_too_long: invalid(),
  inactivity_timeout: row(408, 'invalid_request_error', 1008, EXIT.connection),
  message_too_large: invalid(413, 1009),
} as const satisfies Record<string, ErrorRow>;

/** Errors of commands and models. The wire carries another code in their place. */
const LOCAL_ERRORS = {
  usage: invalid(),
  model_missing: model,
  model_corrupt: model,
  download_failed: row(500, 'server_error', 1011, EXIT.model, true),
  disk_full: model,
  offline: model,
  device_unavailable: row(500, 'server_error', 1011, EXIT.engine),
  catalogue_invalid: model,
  no_sound_device: sound,
  playback_failed: sound,
  connection_failed: row(503, 'server_error', 1011, EXIT.connection, true),
  connection_lost: row(503, 'server_error', 1011, EXIT.connection, true),
  data_dir_locked: row(500, 'server_error', 1011, EXIT.failed),
  data_dir_unusable: row(500, 'server_error', 1011, EXIT.failed),
  config_invalid: row(500, 'server_error', 1011, EXIT.usage),
  output_failed: row(500, 'server_error', 1011, EXIT.failed),
  book_unreadable: row(500, 'server_error', 1011, EXIT.failed),
  listen_failed: row(500, 'server_error', 1011, EXIT.failed),
} as const satisfies Record<string, ErrorRow>;

const ERRORS = { ...WIRE_ERRORS, ...LOCAL_ERRORS };

export type ErrorCode = keyof typeof ERRORS;

export const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[];

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code);

export interface TtsErrorOptions {
  cause?: unknown;
  /** The request field or query parameter at fault. */
  param?: string;
  /** Whole seconds after which a retry makes sense. */
  retryAfterS?: number;
  /** The server's id of the failed request, where a client received one. */
  requestId?: string;
}

/** The only error class that crosses a module boundary. Branch on `code`, never on the message. */
export class TtsError extends Error {
  override readonly name = 'TtsError';
  readonly code: ErrorCode;
  readonly param: string | null;
  readonly retryAfterS: number | undefined;
  readonly requestId: string | undefined;

  constructor(code: ErrorCode, message: string, options: TtsErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.param = options.param ?? null;
    this.retryAfterS = options.retryAfterS;
    this.requestId = options.requestId;
  }

  get row(): ErrorRow {
    return ERRORS[this.code];
  }
}

/** The error for an unknown voice, wherever it was named. */
export const voiceNotFound = (
  there: readonly { readonly id: string }[],
  param = 'voice',
  other?: { readonly id: string; readonly model: string; readonly elsewhere: readonly string[] },
): TtsError => {
  const ids = there.map(({ id }) => id).join(', ');
  const what = other
    ? `${other.model} does not have the voice ${other.id}; ${other.elsewhere.join(' and ')} does. ${other.model} has: `
    : 'There is no such voice. There are: ';
  return new TtsError('voice_not_found', `${what}${ids}.`, { param });
};

/** The error for a text in a script that the voice cannot read. */
export const wrongScript = (
  facts: { readonly voice: string; readonly language: string; readonly fitting: string | undefined },
  param?: string,
): TtsError =>
  new TtsError(
    'empty_input',
    `Nothing of the text can be spoken: it is ${facts.language}, of which the voice ${facts.voice} reads no letter. ` +
      (facts.fitting === undefined ? 'tts voices lists the voices.' : `A voice that fits is ${facts.fitting}.`),
    param === undefined ? {} : { param },
  );

/** `unspoken` describes what a text without anything to speak holds. */
export const nothingSpokenInWords = (unspoken = ''): string =>
  `Nothing of the text can be spoken${unspoken && ` (${unspoken})`}: it holds no word or number.`;

/** The error for a text without anything to speak; `unspoken` describes what it holds. */
export const nothingToSay = (unspoken = '', param?: string): TtsError =>
  new TtsError(
    'empty_input',
    `${nothingSpokenInWords(unspoken)} tts explain shows how a text is read.`,
    param === undefined ? {} : { param },
  );

/** Aborted work is no error to report. */
export const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

/** Everything a key or token can be made of, in one run. */
const RUN = /[A-Za-z0-9_-]+/g;
/**
 * Behind the prefix of a key (ours, the admin secret's, OpenAI's and ElevenLabs'), more characters
 * than the 8 of a public id: a whole key, or enough of one to be worth hiding.
 */
const PREFIXED = /(?<![A-Za-z0-9])(?:tts_|ttsadmin_|sk[-_])([A-Za-z0-9_-]{9,})$/;
/** Without a prefix: tickets, and the keys of other families. */
const MIN_SECRET_CHARS = 24;
const MIXED = /^(?=.*\d)(?=.*[A-Za-z])/;
/** A part of a name: stream, Stream, STREAM, streamInput, v2, mp3, 4o, text2speech, 2026. */
const NAME_PART =
  /^(?:\d{0,8}|\d{1,4}[a-z]{1,2}|[A-Z]+\d{0,4}|[A-Z]?[a-z]+\d{0,4}|[a-z]+\d{1,4}[a-z]+|[A-Z]?[a-z]+(?:[A-Z][a-z]+)+\d{0,4})$/;

/** Words and numbers. 43 random characters never pass; 22 behind a prefix in 3 of a million. */
const isName = (run: string): boolean => run.split(/[-_]/).every((part) => NAME_PART.test(part));

const isSecret = (run: string): boolean => {
  const rest = PREFIXED.exec(run)?.[1];
  if (rest !== undefined) return !isName(rest) || /[a-z][A-Z]/.test(rest);
  return run.length >= MIN_SECRET_CHARS && MIXED.test(run) && !isName(run);
};

/** Masks keys and tokens. Words, however long, and names like `tts_websocket` stay. */
export const maskKeys = (text: string): string => text.replace(RUN, (run) => (isSecret(run) ? '[key]' : run));

/** UTF-16 units that are searched for keys: more than is shown, so that no key is cut. */
const LOOKED_AT_UNITS = 1_024;

/** At most 80 characters of a caller's text for an error message, without keys. */
export function excerpt(text: string, chars = 80): string {
  const points = [...maskKeys(text.slice(0, Math.max(LOOKED_AT_UNITS, chars * 2 + 2)))];
  return points.length > chars ? `${points.slice(0, chars - 1).join('')}…` : points.join('');
}

/** Ends messages whose reason is only in the log. */
export const IN_THE_LOG = 'The request id finds the reason in the log.';

const internalError = (cause: unknown): TtsError =>
  new TtsError('internal_error', `Something went wrong in the server. ${IN_THE_LOG}`, { cause });

/**
 * The error as a client may see it. Messages of our own failures name files, commands and libraries
 * of this machine, so that only their kind is sent.
 */
export function publicError(error: unknown): TtsError {
  if (!(error instanceof TtsError) || error.code === 'internal_error') return internalError(error);
  if (Object.hasOwn(LOCAL_ERRORS, error.code)) {
    if (error.row.status === 503) {
      const message = 'The server cannot take this on at the moment. Try again in a few seconds.';
      return new TtsError('overloaded', message, { cause: error, retryAfterS: 5 });
    }
    if (error.row.exit !== EXIT.model) return internalError(error);
    const message = `The speech engine cannot run. ${IN_THE_LOG}`;
    return new TtsError('synthesis_failed', message, { cause: error });
  }
  // The database's messages name files and hosts. Those for clients have a retry time.
  if (error.code === 'store_unavailable' && error.retryAfterS === undefined) {
    const message = 'The accounts cannot be reached at the moment. Try again in a few seconds.';
    return new TtsError('store_unavailable', message, { cause: error, retryAfterS: 5 });
  }
  if (error.code === 'synthesis_failed') {
    return new TtsError('synthesis_failed', 'The speech engine failed on this text.', { cause: error });
  }
  const { code, param, retryAfterS } = error;
  const message = maskKeys(error.message);
  if (message === error.message && (param === null || maskKeys(param) === param)) return error;
  return new TtsError(code, message, {
    cause: error,
    ...(param !== null && { param: maskKeys(param) }),
    ...(retryAfterS !== undefined && { retryAfterS }),
  });
}

/** Without control characters, which could change the terminal that shows the text. */
export const printable = (text: string): string => text.replace(/[^\P{Cc}\n\t]/gu, '');
