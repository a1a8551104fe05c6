/** An endpoint that speaks WebSocket: its handshakes, accepted or refused, and the sockets of the sessions that are open. */
import type { IncomingMessage } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { Condition } from '../../condition.js';
import type { Logger } from '../../log.js';
import { publicError, TtsError } from '../../protocol/errors.js';
import { MAX_FRAME_BYTES } from '../../protocol/stream.js';
import { beginSpan, type TraceSpan } from '../../trace.js';
import type { Authenticator, ServerDeps, UpgradeContext, UpgradeHandler } from '../deps.js';
import { answerRaw } from '../speech/raw-response.js';
import { answerPings, createHeartbeat, type HeartbeatOptions } from './heartbeat.js';
import { Outbox } from './outbox.js';

/** What the endpoint tells a session of its socket and its server. */
export interface SocketSession {
  receive(data: Buffer, isBinary: boolean): void;
  /** The socket closed, whoever closed it. */
  clientLeft(): void;
  /** The server stops: what has begun is finished, the rest turned away. */
  shutDown(): void;
  /** The server has waited long enough. */
  stop(): void;
  /** Audio a listener at normal speed cannot have heard yet. */
  audioAheadMs(nowMs: number): number;
}

interface Refusal {
  readonly requestId: string;
  readonly keyId: string | undefined;
  readonly traceId: string | undefined;
  readonly arrivedMs: number;
}

interface SessionPlace {
  readonly requestId: string;
  readonly outbox: Outbox;
  /** Names the session's trace, where it has one. */
  readonly log: Logger;
  /** To be called once, when everything the session held was given back. */
  readonly onEnd: () => void;
}

export interface SocketEndpointOptions<Accepted> {
  /** As the metrics and the log name it. */
  readonly path: string;
  readonly name: string;
  readonly heartbeat?: HeartbeatOptions | undefined;
  /** Of the subprotocols that a client offers; the first where it is left out. */
  chooseProtocol?(offered: Set<string>): string | false;
  /** Who may open a session; rejects where a handshake is refused. */
  accept(request: IncomingMessage, context: UpgradeContext & { readonly trace: TraceSpan }): Promise<Accepted>;
  modelOf(accepted: Accepted): string;
  start(accepted: Accepted, place: SessionPlace): SocketSession;
  /** Accepted, but the client is gone or its handshake is none. */
  abandon(accepted: Accepted): Promise<void>;
  /** `about.keyId` where the key had been accepted. */
  onRefused?(error: TtsError, about: Refusal): void;
  /** How a refusal is told; the status and body of the table where it is left out. */
  told?(error: TtsError, requestId: string): { readonly status: number; readonly body: object };
}

const HEARTBEAT: HeartbeatOptions = { intervalMs: 20_000, timeoutMs: 45_000 };
/** What a client that was told to go has left to take its last message. */
const LAST_WORDS_MS = 500;

