/**
 * One stream-input session as a state machine.
 *
 *   Connected ──Initialize──▶ Initialized ──Text──▶ Streaming ──End──▶ Draining ──Final sent──▶ Closed
 *                                 └───────────────End──────────────────▶┘
 *
 * In Initialized and Streaming a single space is a keepalive, and `flush` cuts what is pending. After End every message
 * is ignored. An error, the client's leaving or the server's stop lead from any state to Closed.
 */
import type { Outcome } from '../../../accounts/types.js';
import type { Logger } from '../../../log.js';
import { samplesToMs } from '../../../protocol/audio.js';
import { isAbort, TtsError } from '../../../protocol/errors.js';
import { MAX_PENDING_CHARS } from '../../../protocol/stream.js';
import type { StreamParams } from '../../../protocol/stream-messages.js';
import type { Grant } from '../../grants.js';
import { STOP_STALL_MS } from '../../settings.js';
import { AudioFramer } from './audio-framer.js';
import { type Input, parseMessage } from './messages.js';
import type { Outbox } from './outbox.js';
import { asSessionError } from './session-errors.js';

export type SessionState = 'Connected' | 'Initialized' | 'Streaming' | 'Draining' | 'Closed';

export interface SessionOptions {
  readonly requestId: string;
  readonly params: StreamParams;
  readonly outbox: Outbox;
  /** Held until the session ends. */
  readonly grant: Grant;
  readonly log: Logger;
  /** Called once, when everything it held was given back and the ledger has its row. */
  readonly onEnd: () => void;
}

const codePoints = (text: string): number => [...text].length;

