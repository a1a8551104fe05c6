/** A path that speaks WebSocket: its handshakes, accepted or refused, and its open sessions. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { Condition } from '../../condition.js';
import { publicError, TtsError } from '../../protocol/errors.js';
import { MAX_FRAME_BYTES } from '../../protocol/stream.js';
import { beginSpan, type TraceSpan } from '../../trace.js';
import type { AcceptedSocket, Door, ServerParts, SpeechSocket } from '../door.js';
import { defaultShape } from '../error-handler.js';
import { answerRaw } from '../speech/raw-response.js';
import { answerPings, Heartbeat } from './heartbeat.js';
import { Outbox } from './outbox.js';
import { SpeechSession } from './speech-session.js';

/** A handshake as the server received it. */
export interface UpgradeRequest {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  readonly head: Buffer;
  readonly requestId: string;
  readonly voiceId: string;
  readonly query: URLSearchParams;
}

/** A handshake on its way to an answer. */
interface Opening extends UpgradeRequest {
  readonly trace: TraceSpan;
  readonly arrivedMs: number;
  /** Set once the key was accepted. */
  keyId: string | undefined;
  /** What `ws` found wrong with the handshake. */
  invalid: TtsError | undefined;
}

/** How long a client has to take the last message of a server that stops (ms). */
const LAST_WORDS_MS = 500;

export class SocketEndpoint {
  /** The whole path, as metrics and traces name it. */
  readonly path: string;
  readonly #door: Door;
  readonly #endpoint: SpeechSocket;
  readonly #parts: ServerParts;
  readonly #server: WebSocketServer;
  readonly #heartbeat: Heartbeat;
  readonly #openings = new Map<IncomingMessage, Opening>();
  readonly #sockets = new Set<WebSocket>();
  readonly #sessions = new Set<SpeechSession>();
  readonly #changed = new Condition();

