/**
 * The messages of a stream-input session as a state machine.
 *
 *   Connected ──Initialize──▶ Initialized ──Text──▶ Streaming ──End──▶ Draining ──Final──▶ Closed
 *                                 └───────────────End──────────────────▶┘
 *
 * In Initialized and Streaming a single space is a keepalive, and `flush` speaks pending text.
 * After End every message is ignored. An error, the client's leaving or the server's stop lead from
 * any state to Closed.
 */
import { publicError, TtsError } from '../../../../protocol/errors.js';
import { SESSION_CODES } from '../../../../protocol/stream.js';
import type { StreamParams } from '../../../../protocol/stream-messages.js';
import { type SocketContexts, type SocketDialect, UNNAMED } from '../../../sockets/speech-session.js';
import { AudioFramer } from './audio-framer.js';
import { parseMessage } from './messages.js';

export class StreamInputDialect implements SocketDialect {
  readonly keepAlive = 'Send {"text":" "} to keep a session, or raise inactivity_timeout.';
  readonly #params: StreamParams;
  #initialized = false;

  constructor(params: StreamParams) {
    this.#params = params;
  }

  receive(data: Buffer, isBinary: boolean, contexts: SocketContexts): void {
    const input = parseMessage(data, isBinary, !this.#initialized);
    this.#initialized = true;
    const context = contexts.get(UNNAMED);
    if (input.kind === 'end') {
      contexts.endAll();
      return;
    }
    if (input.kind === 'text') context?.append(input.text);
    else context?.touch();
    if (input.flush) context?.flush();
  }

  codec(): AudioFramer {
    return new AudioFramer({ aligned: this.#params.sync_alignment });
  }

  sessionError({ code, message }: TtsError, requestId: string): object {
    return { error: code, message, requestId };
  }

  /** A session ends with one of its own codes; every other error is told as one of them. */
  errorOf(error: unknown): TtsError {
    const known = publicError(error);
    if (SESSION_CODES.includes(known.code)) return known;
    if (known.code === 'no_worker_ready') return new TtsError('overloaded', known.message, { cause: error });
    return publicError(new Error('no code of a session', { cause: error }));
  }
}
