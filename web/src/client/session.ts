/** A session of the stream-input WebSocket, opened with a ticket. */
import { STREAM_PROTOCOL, TICKET_PROTOCOL_PREFIX } from '../../../src/protocol/stream.js';
import { ApiError } from './request.js';
import type { Alignment } from './types.js';

export interface SessionOptions {
  /** With `ws:` or `wss:`, path and query. */
  readonly url: string;
  /** Node 20 has no WebSocket of its own. */
  readonly WebSocket: typeof WebSocket;
  readonly ticket: (signal: AbortSignal) => Promise<string>;
  readonly onAudio: (pcm: Int16Array, alignment: Alignment | undefined) => void;
  /** The session has ended; without an error where all audio came. */
  readonly onEnd: (error?: Error) => void;
}

/** Interval of keepalives, which keep a session open while nothing is typed (ms). */
const KEEPALIVE_MS = 20_000;

/** `WebSocket.OPEN`. */
const OPEN = 1;

interface Message {
  readonly audio?: string;
  readonly alignment?: Alignment;
  readonly isFinal?: boolean;
  readonly error?: string;
  readonly message?: string;
  readonly requestId?: string;
}

export class SpeechSession {
  readonly #options: SessionOptions;
  readonly #abort = new AbortController();
  #socket: WebSocket | undefined;
  #waiting: object[] = [];
  #over = false;
  #keepalive: ReturnType<typeof setInterval> | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#send({ text: ' ' });
    void this.#open().catch((error: Error) => this.#end(error));
  }

  text(text: string, flush = false): void {
    if (text === '' && !flush) return;
    // A single space would be a keepalive, and would not separate two words.
    this.#send({ text: text === ' ' ? '\n' : text || ' ', ...(flush && { flush }) });
  }

  finish(): void {
    this.#send({ text: '' });
  }

  /** Ends the session at once. */
  close(): void {
    this.#over = true;
    this.#abort.abort();
    clearInterval(this.#keepalive);
    this.#socket?.close();
  }

  async #open(): Promise<void> {
    const { url, ticket, WebSocket: Socket } = this.#options;
    const shown = await ticket(this.#abort.signal);
    if (this.#over) return;
    const socket = new Socket(url, [STREAM_PROTOCOL, TICKET_PROTOCOL_PREFIX + shown]);
    this.#socket = socket;
    let opened = false;
    socket.onopen = () => {
      opened = true;
      for (const message of this.#waiting.splice(0)) socket.send(JSON.stringify(message));
      this.#keepalive = setInterval(() => this.#send({ text: ' ' }), KEEPALIVE_MS);
    };
    socket.onmessage = ({ data }) => this.#hear(JSON.parse(data as string) as Message);
    // Browsers hide why a handshake was refused. The ticket was good, so the server is busy.
    socket.onclose = () =>
      this.#end(
        new ApiError(
          0,
          'connection_lost',
          opened ? 'The connection to the server was lost.' : 'The server is busy. Try again in a moment.',
          undefined,
        ),
      );
    // Always followed by a close; where nobody listens, some sockets throw.
    socket.onerror = () => undefined;
  }

  #hear(message: Message): void {
    if (this.#over) return;
    if (message.error !== undefined) {
      this.#end(new ApiError(0, message.error, message.message ?? message.error, message.requestId));
    } else if (message.isFinal) this.#end();
    else if (message.audio !== undefined) this.#options.onAudio(samplesOf(message.audio), message.alignment);
  }

  #send(message: object): void {
    if (this.#socket?.readyState === OPEN) this.#socket.send(JSON.stringify(message));
    else if (!this.#over) this.#waiting.push(message);
  }

  #end(error?: Error): void {
    if (this.#over) return;
    this.close();
    this.#options.onEnd(error);
  }
}

function samplesOf(base64: string): Int16Array {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new Int16Array(bytes.buffer);
}
