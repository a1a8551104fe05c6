/** What an accepted request holds until it ends: a place in the gateway, its reservation, room. */
import { randomUUID } from 'node:crypto';
import type { Admission, KeyRecord, Outcome } from '../../accounts/types.js';
import type { SpokenText } from '../../gateway/spoken-text.js';
import type { Logger } from '../../log.js';
import type { SpeechModel } from '../../protocol/contract.js';
import { publicError, type TtsError } from '../../protocol/errors.js';
import type { TraceSpan } from '../../trace.js';
import type { RecentFailures } from '../access/recent-failures.js';
import type { AskedRequest, LoggedRequests } from '../metrics/logged-requests.js';
import type { Metrics } from '../metrics/metrics.js';
import type { HeldAnswer } from './held-answer.js';
import type { PermitRequest } from './speech-order.js';

/** How the work of a permit ended. */
export interface WorkEnd {
  /** `refused` is as if the request had never been accepted: no ledger row, no count. */
  readonly outcome: Outcome | 'refused';
  readonly audioMs: number;
  /** Characters of segments whose audio was handed to the socket whole. */
  readonly deliveredChars: number;
  /** The client left or broke the rules. */
  readonly byClient: boolean;
  /** Why the work failed or was refused. */
  readonly error?: unknown;
}

/** Work in progress, as the operator sees it. */
export interface LiveWork {
  readonly id: string;
  readonly requestId: string;
  readonly keyId: string;
  readonly route: string;
  readonly model: SpeechModel;
  readonly voice: string;
  readonly startedAt: string;
  readonly chars: number;
  readonly firstAudioMs: number | undefined;
}

export interface PermitParts {
  readonly admission: Admission;
  readonly text: SpokenText;
  readonly held: HeldAnswer | undefined;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly failures: RecentFailures;
  readonly logged: LoggedRequests;
  readonly trace: TraceSpan;
  /** Called once, with the promise of the settlement. */
  readonly onEnd: (settled: Promise<void>) => void;
}

export const askedOf = ({ requestId, key, route, model, voice, input, trace }: PermitRequest): AskedRequest => ({
  requestId,
  keyId: key.id,
  route,
  model,
  voice,
  chars: input?.chars,
  traceId: trace.traceId,
});

export class Permit {
  readonly key: KeyRecord;
  readonly admission: Admission;
  /** Takes the text and gives its speech. */
  readonly text: SpokenText;
  /** Room for a buffered response. */
  readonly held: HeldAnswer | undefined;
  readonly #request: PermitRequest;
  readonly #parts: PermitParts;
  readonly #endSession: ReturnType<Metrics['session']>;
  readonly #revoked = new AbortController();
  readonly #id = randomUUID();
  readonly #startedAt = new Date().toISOString();
  readonly #openedMs = performance.now();
  #firstAudioMs: number | undefined;
  #settled: Promise<void> | undefined;

  constructor(request: PermitRequest, parts: PermitParts) {
    this.#request = request;
    this.#parts = parts;
    this.key = request.key;
    this.admission = parts.admission;
    this.text = parts.text;
    this.held = parts.held;
    this.#endSession = parts.metrics.session(request.route, request.model);
  }

  /** Aborts with the reason why the work may not go on. */
  get revoked(): AbortSignal {
    return this.#revoked.signal;
  }

  revoke(reason: TtsError): void {
    this.#revoked.abort(reason);
  }

  get live(): LiveWork {
    const { requestId, route, model, voice } = this.#request;
    const about = { id: this.#id, requestId, keyId: this.key.id, route, model, voice };
    const { chars } = this.admission;
    return { ...about, startedAt: this.#startedAt, chars, firstAudioMs: this.#firstAudioMs };
  }

  /** The first audio left, so long after the request or its first text had come. */
  firstAudio(ms: number): void {
    const { route, model } = this.#request;
    this.#firstAudioMs = ms;
    this.#parts.trace.child('first audio', undefined, performance.now() - ms).end();
    this.#parts.metrics.firstAudio(route, model, ms / 1000);
  }

  /** Gives everything back and settles; the first end counts. Resolves when that is written. */
  end(end: WorkEnd): Promise<void> {
    if (this.#settled === undefined) {
      this.text.close();
      this.held?.release();
      const { requestId, route } = this.#request;
      if (end.error !== undefined) this.#parts.failures.add(end.error, { requestId, route, keyId: this.key.id });
      this.#settled = this.#settle(end);
      this.#parts.onEnd(this.#settled);
    }
    return this.#settled;
  }

  async #settle(end: WorkEnd): Promise<void> {
    const { outcome, audioMs, deliveredChars, byClient, error } = end;
    const { admission, log, trace } = this.#parts;
    const settlement = trace.child('settlement');
    const { chars } = admission;
    const delivered = outcome === 'completed' ? chars : deliveredChars;
    this.#endSession({ outcome: outcome === 'refused' ? 'failed' : outcome, chars, deliveredChars: delivered });
    try {
      if (outcome === 'completed') await admission.settle({ audioMs });
      else if (outcome === 'refused') await admission.reject();
      else await admission.release(outcome, { audioMs, deliveredChars, byClient });
      settlement.end();
      this.#report({ ...end, deliveredChars: delivered });
      trace.end(error === undefined ? undefined : publicError(error).code);
    } catch (failure) {
      settlement.end('internal_error');
      trace.end('internal_error');
      // Unforeseen: an end that merely cannot be written yet is kept by the accounts.
      log.error({ requestId: this.#request.requestId, err: failure, outcome }, 'a request could not be settled');
    }
  }

  /** To the request log, the trace and the server's log. */
  #report({ outcome, audioMs, deliveredChars, error }: WorkEnd): void {
    const { requestId, route, model, voice } = this.#request;
    const { admission, log, logged, trace } = this.#parts;
    const { chars, debited: credits } = admission;
    const { breaks, workers } = this.text.record;
    const firstMs = this.#firstAudioMs;
    // A handshake that its client gave up is no request yet.
    if (outcome !== 'refused' || error !== undefined) {
      const asked = { ...askedOf(this.#request), chars, arrivedMs: this.#openedMs };
      logged.ended(asked, { outcome, error, credits, audioMs, firstMs, breaks, workers });
    }
    trace.set({ 'tts.characters': chars, 'tts.credits': credits, 'tts.audio_ms': Math.round(audioMs) });
    trace.set({ 'tts.outcome': outcome, 'tts.breaks': breaks });
    const { traceId } = trace;
    const { ignoredMarkup } = this.text;
    const line = {
      route,
      keyId: this.key.id,
      outcome,
      model,
      voice,
      chars,
      deliveredChars,
      audioMs: Math.round(audioMs),
      firstMs: firstMs === undefined ? undefined : Math.round(firstMs),
      ms: Math.round(performance.now() - this.#openedMs),
      ...(breaks > 0 && { breaks }),
      ...(workers.length > 0 && { worker: workers.join(',') }),
      ...(traceId !== undefined && { traceId }),
      ...(ignoredMarkup.length > 0 && { ignoredMarkup: ignoredMarkup.join(', ') }),
      requestId,
    };
    log.info(line, 'speech ended');
  }
}
