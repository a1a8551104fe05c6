/** Pings, ours and theirs: a peer that vanished without a word is noticed, a listener that is merely behind is left in peace. */
import type { WebSocket } from 'ws';

export interface HeartbeatOptions {
  readonly intervalMs: number;
  /** How long a peer may be silent, pongs included. */
  readonly timeoutMs: number;
}

export interface Heartbeat {
  /** `behindMs`: how much longer an answer may take because the peer has yet to read, at its own pace, what was sent. */
  watch(socket: WebSocket, behindMs: (nowMs: number) => number): void;
  stop(): void;
}

/** Pongs that may wait for a client to read them; one that pings on without reading only wants our memory. */
const MAX_WAITING_PONGS = 256;

/** Instead of the library's own answers, which have no bound. */
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

export function createHeartbeat({ intervalMs, timeoutMs }: HeartbeatOptions): Heartbeat {
  const peers = new Map<WebSocket, { heardAtMs: number; behindMs: (nowMs: number) => number }>();
  let lookedAtMs = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    // A server that was frozen or starved heard nobody meanwhile; what came then is read after this.
    const lateMs = Math.max(0, now - lookedAtMs - intervalMs);
    lookedAtMs = now;
    for (const [socket, peer] of peers) {
      if (now - peer.heardAtMs > timeoutMs + lateMs + peer.behindMs(now)) socket.terminate();
      else if (socket.readyState === socket.OPEN) socket.ping();
    }
  }, intervalMs);
  timer.unref();
  return {
    watch(socket, behindMs) {
      const peer = { heardAtMs: performance.now(), behindMs };
      const heard = () => {
        peer.heardAtMs = performance.now();
      };
      peers.set(socket, peer);
      socket.on('pong', heard);
      socket.on('message', heard);
      socket.once('close', () => peers.delete(socket));
    },
    stop: () => clearInterval(timer),
  };
}
