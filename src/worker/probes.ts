/** Health probes of a worker for an orchestrator. */
import { createServer, type Server } from 'node:http';

export interface ProbeOptions {
  /** In words: why it takes no work now; undefined where it does. */
  readonly notReady: () => string | undefined;
}

/** Answers `GET /healthz` and `GET /readyz`, and reads no body. */
export function createProbes({ notReady }: ProbeOptions): Server {
  return createServer((request, response) => {
    const path = request.url?.split('?', 1)[0];
    const why = path === '/readyz' ? notReady() : undefined;
    const known = request.method === 'GET' && (path === '/healthz' || path === '/readyz');
    const status = known ? (why === undefined ? 200 : 503) : 404;
    const body = known ? { status: why === undefined ? 'ok' : 'not ready', ...(why && { reason: why }) } : {};
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(body));
  });
}
