/** Listens for Wyoming clients: those of this machine, and those of networks that are allowed. */
import { createServer, type Server, type Socket } from 'node:net';
import type { Logger } from '../log.js';
import { isLoopbackHost, type Networks } from '../protocol/networks.js';
import { WyomingConnection } from './connection.js';
import type { Speaker } from './speaker.js';

/** Connections at once; Home Assistant opens one for each answer, a satellite keeps one. */
const MAX_CONNECTIONS = 256;
/** Addresses whose refusal was logged: each is told once. */
const MAX_TOLD = 100;

export interface WyomingServerOptions {
  readonly speaker: Speaker;
  /** Clients beyond this machine. */
  readonly allow: Networks;
  readonly log: Logger;
}

export class WyomingServer {
  readonly #options: WyomingServerOptions;
  readonly #server: Server;
  readonly #connections = new Map<WyomingConnection, Promise<void>>();
  readonly #told = new Set<string>();

  constructor(options: WyomingServerOptions) {
    this.#options = options;
    // A client may close its side once it has asked.
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket));
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  /** Resolves with the port taken; rejects with the system's error. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.removeListener('error', reject);
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  /** What is being spoken may end within `graceMs`; the rest is broken off. */
  async stop(graceMs: number): Promise<void> {
    this.#server.close();
    for (const connection of this.#connections.keys()) connection.stop();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([Promise.all(this.#connections.values()), late]);
    clearTimeout(timer);
    for (const connection of this.#connections.keys()) connection.destroy();
    this.#options.speaker.close();
  }

  #accept(socket: Socket): void {
    const { allow, speaker, log } = this.#options;
    const { remoteAddress: address = '' } = socket;
    if (!isLoopbackHost(address) && !allow.has(address)) {
      this.#tellRefused(address);
      socket.destroy();
      return;
    }
    const connection = new WyomingConnection({ socket, speaker, log });
    const run = connection.run();
    this.#connections.set(connection, run);
    socket.once('close', () => this.#connections.delete(connection));
  }

  #tellRefused(address: string): void {
    if (this.#told.has(address) || this.#told.size >= MAX_TOLD) return;
    this.#told.add(address);
    this.#options.log.warn({ address }, 'a Wyoming client was refused: its network is not in --wyoming-allow');
  }
}