  constructor(door: Door, endpoint: SpeechSocket, parts: ServerParts) {
    this.path = `${door.prefix}${endpoint.path}`;
    this.#door = door;
    this.#endpoint = endpoint;
    this.#parts = parts;
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: MAX_FRAME_BYTES,
      perMessageDeflate: false,
      autoPong: false,
      ...(endpoint.chooseProtocol && { handleProtocols: endpoint.chooseProtocol }),
    });
    this.#heartbeat = new Heartbeat(parts.settings.heartbeat, parts.clock);
    this.#server.on('headers', (headers, request) => {
      headers.push(`x-request-id: ${this.#openings.get(request)!.requestId}`);
    });
    this.#server.on('wsClientError', (error, _socket, request) => {
      const message = `This is not a valid WebSocket handshake: ${error.message}.`;
      this.#openings.get(request)!.invalid = new TtsError('invalid_value', message, { cause: error });
    });
    parts.metrics.announce(endpoint.route);
    parts.shutdown.addEventListener('abort', () => this.#shutDown());
  }

  /** Answers a handshake: with a session, or with an error as plain HTTP. */
  async handle(upgrade: UpgradeRequest): Promise<void> {
    const { request, socket, requestId } = upgrade;
    const arrivedMs = performance.now();
    const attributes = { 'http.request.method': 'GET', 'http.route': this.path, 'tts.request_id': requestId };
    const span = { name: `GET ${this.path}`, attributes, startMs: arrivedMs };
    const trace = beginSpan(request.headers.traceparent, span);
    const opening: Opening = { ...upgrade, trace, arrivedMs, keyId: undefined, invalid: undefined };
    const onError = (error: Error) =>
      this.#parts.log.debug({ requestId, err: error, path: this.path }, 'a WebSocket handshake broke off');
    socket.on('error', onError);
    this.#openings.set(request, opening);
    try {
      const accepted = await this.#accept(opening);
      const upgraded = this.#upgrade(opening);
      if (upgraded === undefined) await this.#abandon(opening, accepted);
      else {
        socket.off('error', onError);
        this.#start(upgraded, opening, accepted);
      }
    } catch (error) {
      this.#refuse(opening, error);
    } finally {
      this.#openings.delete(request);
      this.#changed.notify();
    }
  }

  /** Resolves when every session has ended. */
  drained(): Promise<void> {
    return this.#changed.until(() => this.#sessions.size === 0 && this.#openings.size === 0);
  }

  /** Breaks what is left. */
  terminate(): void {
    this.#heartbeat.stop();
    for (const session of this.#sessions) session.stop();
    this.#hurry(this.#sockets);
  }

  #accept(opening: Opening): Promise<AcceptedSocket> {
    const { authenticator } = this.#parts;
    return this.#endpoint.accept({
      ...opening,
      async authenticate(prove) {
        const key = await authenticator.authenticate(opening.request, prove);
        opening.keyId = key.id;
        return key;
      },
    });
  }

  /** Undefined where the client is gone, or its handshake is none. */
  #upgrade({ request, socket, head }: Opening): WebSocket | undefined {
    let upgraded: WebSocket | undefined;
    // Calls back at once, or tells at once what is wrong, or finds the client gone and says
    // nothing.
    if (!socket.destroyed) this.#server.handleUpgrade(request, socket, head, (webSocket) => (upgraded = webSocket));
    return upgraded;
  }

  async #abandon(opening: Opening, { speech, release }: AcceptedSocket): Promise<void> {
    if (opening.invalid !== undefined) this.#refuse(opening, opening.invalid);
    opening.trace.end();
    release?.();
    if ('end' in speech) await speech.end({ outcome: 'refused', audioMs: 0, deliveredChars: 0, byClient: true });
  }

  #start(socket: WebSocket, opening: Opening, { model, release, ...accepted }: AcceptedSocket): void {
    const { requestId, trace } = opening;
    const { log, shutdown, clock } = this.#parts;
    this.#report(opening, 101, model);
    const session: SpeechSession = new SpeechSession({
      ...accepted,
      requestId,
      clock,
      outbox: new Outbox(socket, clock),
      log: trace.traceId === undefined ? log : log.child({ traceId: trace.traceId }),
      onEnd: () => {
        release?.();
        trace.end();
        this.#sessions.delete(session);
        if (shutdown.aborted) this.#hurry([socket]);
        this.#changed.notify();
      },
    });
    this.#sessions.add(session);
    this.#sockets.add(socket);
    answerPings(socket);
    this.#heartbeat.watch(socket, (nowMs) => session.audioAheadMs(nowMs));
    socket.on('message', (data, isBinary) => session.receive(data as Buffer, isBinary));
    socket.on('error', (error) => log.debug({ requestId, err: error, path: this.path }, 'a WebSocket failed'));
    socket.once('close', () => {
      this.#sockets.delete(socket);
      session.clientLeft();
    });
    if (shutdown.aborted) session.shutDown();
  }

  #refuse(opening: Opening, error: unknown): void {
    const { requestId, keyId, trace, arrivedMs, socket } = opening;
    const { permits, log } = this.#parts;
    const reason = publicError(error);
    const { status: usual, ...answer } = (this.#door.errors ?? defaultShape)(reason, requestId);
    // The path names the voice: one that is not there is a path that is not there.
    const status = reason.code === 'voice_not_found' ? 404 : usual;
    if (status === 500) log.error({ requestId, err: error, path: this.path }, 'a WebSocket handshake failed');
    this.#report(opening, status);
    permits.failures.add(reason, { requestId, route: this.path, keyId });
    if (keyId !== undefined) {
      const { route } = this.#endpoint;
      permits.logged.refused(reason, { requestId, keyId, route, traceId: trace.traceId, arrivedMs });
    }
    trace.end(reason.code);
    answerRaw(socket, reason, { requestId, status, ...answer });
  }

  #report({ arrivedMs, trace }: Opening, status: number, model?: string): void {
    const seconds = (performance.now() - arrivedMs) / 1000;
    const answered = { route: this.path, method: 'GET', status, seconds };
    this.#parts.metrics.request({ ...answered, ...(model !== undefined && { model }) });
    trace.set({ 'http.response.status_code': status });
  }

  #shutDown(): void {
    for (const session of this.#sessions) session.shutDown();
    this.#hurry([...this.#sockets].filter((socket) => socket.readyState !== socket.OPEN));
  }

  /** `ws` waits half a minute for the other side's close, for which a stop has no time. */
  #hurry(closing: Iterable<WebSocket>): void {
    const timer = setTimeout(() => {
      for (const socket of closing) socket.terminate();
    }, LAST_WORDS_MS);
    timer.unref();
  }
}
