/** Connections: how many an address may hold, and the requests being answered on each. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { addressGroup } from './failure-brake.js';

/** A request and its answer. */
export interface Exchange {
  readonly requestId: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly arrivedMs: number;
  /** Aborts when the client leaves before the response is whole; Fastify's own does so earlier. */
  readonly signal: AbortSignal;
  /** True when the whole response was handed to the socket, false when the client left before. */
  readonly ended: Promise<boolean>;
}

export interface ConnectionsOptions {
  /** 0 for no bound. */
  readonly perAddress: number;
  readonly secure: boolean;
  /** Whether an address may hold any number: a proxy, whose connections are those of many. */
  readonly exempt?: (address: string | undefined) => boolean;
  readonly onRefused?: (address: string) => void;
}

/** Unanswered requests that one connection may hold. Node reads all that a client sends. */
const MAX_PIPELINED = 64;

export class Connections {
  /** The end of each exchange that is open on a connection, in the order of the requests. */
  readonly #open = new WeakMap<Duplex, Map<Exchange, () => void>>();

  /** Refuses connections of an address that has too many. Node bounds those of all together. */
  bound(server: Server, { perAddress, secure, exempt, onRefused }: ConnectionsOptions): void {
    if (perAddress === 0) return;
    const counts = new Map<string, number>();
    const counted = new WeakSet<Socket>();
    server.prependListener(secure ? 'secureConnection' : 'connection', (socket: Socket) => {
      // One that was handed back to the parser comes by a second time.
      if (counted.has(socket) || exempt?.(socket.remoteAddress)) return;
      counted.add(socket);
      const address = addressGroup(socket.remoteAddress);
      const count = (counts.get(address) ?? 0) + 1;
      if (count > perAddress) {
        onRefused?.(address);
        socket.destroy();
        return;
      }
      counts.set(address, count);
      socket.once('close', () => {
        const left = counts.get(address)! - 1;
        if (left === 0) counts.delete(address);
        else counts.set(address, left);
      });
    });
  }

  /** Ignores requests of closed connections, which Node's parser may still read. */
  skipGone(server: Server): void {
    const listeners = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[];
    server.removeAllListeners('request');
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (request.socket.destroyed) return;
      for (const listener of listeners) listener.call(server, request, response);
    });
  }

  /** To be called before anything is awaited, or a close may be missed. */
  begin(request: IncomingMessage, response: ServerResponse, requestId: string): Exchange {
    const { socket } = request;
    const left = new AbortController();
    let end: () => void = () => undefined;
    const ended = new Promise<boolean>((resolve) => {
      end = () => {
        if (!open.delete(exchange)) return;
        if (!response.writableFinished) left.abort();
        resolve(response.writableFinished);
      };
    });
    const exchange: Exchange = {
      requestId,
      request,
      response,
      arrivedMs: performance.now(),
      signal: left.signal,
      ended,
    };
    const open = this.#openOn(socket);
    open.set(exchange, end);
    response.once('finish', end);
    response.once('close', end);
    if (open.size > MAX_PIPELINED) socket.destroy();
    if (socket.destroyed) end();
    return exchange;
  }

  /** What is open on a connection, first request first. */
  openOn(socket: Duplex): Exchange[] {
    return [...(this.#open.get(socket)?.keys() ?? [])];
  }

  /**
   * Calls back when all earlier requests of this connection are answered, at once where they are.
   * Node hands a connection over for an upgrade while earlier answers are still being written.
   */
  whenQuiet(socket: Socket, go: () => void, before: readonly Exchange[] = this.openOn(socket)): void {
    if (before.length === 0) {
      go();
      return;
    }
    const onDrain = () => {
      for (const { response } of before) if (response.socket === socket) response.emit('drain');
    };
    const onError = () => socket.destroy();
    socket.on('drain', onDrain);
    socket.on('error', onError);
    void Promise.all(before.map(({ ended }) => ended)).then(() => {
      socket.off('drain', onDrain);
      socket.off('error', onError);
      socket.setTimeout(0);
      if (!socket.destroyed) go();
    });
  }

  #openOn(socket: Duplex): Map<Exchange, () => void> {
    let open = this.#open.get(socket);
    if (open === undefined) {
      open = new Map();
      this.#open.set(socket, open);
      const all = open;
      // A response that waits behind another one is never told that their connection closed.
      socket.once('close', () => {
        for (const end of [...all.values()]) end();
      });
    }
    return open;
  }
}
