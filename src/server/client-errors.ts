/** Answers requests that Node's parser gave up on: too slow, too large, or not HTTP. */
import type { Socket } from 'node:net';
import { TtsError } from '../protocol/errors.js';
import type { Connections } from './access/connections.js';
import { newRequestId } from './request-id.js';
import { answerRaw } from './speech/raw-response.js';

function errorFor(code: string | undefined): TtsError | undefined {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new TtsError(
        'request_timeout',
        'The request arrived too slowly. Send its headers and body without pause.',
      );
    case 'HPE_HEADER_OVERFLOW':
      return new TtsError('headers_too_large', 'The headers are larger than 16384 bytes.');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new TtsError('body_too_large', 'The chunk extensions of the body are too large.');
    default:
      // A connection that broke has nobody left to answer.
      return code?.startsWith('HPE_') ? new TtsError('invalid_value', 'The request is not valid HTTP/1.1.') : undefined;
  }
}

export function createClientErrorHandler(
  connections: Connections,
  onAnswer: (status: number) => void,
): (error: NodeJS.ErrnoException, socket: Socket) => void {
  const given = new WeakSet<Socket>();
  return (error, socket) => {
    const wire = errorFor(error.code);
    if (wire === undefined) {
      socket.destroy();
      return;
    }
    // The parser says the same of every byte that follows.
    if (given.has(socket)) return;
    given.add(socket);
    // The request at fault is the one whose body was being read, or one that no route has seen.
    const open = connections.openOn(socket);
    const broken = open.find(({ request }) => !request.complete);
    const before = open.filter((exchange) => exchange !== broken);
    const answer = () => {
      // In the middle of a response there is no place for another one.
      if (broken?.response.headersSent) {
        socket.destroy();
        return;
      }
      onAnswer(wire.row.status);
      answerRaw(socket, wire, { requestId: broken?.requestId ?? newRequestId() });
    };
    connections.whenQuiet(socket, answer, before);
  };
}
