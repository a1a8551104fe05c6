/** Upgrade requests: handshakes on the stream-input path go to their handler, everything else is answered as plain HTTP. */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { STREAM_PATH } from '../protocol/stream.js';
import type { Authenticator, UpgradeHandler } from './deps.js';
import { requestIdFor } from './request-id.js';

const [BEFORE, AFTER] = STREAM_PATH.split(':voice_id') as [string, string];

/** The voice in a path of the stream-input endpoint; undefined for another path. */
export function voiceInPath(pathname: string): string | undefined {
  if (!pathname.startsWith(BEFORE) || !pathname.endsWith(AFTER)) return undefined;
  const encoded = pathname.slice(BEFORE.length, pathname.length - AFTER.length);
  if (encoded === '' || encoded.includes('/')) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/** The request once more without its wish to upgrade, for Node's parser to read as any other. */
function replay(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer, secure: boolean): void {
  let text = `${request.method} ${request.url} HTTP/${request.httpVersion}\r\n`;
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    const name = request.rawHeaders[i]!;
    if (/^(upgrade|connection|http2-settings)$/i.test(name)) continue;
    text += `${name}: ${request.rawHeaders[i + 1]}\r\n`;
  }
  socket.unshift(Buffer.concat([Buffer.from(`${text}connection: close\r\n\r\n`, 'latin1'), head]));
  server.emit(secure ? 'secureConnection' : 'connection', socket);
}

export function attachUpgrades(
  server: Server,
  handler: UpgradeHandler | undefined,
  authenticator: Authenticator,
  secure: boolean,
): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const [pathname = '', query = ''] = (request.url ?? '').split('?', 2);
    const voiceId = voiceInPath(pathname);
    const isHandshake = request.method === 'GET' && request.headers.upgrade?.toLowerCase() === 'websocket';
    if (handler === undefined || voiceId === undefined || !isHandshake) {
      replay(server, request, socket, head, secure);
      return;
    }
    handler.handle(request, socket, head, {
      requestId: requestIdFor(request.headers),
      voiceId,
      query: new URLSearchParams(query),
      authenticator,
    });
  });
}
