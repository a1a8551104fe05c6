/** Permits for speech at any door: all that a request needs is taken here, or none of it. */
import type { RequestLog } from '../../accounts/requests/request-log.js';
import type { Accounts, Admission, AdmissionRequest } from '../../accounts/types.js';
import type { Clock } from '../../clock.js';
import type { FirstPieces } from '../../gateway/first-piece.js';
import { SpokenText } from '../../gateway/spoken-text.js';
import type { Gateway } from '../../gateway/types.js';
import type { Logger } from '../../log.js';
import { type VoiceCatalogue, voicesOf } from '../../models/catalogue.js';
import { countChars } from '../../protocol/characters.js';
import { parseModel } from '../../protocol/contract.js';
import type { DeliveryStyle } from '../../protocol/delivery/delivery.js';
import { publicError, TtsError } from '../../protocol/errors.js';
import type { Language } from '../../protocol/job.js';
import { readingOf } from '../../protocol/languages.js';
import type { TextCutter } from '../../text/segment/cutter.js';
import type { Texts } from '../../text/thread/texts.js';
import type { TraceSpan } from '../../trace.js';
import { KeyWatch } from '../access/key-watch.js';
import { RecentFailures } from '../access/recent-failures.js';
import { LoggedRequests } from '../metrics/logged-requests.js';
import type { Metrics } from '../metrics/metrics.js';
import { openDialogue } from './dialogue.js';
import type { HeldAnswer } from './held-answer.js';
import type { HeldAudio } from './held-audio.js';
import { askedOf, type LiveWork, Permit } from './permit.js';
import type { PermitRequest } from './speech-order.js';

export interface PermitsOptions {
  readonly accounts: Accounts;
  readonly gateway: Gateway;
  readonly texts: Texts;
  readonly catalogue: Pick<VoiceCatalogue, 'speaker' | 'all'>;
  readonly metrics: Metrics;
  readonly heldAudio: HeldAudio;
  /** How texts are delivered whose order names no style. */
  readonly style: DeliveryStyle;
  /** Where the text is all there; left out, the first sentence is cut at its first clause. */
  readonly firstPieces?: FirstPieces | undefined;
  /** Absent where the operator keeps no request log. */
  readonly requestLog?: RequestLog | undefined;
  readonly log: Logger;
  readonly clock: Clock;
}

type CutterOf = (voice: string) => TextCutter;

export class Permits {
  readonly failures = new RecentFailures();
  readonly keyWatch: KeyWatch;
  readonly logged: LoggedRequests;
  readonly #options: PermitsOptions;
  readonly #open = new Set<Permit>();
  readonly #settling = new Set<Promise<void>>();

  constructor(options: PermitsOptions) {
    this.#options = options;
    this.keyWatch = new KeyWatch(options);
    this.logged = new LoggedRequests(options.requestLog);
  }

  /** Checks tier, daily limit, concurrency, credits and queue, in this order. All or nothing. */
  async open(request: PermitRequest): Promise<Permit> {
    const { requestId, key, route, model, voice } = request;
    const about = { 'tts.request_id': requestId, 'tts.key_id': key.id, 'tts.route': route };
    const span = request.trace.child('speech', { ...about, 'tts.model': model, 'tts.voice': voice });
    const admission = span.child('admission');
    try {
      const permit = await this.#take(request, span);
      admission.end();
      return permit;
    } catch (error) {
      const { code, row } = publicError(error);
      admission.end(code);
      span.end(code);
      if (error instanceof TtsError && row.status === 503) this.#options.metrics.refused(route, code);
      this.logged.refused(error, askedOf(request));
      throw error;
    }
  }

