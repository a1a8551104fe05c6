/** Pings: a peer that vanished is noticed; one that has audio left to read is given time. */
import type { WebSocket } from 'ws';
import { type Clock, systemClock, type Timer } from '../../clock.js';

export interface HeartbeatOptions {
  readonly intervalMs: number;
  /** How long a peer may be silent, pongs included. */
  readonly timeoutMs: number;
}

/** How much longer a pong may take because the peer has yet to read what was sent. */
type BehindMs = (nowMs: number) => number;

/** Pongs that may wait for a client to read them; beyond that the client only uses up memory. */
const MAX_WAITING_PONGS = 256;

/** Instead of the answers of `ws` itself, which have no bound. */
export function answerPings(socket: WebSocket): void {
  let waiting = 0;
  socket.on('ping', (data) => {
    if (waiting >= MAX_WAITING_PONGS) {
      socket.terminate();
      return;
    }
    waiting++;
    socket.pong(data, false, () => {
      waiting--;
    });
  });
}

/** The part of a socket that a heartbeat uses. */
interface Peer extends Pick<WebSocket, 'readyState' | 'OPEN' | 'terminate'> {
  ping(): void;
  on(event: 'pong' | 'message', listener: () => void): unknown;
  once(event: 'close', listener: () => void): unknown;
}

export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #clock: Clock;
  readonly #timer: Timer;
  readonly #peers = new Map<Peer, { lastSeenMs: number; readonly behindMs: BehindMs }>();
  #checkedMs: number;

  constructor(options: HeartbeatOptions, clock: Clock = systemClock) {
    this.#options = options;
    this.#clock = clock;
    this.#checkedMs = clock.now();
    this.#timer = clock.setInterval(() => this.#check(), options.intervalMs).unref();
  }

  watch(socket: Peer, behindMs: BehindMs): void {
    const peer = { lastSeenMs: this.#clock.now(), behindMs };
    const seen = () => {
      peer.lastSeenMs = this.#clock.now();
    };
    this.#peers.set(socket, peer);
    socket.on('pong', seen);
    socket.on('message', seen);
    socket.once('close', () => this.#peers.delete(socket));
  }

  stop(): void {
    this.#timer.cancel();
  }

  #check(): void {
    const { intervalMs, timeoutMs } = this.#options;
    const now = this.#clock.now();
    // While the server was frozen or starved it read nothing; what came then is read after this
    // check.
    const lateMs = Math.max(0, now - this.#checkedMs - intervalMs);
    this.#checkedMs = now;
    for (const [socket, { lastSeenMs, behindMs }] of this.#peers) {
      if (now - lastSeenMs > timeoutMs + lateMs + behindMs(now)) socket.terminate();
      else if (socket.readyState === socket.OPEN) socket.ping();
    }
  }
}