export class StreamSession {
  #state: SessionState = 'Connected';
  readonly #options: SessionOptions;
  readonly #framer: AudioFramer;
  readonly #abort = new AbortController();
  #idle: NodeJS.Timeout | undefined;
  /** Characters received and not yet spoken. */
  #unspoken = 0;
  /** Of segments whose audio was handed to the socket whole. */
  #deliveredChars = 0;
  #unreserved = 0;
  #reserving: Promise<void> | undefined;
  #sentSamples = 0;
  #firstTextAtMs: number | undefined;
  #firstAudioAtMs: number | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#framer = new AudioFramer({ aligned: options.params.sync_alignment });
    const { text, revoked } = options.grant;
    text.onIdle = () => this.#watchIdleness();
    revoked.addEventListener('abort', () => this.#fail(revoked.reason), { signal: this.#abort.signal });
    this.#watchIdleness();
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Audio a listener at normal speed cannot have heard yet. */
  audioAheadMs(nowMs: number): number {
    if (this.#firstAudioAtMs === undefined) return 0;
    return Math.max(0, samplesToMs(this.#sentSamples) - (nowMs - this.#firstAudioAtMs));
  }

  // ── What happens to a session ─────────────────────────────────────────────────────────────────────────────────────

  receive(data: Buffer, isBinary: boolean): void {
    if (this.#state === 'Draining' || this.#state === 'Closed') return;
    try {
      this.#take(parseMessage(data, isBinary, this.#state === 'Connected'));
      this.#watchIdleness();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The socket closed, whoever closed it. */
  clientLeft(): void {
    this.#end('cancelled');
  }

  /** The server stops: what has begun is finished, the rest turned away. */
  shutDown(): void {
    if (this.#state === 'Connected' || this.#state === 'Initialized') this.stop();
    else this.#watchStall();
  }

  /** The server has waited long enough. */
  stop(): void {
    this.#fail(new TtsError('shutting_down', 'The server is stopping. Connect again once it is back.'));
  }

  // ── The transitions ───────────────────────────────────────────────────────────────────────────────────────────────

  #take(input: Input): void {
    const { text } = this.#options.grant;
    if (this.#state === 'Connected') {
      this.#state = 'Initialized';
      void this.#speak();
    } else if (input.kind === 'end') {
      this.#state = 'Draining';
      text.end();
    } else if (input.kind === 'text') {
      this.#state = 'Streaming';
      this.#append(input.text);
      if (input.flush) text.flush();
    } else if (input.flush) {
      text.flush();
    }
  }

  #append(text: string): void {
    const chars = codePoints(text);
    this.#firstTextAtMs ??= performance.now();
    this.#unspoken += chars;
    if (this.#unspoken > MAX_PENDING_CHARS) {
      const bound = `${MAX_PENDING_CHARS} characters are waiting to be spoken, which is the bound`;
      throw new TtsError('text_too_long', `More than ${bound}. Send text at the pace at which its audio arrives.`);
    }
    this.#reserve(chars);
    this.#options.grant.text.text(text);
  }

  /** From Initialized to the end: speech in order out, then Final. */
  async #speak(): Promise<void> {
    const { grant, outbox } = this.#options;
    const { text } = grant;
    try {
      for await (const event of text.speak(this.#abort.signal)) {
        if (event.type === 'audio') this.#hear(event.pcm.length);
        for (const message of this.#framer.frame(event)) await outbox.send(message);
        if (event.type !== 'segment-end') continue;
        const chars = codePoints(event.segment.text);
        this.#unspoken -= chars;
        this.#deliveredChars += chars;
        if (!text.idle) continue;
        // Counted anew: a character that came in two halves was counted twice.
        this.#unspoken = text.pendingChars;
        this.#watchIdleness();
      }
      for (const message of this.#framer.finish()) await outbox.send(message);
      await this.#reserving;
      if (this.#state !== 'Draining') return;
      await outbox.deliver({ isFinal: true });
      this.#end('completed');
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (this.#state === 'Closed') return;
    if (isAbort(error)) {
      this.#end('cancelled');
      return;
    }
    const { outbox, requestId, log } = this.#options;
    const reason = asSessionError(error);
    const told = { requestId, code: reason.code };
    if (reason.row.close === 1011) log.error({ ...told, err: error }, 'a stream-input session failed');
    else log.debug(told, 'a stream-input session was ended');
    outbox.closeWith({ error: reason.code, message: reason.message, requestId }, reason.row.close);
    this.#end('failed', reason.row.status < 500);
  }

  /** The only way into Closed: gives back what the session held, and settles or returns the reservation. */
  #end(outcome: Outcome, byClient = outcome === 'cancelled'): void {
    if (this.#state === 'Closed') return;
    this.#state = 'Closed';
    clearTimeout(this.#idle);
    this.#abort.abort();
    const { grant, outbox, onEnd } = this.#options;
    const audioMs = samplesToMs(this.#sentSamples);
    void grant.end({ outcome, audioMs, deliveredChars: this.#deliveredChars, byClient }).then(() => {
      if (outcome === 'completed') outbox.close(1000);
      onEnd();
    });
  }

  /** While the server stops: a client that takes nothing must not hold up the others. */
  #watchStall(): void {
    if (this.#state === 'Closed') return;
    if (this.#options.outbox.stalledMs(performance.now()) >= STOP_STALL_MS) {
      this.stop();
      return;
    }
    setTimeout(() => this.#watchStall(), STOP_STALL_MS / 5).unref();
  }

  // ── Money and time ────────────────────────────────────────────────────────────────────────────────────────────────

  /** Messages that arrive while one reservation is being written share the next. */
  #reserve(chars: number): void {
    this.#unreserved += chars;
    this.#reserving ??= this.#reserveAll();
  }

  async #reserveAll(): Promise<void> {
    try {
      while (this.#unreserved > 0) {
        const chars = this.#unreserved;
        this.#unreserved = 0;
        await this.#options.grant.admission.extend(chars);
      }
    } catch (error) {
      this.#fail(error);
    }
    this.#reserving = undefined;
  }

  #hear(samples: number): void {
    this.#sentSamples += samples;
    if (this.#firstAudioAtMs !== undefined) return;
    this.#firstAudioAtMs = performance.now();
    this.#options.grant.heardFirst(this.#firstAudioAtMs - (this.#firstTextAtMs ?? this.#firstAudioAtMs));
  }

  /** Counts from the last message or the last owed audio, whichever came later, and only while nothing is owed. */
  #watchIdleness(): void {
    clearTimeout(this.#idle);
    if (this.#state === 'Draining' || this.#state === 'Closed') return;
    const { grant, outbox, params } = this.#options;
    if (!grant.text.idle) return;
    const seconds = params.inactivity_timeout;
    this.#idle = setTimeout(() => {
      // Sent, but not yet taken by the network: still owed to whoever reads slowly.
      if (!outbox.empty) {
        this.#watchIdleness();
        return;
      }
      this.#fail(
        new TtsError(
          'inactivity_timeout',
          `No message came for ${seconds} seconds. Send {"text":" "} to keep a session, or raise inactivity_timeout.`,
        ),
      );
    }, seconds * 1000);
  }
}