export function createSocketEndpoint<Accepted>(
  { metrics, log, shutdown }: Pick<ServerDeps, 'metrics' | 'log' | 'shutdown'>,
  endpoint: SocketEndpointOptions<Accepted>,
): UpgradeHandler {
  const { path, name } = endpoint;
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    autoPong: false,
    ...(endpoint.chooseProtocol && { handleProtocols: endpoint.chooseProtocol }),
  });
  const handshakeOf = new WeakMap<IncomingMessage, { requestId: string; refuse: (error: TtsError) => void }>();
  const sockets = new Set<WebSocket>();
  const sessions = new Set<SocketSession>();
  let handshakes = 0;
  const left = new Condition();
  const pulse = createHeartbeat(endpoint.heartbeat ?? HEARTBEAT);

  /** The library waits half a minute for the other side's close, which a stop has not. */
  const hurry = (closing: Iterable<WebSocket>): void => {
    const timer = setTimeout(() => {
      for (const socket of closing) socket.terminate();
    }, LAST_WORDS_MS);
    timer.unref();
  };

  server.on('headers', (headers, request) => {
    headers.push(`x-request-id: ${handshakeOf.get(request)!.requestId}`);
  });
  // A handshake that the protocol itself forbids: answered like every other refusal.
  server.on('wsClientError', (error, _socket, request) => {
    const message = `This is not a valid WebSocket handshake: ${error.message}.`;
    handshakeOf.get(request)!.refuse(new TtsError('invalid_value', message, { cause: error }));
  });

  function start(socket: WebSocket, requestId: string, accepted: Accepted, trace: TraceSpan): void {
    const session: SocketSession = endpoint.start(accepted, {
      requestId,
      outbox: new Outbox(socket),
      log: trace.traceId === undefined ? log : log.child({ traceId: trace.traceId }),
      onEnd() {
        trace.end();
        sessions.delete(session);
        if (shutdown.aborted) hurry([socket]);
        left.notify();
      },
    });
    sessions.add(session);
    sockets.add(socket);
    answerPings(socket);
    pulse.watch(socket, (nowMs) => session.audioAheadMs(nowMs));
    socket.on('message', (data, isBinary) => session.receive(data as Buffer, isBinary));
    socket.on('error', (error) => log.debug({ requestId, err: error }, `${name} socket failed`));
    socket.once('close', () => {
      sockets.delete(socket);
      session.clientLeft();
    });
    if (shutdown.aborted) session.shutDown();
  }

  const handle: UpgradeHandler['handle'] = (request, socket, head, context) => {
    const { requestId } = context;
    const startedAtMs = performance.now();
    const attributes = { 'http.request.method': 'GET', 'http.route': path, 'tts.request_id': requestId };
    const trace = beginSpan(request.headers.traceparent, { name: `GET ${path}`, attributes, startMs: startedAtMs });
    let keyId: string | undefined;
    const authenticator: Authenticator = {
      async authenticate(handshake, prove) {
        const key = await context.authenticator.authenticate(handshake, prove);
        keyId = key.id;
        return key;
      },
    };
    const report = (status: number, model?: string) =>
      metrics.request({
        route: path,
        method: 'GET',
        status,
        seconds: (performance.now() - startedAtMs) / 1000,
        ...(model !== undefined && { model }),
      });
    const refuse = (error: unknown) => {
      const reason = publicError(error);
      const told = endpoint.told?.(reason, requestId);
      // The path names the voice: one that is not there is a path that is not there.
      const status = told?.status ?? (reason.code === 'voice_not_found' ? 404 : reason.row.status);
      if (status === 500) log.error({ requestId, err: error }, `a ${name} handshake failed`);
      report(status);
      endpoint.onRefused?.(reason, { requestId, keyId, traceId: trace.traceId, arrivedMs: startedAtMs });
      trace.set({ 'http.response.status_code': status });
      trace.end(reason.code);
      answerRaw(socket, reason, { requestId, status, ...(told && { body: told.body }) });
    };
    const onError = (error: Error) => log.debug({ requestId, err: error }, `a ${name} handshake broke off`);
    socket.on('error', onError);
    handshakes++;
    endpoint
      .accept(request, { ...context, authenticator, trace })
      .then((accepted) => {
        let refusal: TtsError | undefined;
        let upgraded: WebSocket | undefined;
        handshakeOf.set(request, {
          requestId,
          refuse(error) {
            refusal = error;
          },
        });
        // Calls back at once, tells its refusal at once, or finds the client gone and says nothing.
        if (!socket.destroyed) server.handleUpgrade(request, socket, head, (webSocket) => (upgraded = webSocket));
        if (upgraded !== undefined) {
          socket.off('error', onError);
          report(101, endpoint.modelOf(accepted));
          trace.set({ 'http.response.status_code': 101 });
          start(upgraded, requestId, accepted, trace);
          return undefined;
        }
        if (refusal !== undefined) refuse(refusal);
        trace.end();
        return endpoint.abandon(accepted);
      })
      .catch((error) => refuse(error))
      .finally(() => {
        handshakes--;
        left.notify();
      });
  };

  shutdown.addEventListener('abort', () => {
    for (const session of sessions) session.shutDown();
    hurry([...sockets].filter((socket) => socket.readyState !== socket.OPEN));
  });

  return {
    handle,
    drained: () => left.until(() => sessions.size === 0 && handshakes === 0),
    terminate() {
      pulse.stop();
      for (const session of sessions) session.stop();
      hurry(sockets);
    },
  };
}
