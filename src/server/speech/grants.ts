/** What an accepted request or session holds, whichever door it came through: taken in one place, given back in one. */
import { randomUUID } from 'node:crypto';
import type { RequestLog } from '../../accounts/requests/request-log.js';
import type { Accounts, Admission, AdmissionRequest, KeyRecord, Outcome } from '../../accounts/types.js';
import type { FirstPieces } from '../../gateway/first-piece.js';
import { SpokenText } from '../../gateway/spoken-text.js';
import type { Gateway } from '../../gateway/types.js';
import type { Logger } from '../../log.js';
import type { VoiceCatalogue } from '../../models/catalogue.js';
import { parseModel, type SpeechModel } from '../../protocol/contract.js';
import { publicError, TtsError } from '../../protocol/errors.js';
import { readingOf } from '../../protocol/languages.js';
import type { Texts } from '../../text/thread/texts.js';
import type { TraceSpan } from '../../trace.js';
import { KeyWatch } from '../access/key-watch.js';
import { RecentFailures } from '../access/recent-failures.js';
import { type AskedRequest, LoggedRequests } from '../metrics/logged-requests.js';
import type { Metrics, SpeechRoute } from '../metrics/metrics.js';
import type { AnswerSize } from './answer-size.js';
import type { HeldAnswer } from './held-answer.js';
import type { HeldAudio } from './held-audio.js';

export interface GrantRequest {
  readonly route: SpeechRoute;
  readonly key: KeyRecord;
  readonly requestId: string;
  readonly model: SpeechModel;
  readonly voice: string;
  /** Absent where the text arrives over time, as somebody writes it. */
  readonly chars?: number;
  readonly seed?: number;
  /** 1, the voice's own pace, where it is left out. */
  readonly speed?: number;
  /** Of a buffered response, which nobody hears before all of it is there: how large it will be. */
  readonly whole?: AnswerSize | undefined;
  /** Nobody listens meanwhile: as of what is whole, where it is left out. */
  readonly unheard?: boolean;
  readonly ssml?: boolean;
  /** The language or locale that was asked for; the voice's own where it is left out or is none of the voice's. */
  readonly language?: string | undefined;
  /** The span of the door that it came through. */
  readonly trace: TraceSpan;
}

/** How it ended. `refused` is as if it had never been accepted: no row, no count. */
export interface GrantEnd {
  readonly outcome: Outcome | 'refused';
  readonly audioMs: number;
  /** Characters of segments whose audio was handed to the socket whole. */
  readonly deliveredChars: number;
  /** The client left or broke the rules. */
  readonly byClient: boolean;
  /** Why it failed or was refused. */
  readonly error?: unknown;
}

/** Work in progress, for an operator's eyes. */
export interface LiveWork {
  readonly id: string;
  readonly requestId: string;
  readonly keyId: string;
  readonly route: SpeechRoute;
  readonly model: SpeechModel;
  readonly voice: string;
  readonly startedAt: string;
  readonly chars: number;
  readonly firstMs: number | undefined;
}

export interface GrantsOptions {
  readonly accounts: Accounts;
  readonly gateway: Gateway;
  readonly texts: Texts;
  readonly catalogue: Pick<VoiceCatalogue, 'get'>;
  readonly metrics: Metrics;
  readonly heldAudio: HeldAudio;
  /** Where the text is all there; left out, the first sentence is cut at its first clause. */
  readonly firstPieces?: FirstPieces | undefined;
  /** Where the operator keeps a request log. */
  readonly requestLog?: RequestLog | undefined;
  readonly log: Logger;
}

export class Grants {
  readonly failures = new RecentFailures();
  readonly keyWatch: KeyWatch;
  readonly logged: LoggedRequests;
  readonly #options: GrantsOptions;
  readonly #open = new Set<Grant>();
  readonly #ending = new Set<Promise<void>>();

  constructor(options: GrantsOptions) {
    this.#options = options;
    this.keyWatch = new KeyWatch(options);
    this.logged = new LoggedRequests(options.requestLog);
  }

