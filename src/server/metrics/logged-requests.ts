/** One row of the request log for each request that ended or was refused; nothing of its text. */
import type { RequestLog } from '../../accounts/requests/request-log.js';
import type { RequestRow } from '../../accounts/store.js';
import { publicError } from '../../protocol/errors.js';
import type { RequestOutcome } from '../../protocol/request-outcome.js';

/** A request as its door knows it; models and voices are names of ours, never a client's words. */
export interface AskedRequest {
  readonly requestId: string;
  readonly keyId: string;
  readonly route: string;
  readonly model?: string | undefined;
  readonly voice?: string | undefined;
  readonly chars?: number | undefined;
  readonly traceId?: string | undefined;
  /** On the clock of `performance.now`. */
  readonly arrivedMs?: number | undefined;
}

/** What became of a request that was admitted. */
export interface EndedRequest {
  readonly outcome: RequestOutcome;
  readonly error?: unknown;
  readonly credits: number;
  readonly audioMs: number;
  readonly firstMs: number | undefined;
  readonly breaks: number;
  readonly workers: readonly string[];
}

const REFUSED: Omit<EndedRequest, 'error'> = {
  outcome: 'refused',
  credits: 0,
  audioMs: 0,
  firstMs: undefined,
  breaks: 0,
  workers: [],
};

export class LoggedRequests {
  readonly #log: Pick<RequestLog, 'add'> | undefined;
  /** Refusals that have their row: an error of the accounts or the gateway comes by here twice. */
  readonly #logged = new WeakSet<object>();

  /** Without a log nothing is kept. */
  constructor(log: Pick<RequestLog, 'add'> | undefined) {
    this.#log = log;
  }

  refused(error: unknown, asked: AskedRequest): void {
    if (this.#log === undefined || this.#isLogged(error)) return;
    if (error instanceof Error) this.#logged.add(error);
    this.ended(asked, { ...REFUSED, error });
  }

  ended(asked: AskedRequest, ended: EndedRequest): void {
    this.#log?.add(rowOf(asked, ended));
  }

  /** `publicError` keeps what it was made of as the cause. */
  #isLogged(error: unknown): boolean {
    return (
      error instanceof Error &&
      (this.#logged.has(error) || (error.cause instanceof Error && this.#isLogged(error.cause)))
    );
  }
}

const rowOf = (asked: AskedRequest, ended: EndedRequest): RequestRow => {
  const { arrivedMs, chars = 0, model = null, voice = null, traceId = null, requestId, keyId, route } = asked;
  const { outcome, error, credits, audioMs, firstMs, breaks, workers } = ended;
  return {
    time: new Date().toISOString(),
    requestId,
    keyId,
    route,
    model,
    voice,
    characters: chars,
    credits,
    audioMs: Math.round(audioMs),
    durationMs: arrivedMs === undefined ? 0 : Math.round(performance.now() - arrivedMs),
    firstAudioMs: firstMs === undefined ? null : Math.round(firstMs),
    breaks,
    outcome,
    error: error === undefined ? null : publicError(error).code,
    worker: workers.length === 0 ? null : workers.join(','),
    traceId,
  };
};
