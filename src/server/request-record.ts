/** Records each HTTP request when it has ended: metrics, a log line, its trace, its failure. */
import type { Server } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SPEECH_MODELS } from '../protocol/contract.js';
import type { TtsError } from '../protocol/errors.js';
import { beginSpan, NO_SPAN } from '../trace.js';
import type { Connections } from './access/connections.js';
import type { HostCheck } from './access/hosts.js';
import type { ServerParts } from './door.js';

type RecordParts = Pick<ServerParts, 'metrics' | 'permits' | 'shutdown'>;

/** The first hook of every request: from here on it has an exchange, and its end is recorded. */
export function recordRequests(
  app: FastifyInstance,
  parts: RecordParts,
  { connections, checkHost }: { readonly connections: Connections; readonly checkHost: HostCheck },
): void {
  const { shutdown } = parts;
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    if (shutdown.aborted) reply.header('connection', 'close');
    request.exchange = connections.begin(request.raw, reply.raw, request.id);
    beginTrace(request);
    void request.exchange.ended.then((whole) => {
      // 499 is nginx's status for a client that left before its answer was whole.
      recordEnd(request, whole ? reply.raw.statusCode : 499, parts);
      // A connection kept alive would hold the stop up for as long as its client keeps it.
      if (shutdown.aborted) setImmediate(() => (app.server as Server).closeIdleConnections());
    });
    done(checkHost(request.raw));
  });
}

function recordEnd(request: FastifyRequest, status: number, { metrics, permits }: RecordParts): void {
  const { method, failure, key, id: requestId, permitted, trace } = request;
  const seconds = (performance.now() - request.exchange.arrivedMs) / 1000;
  const route = request.routeOptions.url ?? 'unknown';
  metrics.request({ route, method, status, seconds, ...modelOf(request) });
  // The failure of a request with a permit is recorded when that is settled.
  if (failure !== undefined && !permitted) {
    permits.failures.add(failure, { requestId, route, keyId: key?.id });
    logRefusal(request, failure, permits);
  }
  const line = { method, route, status, ms: Math.round(seconds * 1000) };
  request.log[permitted ? 'debug' : 'info'](line, 'request');
  trace.set({ 'http.response.status_code': status });
  trace.end(failure?.code);
}

/** The label of a model that exists: labels must not take any value a caller likes. */
function modelOf({ body, query }: FastifyRequest): { model?: string } {
  const named = [body, query].map((from) => (from as { model?: unknown } | null | undefined)?.model);
  const model = SPEECH_MODELS.find((known) => named.includes(known));
  return model === undefined ? {} : { model };
}

/** Begins the span of a request for speech; log lines of the request name its trace. */
function beginTrace(request: FastifyRequest): void {
  const { method, exchange, routeOptions, headers } = request;
  request.trace = NO_SPAN;
  if (routeOptions.config?.speechRoute === undefined) return;
  const route = routeOptions.url ?? '';
  const attributes = { 'http.request.method': method, 'http.route': route, 'tts.request_id': request.id };
  const span = { name: `${method} ${route}`, attributes, startMs: exchange.arrivedMs };
  request.trace = beginSpan(headers.traceparent, span);
  const { traceId } = request.trace;
  if (traceId !== undefined) request.log = request.log.child({ traceId });
}

/** Logs a refused request for speech. Without a valid key nobody can fill the request log. */
function logRefusal(request: FastifyRequest, failure: TtsError, { logged }: ServerParts['permits']): void {
  const { speechRoute } = request.routeOptions.config;
  if (speechRoute === undefined || request.key === null) return;
  logged.refused(failure, {
    requestId: request.id,
    keyId: request.key.id,
    route: speechRoute,
    ...modelOf(request),
    traceId: request.trace.traceId,
    arrivedMs: request.exchange.arrivedMs,
  });
}