  /** Checks and takes in the decided order: tier, daily limit, concurrency, credits, queue. All or nothing. */
  async open(request: GrantRequest): Promise<Grant> {
    const { requestId, key, route, model, voice } = request;
    const about = { 'tts.request_id': requestId, 'tts.key_id': key.id, 'tts.route': route };
    const span = request.trace.child('speech', { ...about, 'tts.model': model, 'tts.voice': voice });
    const admission = span.child('admission');
    try {
      const grant = await this.#take(request, span);
      admission.end();
      return grant;
    } catch (error) {
      const { code } = publicError(error);
      admission.end(code);
      span.end(code);
      if (error instanceof TtsError && error.row.status === 503)
        this.#options.metrics.refused(request.route, error.code);
      this.logged.refused(error, askedOf(request));
      throw error;
    }
  }

  async #take(request: GrantRequest, trace: TraceSpan): Promise<Grant> {
    const { gateway, texts, catalogue, heldAudio, firstPieces } = this.#options;
    const {
      key,
      requestId,
      model,
      voice,
      chars,
      seed = 0,
      speed = 1,
      whole,
      unheard = whole !== undefined,
      ssml = false,
    } = request;
    if (whole !== undefined) heldAudio.check(whole);
    const { base } = parseModel(model);
    const language = readingOf(catalogue.get(base, voice).language, request.language);
    const written = chars === undefined && !unheard;
    const inTimeChars = unheard ? Number.POSITIVE_INFINITY : written ? 0 : ((await firstPieces?.(base)) ?? 0);
    const admission = await this.#admit({ key, requestId, model, voice, chars: chars ?? 0 });
    const known = chars === undefined ? {} : { chars };
    let held: HeldAnswer | undefined;
    try {
      if (whole !== undefined) held = await heldAudio.take(whole, key);
      const order = {
        model: base,
        voice,
        language,
        seed,
        speed,
        owner: key.id,
        requestId,
        whole: whole !== undefined,
        trace,
      };
      const speech = gateway.open({ ...order, ...known });
      const text = new SpokenText(speech, texts.cutter({ language, ssml, inTimeChars, written }));
      const grant = new Grant(request, {
        ...this.#options,
        admission,
        text,
        held,
        failures: this.failures,
        logged: this.logged,
        trace,
        onEnd: (end) => {
          unwatch();
          this.#ended(grant, end);
        },
      });
      this.#open.add(grant);
      const unwatch = this.keyWatch.watch(key.id, (reason) => grant.stop(reason));
      return grant;
    } catch (error) {
      held?.release();
      await admission.reject();
      throw error;
    }
  }

  async #admit(request: AdmissionRequest): Promise<Admission> {
    const { accounts, metrics } = this.#options;
    try {
      return await accounts.admit(request);
    } catch (error) {
      if (error instanceof TtsError && error.row.status === 429) metrics.limited(request.model, error.code);
      throw error;
    }
  }

  /** What is in progress, of one key where one is named. */
  live(keyId?: string): LiveWork[] {
    return [...this.#open].filter(({ key }) => keyId === undefined || key.id === keyId).map((grant) => grant.live);
  }

  /** Ends one that is in progress; false where there is none of that id (and key, where one is named). */
  stop(id: string, keyId?: string): boolean {
    const found = [...this.#open].find(({ live, key }) => live.id === id && (keyId === undefined || key.id === keyId));
    found?.stop(new TtsError('session_ended', 'Whoever runs this server ended the session.'));
    return found !== undefined;
  }

  /** Resolves when everything that has ended is settled in the accounts as well. */
  async settled(): Promise<void> {
    // A response that ended in this very turn of the loop is not in the set yet.
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all(this.#ending);
  }

  #ended(grant: Grant, ending: Promise<void>): void {
    this.#open.delete(grant);
    this.#ending.add(ending);
    void ending.finally(() => this.#ending.delete(ending));
  }
}

const askedOf = ({ requestId, key, route, model, voice, chars, trace }: GrantRequest): AskedRequest => ({
  requestId,
  keyId: key.id,
  route,
  model,
  voice,
  chars,
  traceId: trace.traceId,
});

interface Held {
  readonly admission: Admission;
  readonly text: SpokenText;
  readonly held: HeldAnswer | undefined;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly failures: RecentFailures;
  readonly logged: LoggedRequests;
  readonly trace: TraceSpan;
  readonly onEnd: (ending: Promise<void>) => void;
}

export class Grant {
  readonly key: KeyRecord;
  readonly admission: Admission;
  /** Where the text goes in and its speech comes out. */
  readonly text: SpokenText;
  /** Of an answer that is held whole. */
  readonly held: HeldAnswer | undefined;
  readonly #request: GrantRequest;
  readonly #holds: Held;
  readonly #endSession: ReturnType<Metrics['session']>;
  readonly #revoked = new AbortController();
  readonly #id = randomUUID();
  readonly #startedAt = new Date().toISOString();
  readonly #openedMs = performance.now();
  #firstMs: number | undefined;
  #ending: Promise<void> | undefined;

  constructor(request: GrantRequest, holds: Held) {
    this.#request = request;
    this.#holds = holds;
    this.key = request.key;
    this.admission = holds.admission;
    this.text = holds.text;
    this.held = holds.held;
    this.#endSession = holds.metrics.session(request.route, request.model);
  }

  /** Aborts with the reason why the work may not go on. */
  get revoked(): AbortSignal {
    return this.#revoked.signal;
  }

  stop(reason: TtsError): void {
    this.#revoked.abort(reason);
  }

  get live(): LiveWork {
    const { requestId, route, model, voice } = this.#request;
    const chars = this.admission.chars;
    const about = { id: this.#id, requestId, keyId: this.key.id, route, model, voice };
    return { ...about, startedAt: this.#startedAt, chars, firstMs: this.#firstMs };
  }

  /** Its first audio left, so long after the request or the first text came. */
  heardFirst(ms: number): void {
    const { route, model } = this.#request;
    this.#firstMs = ms;
    this.#holds.trace.child('first audio', undefined, performance.now() - ms).end();
    this.#holds.metrics.firstAudio(route, model, ms / 1000);
  }

  /** Gives everything back and settles; the first end counts. Resolves when the accounts have it. */
  end(end: GrantEnd): Promise<void> {
    if (this.#ending === undefined) {
      this.text.close();
      this.held?.release();
      const { requestId, route } = this.#request;
      if (end.error !== undefined) this.#holds.failures.add(end.error, { requestId, route, keyId: this.key.id });
      this.#ending = this.#settle(end);
      this.#holds.onEnd(this.#ending);
    }
    return this.#ending;
  }

  async #settle({ outcome, audioMs, deliveredChars, byClient, error }: GrantEnd): Promise<void> {
    const { requestId, route, model, voice } = this.#request;
    const { admission, log, trace } = this.#holds;
    const { traceId } = trace;
    const settlement = trace.child('settlement');
    const { chars } = admission;
    const delivered = outcome === 'completed' ? chars : deliveredChars;
    const { breaks, workers } = this.text.record;
    this.#endSession({ outcome: outcome === 'refused' ? 'failed' : outcome, chars, deliveredChars: delivered });
    try {
      if (outcome === 'completed') await admission.settle({ audioMs });
      else if (outcome === 'refused') await admission.reject();
      else await admission.release(outcome, { audioMs, deliveredChars, byClient });
      // A handshake that its client gave up is no request yet.
      if (outcome !== 'refused' || error !== undefined) {
        const asked = { ...askedOf(this.#request), chars, arrivedMs: this.#openedMs };
        const ended = { outcome, error, credits: admission.debited, audioMs, firstMs: this.#firstMs, breaks, workers };
        this.#holds.logged.ended(asked, ended);
      }
      const firstMs = this.#firstMs === undefined ? undefined : Math.round(this.#firstMs);
      const ms = Math.round(performance.now() - this.#openedMs);
      const { ignoredMarkup } = this.text;
      const told = {
        outcome,
        model,
        voice,
        chars,
        deliveredChars: delivered,
        audioMs: Math.round(audioMs),
        firstMs,
        ms,
        ...(breaks > 0 && { breaks }),
        ...(workers.length > 0 && { worker: workers.join(',') }),
        ...(traceId !== undefined && { traceId }),
        ...(ignoredMarkup.length > 0 && { ignoredMarkup: ignoredMarkup.join(', ') }),
      };
      settlement.end();
      trace.set({ 'tts.characters': chars, 'tts.credits': admission.debited, 'tts.audio_ms': told.audioMs });
      trace.set({ 'tts.outcome': outcome, 'tts.breaks': breaks });
      trace.end(error === undefined ? undefined : publicError(error).code);
      log.info({ route, keyId: this.key.id, ...told, requestId }, 'speech ended');
    } catch (error) {
      settlement.end('internal_error');
      trace.end('internal_error');
      // Unforeseen: an end that merely cannot be written yet is kept by the accounts.
      log.error({ requestId, err: error, outcome }, 'a request could not be settled');
    }
  }
}
