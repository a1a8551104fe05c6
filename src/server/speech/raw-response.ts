/** Errors written straight to a socket: for broken requests and refused handshakes. */
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { TtsError } from '../../protocol/errors.js';
import { errorBody } from '../../protocol/http.js';

/** The headers that belong to an error, whichever way it is answered. */
export function errorHeaders(error: TtsError): Record<string, string> {
  const headers: Record<string, string> = {};
  if (error.row.status === 401) headers['www-authenticate'] = 'Bearer';
  if (error.row.status === 426) headers.upgrade = 'websocket';
  if (error.retryAfterS !== undefined) headers['retry-after'] = String(error.retryAfterS);
  else if (error.row.status === 429 || error.row.status === 503) headers['retry-after'] = '1';
  return headers;
}

export interface RawAnswer {
  readonly requestId: string;
  /** Overrides the table's status where a route answers with its own. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** In the shape of a door of another family. */
  readonly body?: object;
}

/** Writes the error as a whole HTTP response and closes the connection. */
export function answerRaw(socket: Duplex, error: TtsError, answer: RawAnswer): void {
  const { requestId, status, headers = {} } = answer;
  if (socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const body = Buffer.from(JSON.stringify(answer.body ?? errorBody(error, requestId)));
  const code = status ?? error.row.status;
  const lines = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(body.length),
    connection: 'close',
    date: new Date().toUTCString(),
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
    ...errorHeaders(error),
    ...headers,
  };
  let head = `HTTP/1.1 ${code} ${STATUS_CODES[code] ?? 'Error'}\r\n`;
  for (const [name, value] of Object.entries(lines)) head += `${name}: ${value}\r\n`;
  // A socket destroyed with unread input resets, and the reset overtakes the answer: read on a
  // little.
  socket.on('error', () => socket.destroy());
  socket.resume();
  socket.end(Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), body]));
  const timer = setTimeout(() => socket.destroy(), 1_000);
  socket.once('close', () => clearTimeout(timer));
}
