/** Messages to a client. One that reads slowly slows its own speech; a few seconds are buffered. */
import { WebSocket } from 'ws';
import type { Clock } from '../../clock.js';
import { STOP_STALL_MS } from '../settings.js';

/** About four seconds of audio in its base64. */
const HIGH_WATER_BYTES = 262_144;

export class Outbox {
  readonly #socket: WebSocket;
  readonly #clock: Clock;
  #progressAtMs: number;

  constructor(socket: WebSocket, clock: Clock) {
    this.#socket = socket;
    this.#clock = clock;
    this.#progressAtMs = clock.now();
  }

  get empty(): boolean {
    return this.#socket.bufferedAmount === 0;
  }

  /** More waits than is ever sent ahead: the client is not reading. */
  get full(): boolean {
    return this.#socket.bufferedAmount > HIGH_WATER_BYTES;
  }

  /** While the server stops: calls `giveUp` where the client takes nothing for `STOP_STALL_MS`. */
  watchStall(giveUp: () => void): void {
    if (this.#socket.readyState === WebSocket.CLOSED) return;
    if (!this.empty && this.#clock.now() - this.#progressAtMs >= STOP_STALL_MS) giveUp();
    else this.#clock.setTimeout(() => this.watchStall(giveUp), STOP_STALL_MS / 5).unref();
  }

  /** Resolves when there is room for more. Rejects with an AbortError when the socket is gone. */
  send(message: object): Promise<void> {
    return this.#send(message, HIGH_WATER_BYTES);
  }

  /** Resolves when the message was handed to the operating system. Rejects as `send` does. */
  deliver(message: object): Promise<void> {
    return this.#send(message, -1);
  }

  /** Says why and closes: the last words of a session that failed. */
  closeWith(message: object, code: number): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#socket.send(JSON.stringify(message));
    this.#socket.close(code);
  }

  close(code: number): void {
    this.#socket.close(code);
  }

  #send(message: object, enoughBytes: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.empty) this.#progressAtMs = this.#clock.now();
      this.#socket.send(JSON.stringify(message), (error) => {
        this.#progressAtMs = this.#clock.now();
        if (error) reject(new DOMException('The client left', 'AbortError'));
        else resolve();
      });
      if (this.#socket.readyState === WebSocket.OPEN && this.#socket.bufferedAmount <= enoughBytes) resolve();
    });
  }
}
