/**
 * A TCP proxy whose network can fail: silent in both directions, as a partition is, reset, or far
 * away.
 */
import { createConnection, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** Nothing passes any more, and no connection ends: bytes wait until `heal`. */
  cut(): void;
  heal(): void;
  /** From now on what is sent arrives so much later, in either direction. */
  delay(ms: number): void;
  /** Everybody is thrown out; new connections are taken. */
  reset(): void;
  close(): Promise<void>;
}

export async function startProxy(target: { readonly port: number; readonly host?: string }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  /** Sockets whose other side closed while nothing passed. */
  const closing = new Set<Socket>();
  let isCut = false;
  let delayMs = 0;
  const forward = (from: Socket, to: Socket) => {
    sockets.add(from);
    /** On its way; whichever timer fires, what was sent first arrives first. */
    const sent: Buffer[] = [];
    from.on('data', (data: Buffer) => {
      if (delayMs === 0 && sent.length === 0) {
        to.write(data);
        return;
      }
      sent.push(data);
      setTimeout(() => {
        const next = sent.shift();
        if (to.writable) to.write(next!);
      }, delayMs);
    });
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      // A close is a packet too.
      if (isCut) closing.add(to);
      else to.end();
    });
    if (isCut) from.pause();
  };
  const server = createServer((near) => {
    const far = createConnection({ host: target.host ?? '127.0.0.1', port: target.port });
    // Else a small message waits 40 ms for the acknowledgement of the one before.
    for (const socket of [near, far]) socket.setNoDelay(true);
    forward(near, far);
    forward(far, near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const each = (act: (socket: Socket) => void) => [...sockets].forEach(act);
  return {
    port: (server.address() as { port: number }).port,
    cut() {
      isCut = true;
      each((socket) => socket.pause());
    },
    heal() {
      isCut = false;
      each((socket) => socket.resume());
      for (const socket of closing) socket.end();
      closing.clear();
    },
    delay(ms) {
      delayMs = ms;
    },
    reset: () => each((socket) => socket.resetAndDestroy()),
    async close() {
      each((socket) => socket.destroy());
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
