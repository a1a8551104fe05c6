/**
 * One stream-input session as a state machine.
 *
 *   Connected ──Initialize──▶ Initialized ──Text──▶ Streaming ──End──▶ Draining ──Final sent──▶ Closed
 *                                 └───────────────End──────────────────▶┘
 *
 * In Initialized and Streaming a single space is a keepalive, and `flush` cuts what is pending. After End every message
 * is ignored. An error, the client's leaving or the server's stop lead from any state to Closed.
 */
import type { Outcome } from '../../../../accounts/types.js';
import type { Logger } from '../../../../log.js';
import { isAbort, TtsError } from '../../../../protocol/errors.js';
import type { StreamParams } from '../../../../protocol/stream-messages.js';
import type { Outbox } from '../../../sockets/outbox.js';
import type { SocketSession } from '../../../sockets/socket-endpoint.js';
import type { Grant } from '../../../speech/grants.js';
import { LiveSpeech } from '../../../speech/live-speech.js';
import { AudioFramer } from './audio-framer.js';
import { type Input, parseMessage } from './messages.js';
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

export class StreamSession implements SocketSession {
  #state: SessionState = 'Connected';
  readonly #options: SessionOptions;
  readonly #speech: LiveSpeech;
  readonly #framer: AudioFramer;
  readonly #abort = new AbortController();
  #idle: NodeJS.Timeout | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#framer = new AudioFramer({ aligned: options.params.sync_alignment });
    const { grant } = options;
    this.#speech = new LiveSpeech({
      grant,
      onIdle: () => this.#watchIdleness(),
      onFailure: (error) => this.#fail(error),
    });
    const { revoked } = grant;
    revoked.addEventListener('abort', () => this.#fail(revoked.reason), { signal: this.#abort.signal });
    this.#watchIdleness();
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Audio a listener at normal speed cannot have heard yet. */
  audioAheadMs(nowMs: number): number {
    return this.#speech.audioAheadMs(nowMs);
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
    else this.#options.outbox.watchStall(() => this.stop());
  }

  /** The server has waited long enough. */
  stop(): void {
    this.#fail(new TtsError('shutting_down', 'The server is stopping. Connect again once it is back.'));
  }

  // ── The transitions ───────────────────────────────────────────────────────────────────────────────────────────────

  #take(input: Input): void {
    if (this.#state === 'Connected') {
      this.#state = 'Initialized';
      void this.#speak();
    } else if (input.kind === 'end') {
      this.#state = 'Draining';
      this.#speech.end();
    } else if (input.kind === 'text') {
      this.#state = 'Streaming';
      this.#speech.append(input.text);
      if (input.flush) this.#speech.flush();
    } else if (input.flush) {
      this.#speech.flush();
    }
  }

  /** From Initialized to the end: speech in order out, then Final. */
  async #speak(): Promise<void> {
    const { outbox } = this.#options;
    try {
      await this.#speech.speak(async (event) => {
        for (const message of this.#framer.frame(event)) await outbox.send(message);
      }, this.#abort.signal);
      for (const message of this.#framer.finish()) await outbox.send(message);
      await this.#speech.reserved(this.#abort.signal);
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
    this.#end('failed', reason.row.status < 500, reason);
  }

  /** The only way into Closed: gives back what the session held, and settles or returns the reservation. */
  #end(outcome: Outcome, byClient = outcome === 'cancelled', error?: unknown): void {
    if (this.#state === 'Closed') return;
    this.#state = 'Closed';
    clearTimeout(this.#idle);
    this.#abort.abort();
    const { outbox, onEnd } = this.#options;
    void this.#speech.close(outcome, byClient, error).then(() => {
      if (outcome === 'completed') outbox.close(1000);
      onEnd();
    });
  }

  /** Counts from the last message or the last owed audio, whichever came later, and only while nothing is owed. */
  #watchIdleness(): void {
    clearTimeout(this.#idle);
    if (this.#state === 'Draining' || this.#state === 'Closed') return;
    const { outbox, params } = this.#options;
    if (!this.#speech.idle) return;
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
