/** The stream-input endpoint: who may open a session, and the sockets of those that are open. */
import type { IncomingMessage } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { Condition } from '../../../condition.js';
import { publicError, TtsError } from '../../../protocol/errors.js';
import { MAX_FRAME_BYTES, STREAM_PATH, STREAM_PROTOCOL, TICKET_PROTOCOL_PREFIX } from '../../../protocol/stream.js';
import type { StreamParams } from '../../../protocol/stream-messages.js';
import { presentedKey } from '../../authenticate.js';
import type { ServerDeps, UpgradeContext, UpgradeHandler } from '../../deps.js';
import type { Grant, Grants } from '../../grants.js';
import { answerRaw } from '../../raw-response.js';
import { answerPings, createHeartbeat, type HeartbeatOptions } from './heartbeat.js';
import { Outbox } from './outbox.js';
import { parseParams } from './params.js';
import { StreamSession } from './session.js';
import { presentedTicket } from './tickets.js';

export interface StreamInputOptions {
  readonly heartbeat?: HeartbeatOptions;
}

const HEARTBEAT: HeartbeatOptions = { intervalMs: 20_000, timeoutMs: 45_000 };
/** What a client that was told to go has left to take its last message. */
const LAST_WORDS_MS = 500;

/** The one that is spoken, where it is offered; else the first, as ever, but never a ticket: that is nobody's to see again. */
function chooseProtocol(offered: Set<string>): string | false {
  if (offered.has(STREAM_PROTOCOL)) return STREAM_PROTOCOL;
  return [...offered].find((name) => !name.startsWith(TICKET_PROTOCOL_PREFIX)) ?? false;
}

/** What an accepted handshake holds until its session does. */
interface Granted {
  readonly params: StreamParams;
  readonly grant: Grant;
}

export function createStreamInput(
  deps: ServerDeps,
  grants: Grants,
  { heartbeat = HEARTBEAT }: StreamInputOptions = {},
): UpgradeHandler {
  const { catalogue, metrics, log, shutdown } = deps;
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    autoPong: false,
    handleProtocols: chooseProtocol,
  });
  const handshakeOf = new WeakMap<IncomingMessage, { requestId: string; refuse: (error: TtsError) => void }>();
  const sockets = new Set<WebSocket>();
  const sessions = new Set<StreamSession>();
  let handshakes = 0;
  const left = new Condition();
  const pulse = createHeartbeat(heartbeat);

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

  async function grant(request: IncomingMessage, context: UpgradeContext): Promise<Granted> {
    const { requestId, voiceId, query, authenticator, tickets } = context;
    const ticket = presentedKey(request) === undefined ? presentedTicket(request) : undefined;
    const prove = ticket === undefined ? undefined : () => tickets.redeem(ticket, { voice: voiceId, query });
    const key = await authenticator.authenticate(request, prove);
    const params = parseParams(query);
    const model = params.model_id;
    catalogue.get(model, voiceId, 'voice_id');
    const order = { route: 'stream_input', key, requestId, model, voice: voiceId, chars: 0 } as const;
    const { seed, enable_ssml_parsing: ssml, auto_mode: autoMode } = params;
    return { params, grant: await grants.open({ ...order, seed, ssml, autoMode }) };
  }

  function start(socket: WebSocket, requestId: string, { params, grant }: Granted): void {
    const session: StreamSession = new StreamSession({
      requestId,
      params,
      grant,
      log,
      outbox: new Outbox(socket),
      onEnd() {
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
    socket.on('error', (error) => log.debug({ requestId, err: error }, 'stream-input socket failed'));
    socket.once('close', () => {
      sockets.delete(socket);
      session.clientLeft();
    });
    if (shutdown.aborted) session.shutDown();
  }

  const handle: UpgradeHandler['handle'] = (request, socket, head, context) => {
    const { requestId } = context;
    const startedAtMs = performance.now();
    const report = (status: number, model?: string) =>
      metrics.request({
        route: STREAM_PATH,
        method: 'GET',
        status,
        seconds: (performance.now() - startedAtMs) / 1000,
        ...(model !== undefined && { model }),
      });
    const refuse = (error: unknown) => {
      const reason = publicError(error);
      // The path names the voice: one that is not there is a path that is not there.
      const status = reason.code === 'voice_not_found' ? 404 : reason.row.status;
      if (status === 500) log.error({ requestId, err: error }, 'a stream-input handshake failed');
      report(status);
      answerRaw(socket, reason, { requestId, status });
    };
    const onError = (error: Error) => log.debug({ requestId, err: error }, 'a stream-input handshake broke off');
    socket.on('error', onError);
    handshakes++;
    grant(request, context)
      .then((granted) => {
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
          report(101, granted.params.model_id);
          start(upgraded, requestId, granted);
          return undefined;
        }
        if (refusal !== undefined) refuse(refusal);
        return granted.grant.end({ outcome: 'refused', audioMs: 0, deliveredChars: 0, byClient: true });
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
