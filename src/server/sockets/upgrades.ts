/** Upgrade requests: WebSocket handshakes go to their endpoint, others are answered as HTTP. */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Connections } from '../access/connections.js';
import type { HostCheck } from '../access/hosts.js';
import { requestIdFor } from '../request-id.js';
import type { SocketEndpoint } from './socket-endpoint.js';

/** The parameter in a path that has one (`/voices/:id`); undefined for another path. */
export function parameterIn(pathname: string, template: string): string | undefined {
  const segments = template.split('/');
  const found = pathname.split('/');
  if (found.length !== segments.length) return undefined;
  let parameter: string | undefined;
  try {
    for (const [i, segment] of segments.entries()) {
      const decoded = decodeURIComponent(found[i]!);
      if (segment.startsWith(':')) parameter = decoded;
      else if (decoded !== segment) return undefined;
    }
  } catch {
    return undefined;
  }
  return parameter === '' ? undefined : parameter;
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
  readonly endpoints: readonly SocketEndpoint[];
  /** The path as the routes have it. */
  readPath(target: string | undefined): string;
  readonly connections: Connections;
  readonly checkHost: HostCheck;
  readonly secure: boolean;
}

export function attachUpgrades(server: Server, options: UpgradeOptions): void {
  const { endpoints, readPath, connections, checkHost, secure } = options;

  function answer(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const url = readPath(request.url);
    const mark = url.indexOf('?');
    const [pathname, query] = mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
    const endpoint = endpoints.find(({ path }) => parameterIn(pathname, path) !== undefined);
    const isHandshake = request.method === 'GET' && request.headers.upgrade?.toLowerCase() === 'websocket';
    if (endpoint === undefined || !isHandshake || checkHost(request) !== undefined) {
      replay(server, request, socket, head, secure);
      return;
    }
    const requestId = requestIdFor(request.headers);
    const voiceId = parameterIn(pathname, endpoint.path)!;
    void endpoint.handle({ request, socket, head, requestId, voiceId, query: new URLSearchParams(query) });
  }

  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    connections.whenQuiet(socket, () => answer(request, socket, head));
  });
}
