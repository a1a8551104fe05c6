/** Upgrade requests: handshakes on the stream-input path go to their handler, everything else is answered as plain HTTP. */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { STREAM_PATH } from '../protocol/stream.js';
import type { Connections } from './connections.js';
import type { Authenticator, UpgradeHandler } from './deps.js';
import type { HostCheck } from './hosts.js';
import { requestIdFor } from './request-id.js';
import type { StreamTickets } from './v1/stream-input/tickets.js';

const SEGMENTS = STREAM_PATH.split('/');

/** The voice in a path of the stream-input endpoint; undefined for another path. */
export function voiceInPath(pathname: string): string | undefined {
  const found = pathname.split('/');
  if (found.length !== SEGMENTS.length) return undefined;
  let voice: string | undefined;
  try {
    for (const [i, segment] of SEGMENTS.entries()) {
      const decoded = decodeURIComponent(found[i]!);
      if (segment.startsWith(':')) voice = decoded;
      else if (decoded !== segment) return undefined;
    }
  } catch {
    return undefined;
  }
  return voice === '' ? undefined : voice;
}

/** The request once more without its wish to upgrade, for Node's parser to read as any other. */
function replay(server: Server, request: IncomingMessage, socket: Socket, head: Buffer, secure: boolean): void {
  let text = `${request.method} ${request.url} HTTP/${request.httpVersion}\r\n`;
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    const name = request.rawHeaders[i]!;
    if (/^(upgrade|connection|http2-settings)$/i.test(name)) continue;
    text += `${name}: ${request.rawHeaders[i + 1]}\r\n`;
  }
  socket.unshift(Buffer.concat([Buffer.from(`${text}connection: close\r\n\r\n`, 'latin1'), head]));
  server.emit(secure ? 'secureConnection' : 'connection', socket);
}

export interface UpgradeOptions {
  readonly handler: UpgradeHandler | undefined;
  readonly authenticator: Authenticator;
  readonly tickets: StreamTickets;
  readonly connections: Connections;
  readonly checkHost: HostCheck;
  readonly secure: boolean;
}

export function attachUpgrades(server: Server, options: UpgradeOptions): void {
  const { handler, authenticator, tickets, connections, checkHost, secure } = options;

  function answer(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const url = request.url ?? '';
    const mark = url.indexOf('?');
    const [pathname, query] = mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
    const voiceId = voiceInPath(pathname);
    const isHandshake = request.method === 'GET' && request.headers.upgrade?.toLowerCase() === 'websocket';
    if (handler === undefined || voiceId === undefined || !isHandshake || checkHost(request) !== undefined) {
      replay(server, request, socket, head, secure);
      return;
    }
    const requestId = requestIdFor(request.headers);
    const context = { requestId, voiceId, query: new URLSearchParams(query), authenticator, tickets };
    handler.handle(request, socket, head, context);
  }

  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    connections.whenQuiet(socket, () => answer(request, socket, head));
  });
}