  async #take(request: PermitRequest, trace: TraceSpan): Promise<Permit> {
    const { heldAudio } = this.#options;
    const { key, requestId, model, voice, input, whole } = request;
    if (whole !== undefined) heldAudio.check(whole);
    const cutter = await this.#cutter(request);
    const admission = await this.#admit({ key, requestId, model, voice, chars: input?.chars ?? 0 });
    let held: HeldAnswer | undefined;
    try {
      if (whole !== undefined) held = await heldAudio.take(whole, key);
      const text = this.#openText(request, trace, cutter);
      const { failures, logged } = this;
      const permit = new Permit(request, {
        ...this.#options,
        admission,
        text,
        held,
        failures,
        logged,
        trace,
        onEnd: (settled) => {
          unwatch();
          this.#ended(permit, settled);
        },
      });
      this.#open.add(permit);
      const unwatch = this.keyWatch.watch(key, (reason) => permit.revoke(reason));
      return permit;
    } catch (error) {
      held?.release();
      await admission.reject();
      throw error;
    }
  }

  /** Takes the order's place at the gateway. */
  #openText(request: PermitRequest, trace: TraceSpan, cutter: CutterOf): SpokenText {
    const { gateway } = this.#options;
    const { key, requestId, model, voice, input, seed = 0, speed = 1, whole, unheard = false, turns } = request;
    const { style = this.#options.style, place } = request;
    const { base } = parseModel(model);
    // A socket whose client writes a file waits behind live listeners, as a buffered response.
    const isWhole = whole !== undefined || (unheard && input === undefined);
    const order = { model: base, seed, speed, style, place, owner: key.id, requestId, whole: isWhole, trace };
    const spokenBy = (speaker: string) => ({
      voice: speaker,
      language: this.#languageOf({ ...request, voice: speaker }),
    });
    if (turns === undefined) {
      const chars = input !== undefined && { chars: input.chars };
      return new SpokenText(gateway.open({ ...order, ...spokenBy(voice), ...chars }), cutter(voice));
    }
    const dialogue = openDialogue({
      turns,
      gateway,
      order: (turn) => ({ ...order, ...spokenBy(turn.voice), chars: countChars(turn.text) }),
      cutter: (turn) => cutter(turn.voice),
    });
    return new SpokenText(dialogue.speech, dialogue.cutter);
  }

  /** How the text of an order is cut into segments, by who speaks it. */
  async #cutter(request: PermitRequest): Promise<CutterOf> {
    const { model, input, whole, unheard = whole !== undefined, ssml = false, words, part } = request;
    const { texts, firstPieces } = this.#options;
    const { base } = parseModel(model);
    const written = input === undefined && !unheard;
    const inTimeChars = unheard ? Number.POSITIVE_INFINITY : written ? 0 : ((await firstPieces?.(base)) ?? 0);
    const voices = ssml
      ? voicesOf(this.#options.catalogue.all, { model: base, language: request.language })
      : undefined;
    return (voice) =>
      texts.cutter({
        language: this.#languageOf({ ...request, voice }),
        ssml,
        inTimeChars,
        written,
        ...(words && { words }),
        ...(part && { part }),
        ...(voices && { voices }),
      });
  }

  /** The locale the text is read in. */
  #languageOf({ model, voice, language }: PermitRequest): Language {
    return readingOf(this.#options.catalogue.speaker(parseModel(model).base, voice).language, language);
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

  /** Work in progress; that of one key where one is named. */
  live(keyId?: string): LiveWork[] {
    return [...this.#open].filter(({ key }) => keyId === undefined || key.id === keyId).map(({ live }) => live);
  }

  /** Ends work in progress; false where there is none of that id (and key, where one is named). */
  stop(id: string, keyId?: string): boolean {
    const found = [...this.#open].find(({ live, key }) => live.id === id && (keyId === undefined || key.id === keyId));
    found?.revoke(new TtsError('session_ended', 'The operator of this server ended the session.'));
    return found !== undefined;
  }

  /** Resolves when everything that has ended is settled in the accounts as well. */
  async settled(): Promise<void> {
    // A response that ended in this very turn of the event loop is not in the set yet.
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all(this.#settling);
  }

  #ended(permit: Permit, settled: Promise<void>): void {
    this.#open.delete(permit);
    this.#settling.add(settled);
    void settled.finally(() => this.#settling.delete(settled));
  }
}
