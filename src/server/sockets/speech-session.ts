/**
 * One socket and its contexts, at any door: how many there are, which of them takes a message, and
 * when the socket closes. What the messages look like is the dialect's business.
 */
import type { Clock, Timer } from '../../clock.js';
import type { Logger } from '../../log.js';
import { publicError, TtsError } from '../../protocol/errors.js';
import type { Permit } from '../speech/permit.js';
import type { Outbox } from './outbox.js';
import { type SpeechCodec, SpeechContext } from './speech-context.js';
import type { WaitingContext } from './waiting-contexts.js';

/** The messages of a door's socket. An object serves one socket, so that it may keep a state. */
export interface SocketDialect {
  /** Reads a message and acts on the contexts that it is for. What it throws ends the session. */
  receive(data: Buffer, isBinary: boolean, contexts: SocketContexts): void;
  /** Writes the speech of a context. */
  codec(contextId: string): SpeechCodec | Promise<SpeechCodec>;
  /** The last message of a session that failed. */
  sessionError(error: TtsError, requestId: string): object;
  /** The messages for a context that failed; absent where a socket ends with its one context. */
  contextError?(error: TtsError, contextId: string): readonly object[];
  /** The dialect's own error for an error; that of the table where this is left out. */
  errorOf?(error: unknown): TtsError;
  /** What a client can do to keep a socket open, as a sentence. */
  readonly keepAlive?: string;
}

/** What a message can do with the contexts of its socket. */
export interface SocketContexts {
  get(contextId: string): SpeechContext | undefined;
  /** Throws where the socket holds too many; undefined where an error was sent instead. */
  open(contextId: string, speed: number): SpeechContext | undefined;
  /** Whether the last context of this id failed: messages for it may still arrive. */
  hasFailed(contextId: string): boolean;
  forgetFailure(contextId: string): void;
  /** Ends all contexts; nothing more is read, and the socket closes when they are spoken. */
  endAll(): void;
}

/** Contexts that are opened by messages: where their permits come from. */
interface ContextOpener {
  permit(order: { readonly requestId: string; readonly speed: number }): Promise<Permit>;
  /** A place among the contexts that wait for a permit. Throws `overloaded` without one. */
  wait(): WaitingContext;
  /** Tells when the key of the socket is refused later on. The result ends that. */
  watchKey(onRefused: (reason: TtsError) => void): () => void;
}

export interface SpeechSessionOptions {
  readonly dialect: SocketDialect;
  readonly inactivityS: number;
  /** Of the one context that the handshake opens, or where others come from. */
  readonly speech: Permit | ContextOpener;
}

/** What the endpoint gives a session. */
export interface SessionPlace {
  readonly clock: Clock;
  readonly requestId: string;
  readonly outbox: Outbox;
  /** Names the session's trace, where it has one. */
  readonly log: Logger;
  /** To be called once, when everything the session held was given back. */
  readonly onEnd: () => void;
}

/** Contexts that one socket may hold at once; what a key may hold is decided by its limits. */
const MAX_CONTEXTS = 20;
/** Contexts of one socket that are done, but not yet read to their end or settled. */
const MAX_LEAVING = 40;
/** Ids of contexts that failed, remembered so that messages on their way open no new one. */
const MAX_FAILED = 100;
/** The id of a socket's only context, and of one that the client does not name. */
export const UNNAMED = '';

export class SpeechSession implements SocketContexts {
  readonly #options: SpeechSessionOptions & SessionPlace;
  /** Contexts that take messages, by their ids. */
  readonly #contexts = new Map<string, SpeechContext>();
  /** Contexts that are done and not yet settled: their ids may name others. */
  readonly #leaving = new Set<SpeechContext>();
  readonly #failed = new Set<string>();
  readonly #unwatchKey: (() => void) | undefined;
  #count = 0;
  #idle: Timer | undefined;
  /** Nothing more is read: the socket closes when the last context has ended. */
  #closing = false;
  #stopping = false;
  #closed = false;

  constructor(options: SpeechSessionOptions & SessionPlace) {
    this.#options = options;
    const { speech } = options;
    if ('watchKey' in speech) this.#unwatchKey = speech.watchKey((reason) => this.#fail(reason));
    else this.#begin(UNNAMED, speech);
    this.#watchIdleness();
  }

  receive(data: Buffer, isBinary: boolean): void {
    if (this.#closing || this.#closed) return;
    try {
      this.#options.dialect.receive(data, isBinary, this);
      this.#watchIdleness();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The socket closed, whichever side closed it. */
  clientLeft(): void {
    this.#end('cancelled', true);
  }

  /** The server stops: speech that has begun is finished, the rest turned away. */
  shutDown(): void {
    this.#stopping = true;
    if (this.#held().every(({ begun }) => !begun)) this.stop();
    else this.#options.outbox.watchStall(() => this.stop());
  }

  /** The server has waited long enough. */
  stop(): void {
    this.#fail(new TtsError('shutting_down', 'The server is stopping. Connect again once it is back.'));
  }

  /** Audio that a listener at normal speed cannot have heard yet. */
  audioAheadMs(nowMs: number): number {
    return this.#held().reduce((ms, context) => ms + context.audioAheadMs(nowMs), 0);
  }

  get(id: string): SpeechContext | undefined {
    return this.#contexts.get(id);
  }

  open(id: string, speed: number): SpeechContext | undefined {
    const { speech, requestId } = this.#options;
    if (!('wait' in speech)) return undefined;
    try {
      this.#checkRoom();
      const waiting = speech.wait();
      const label = this.#isMulti ? `${requestId}.${++this.#count}` : requestId;
      return this.#begin(id, () => speech.permit({ requestId: label, speed }), waiting);
    } catch (error) {
      if (!this.#isMulti || !(error instanceof TtsError) || error.code !== 'overloaded') throw error;
      this.#contextFailed(error, id);
      return undefined;
    }
  }

  hasFailed(id: string): boolean {
    return this.#failed.has(id);
  }

  forgetFailure(id: string): void {
    this.#failed.delete(id);
  }

  endAll(): void {
    this.#closing = true;
    for (const context of this.#contexts.values()) context.end();
    this.#closeWhenDone();
  }

  get #isMulti(): boolean {
    return this.#options.dialect.contextError !== undefined;
  }

  #checkRoom(): void {
    if (this.#contexts.size >= MAX_CONTEXTS) {
      const message = `A connection may hold ${MAX_CONTEXTS} contexts at once. Close one with "close_context" first.`;
      throw new TtsError('invalid_message', message, { param: 'context_id' });
    }
    if (this.#leaving.size >= MAX_LEAVING) {
      const message = `${MAX_LEAVING} contexts of this connection have ended and were not read to their end yet.`;
      throw new TtsError('overloaded', `${message} Read what was sent before opening more.`, { retryAfterS: 1 });
    }
  }

  #begin(id: string, permit: Permit | (() => Promise<Permit>), waiting?: WaitingContext): SpeechContext {
    const { clock, inactivityS, outbox, dialect } = this.#options;
    const context: SpeechContext = new SpeechContext({
      clock,
      outbox,
      inactivityMs: inactivityS * 1000,
      codec: () => dialect.codec(id),
      permit,
      waiting,
      onInactive: () => (this.#isMulti ? context.end() : this.#fail(this.#inactive())),
      onFailure: (error) => this.#contextFailed(error, id),
      onDone: () => {
        if (this.#contexts.get(id) === context) this.#contexts.delete(id);
        this.#leaving.add(context);
      },
      onEnd: () => this.#contextEnded(context),
    });
    this.#contexts.set(id, context);
    return context;
  }

  /** The other contexts of the socket go on. */
  #contextFailed(error: unknown, id: string): void {
    const { outbox, dialect } = this.#options;
    if (dialect.contextError === undefined) {
      this.#fail(error);
      return;
    }
    if (outbox.full) {
      this.#fail(new TtsError('overloaded', 'What was sent is not being read.'));
      return;
    }
    if (id !== UNNAMED) this.#failed.add(id);
    if (this.#failed.size > MAX_FAILED) this.#failed.delete(this.#failed.values().next().value!);
    for (const message of dialect.contextError(this.#log(error), id)) void outbox.send(message).catch(() => undefined);
  }

  #contextEnded(context: SpeechContext): void {
    this.#leaving.delete(context);
    if (this.#closed) {
      if (this.#isEmpty) this.#options.onEnd();
      return;
    }
    if (!this.#isMulti) this.#closing = true;
    if (this.#stopping && this.#isEmpty && !this.#closing) this.stop();
    this.#closeWhenDone();
    this.#watchIdleness();
  }

  #closeWhenDone(): void {
    if (!this.#closing || this.#closed || !this.#isEmpty) return;
    this.#options.outbox.close(1000);
    this.#end('cancelled', true);
  }

  #fail(error: unknown): void {
    if (this.#closed) return;
    const { outbox, dialect, requestId } = this.#options;
    const reason = this.#log(error);
    outbox.closeWith(dialect.sessionError(reason, requestId), reason.row.close);
    this.#end('failed', reason.row.status < 500, reason);
  }

  /** The one way out: contexts that still speak are given up. */
  #end(outcome: 'failed' | 'cancelled', byClient: boolean, error?: unknown): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#unwatchKey?.();
    this.#idle?.cancel();
    if (this.#isEmpty) this.#options.onEnd();
    for (const context of this.#held()) context.close(outcome, byClient, error);
  }

  /** All contexts that hold something. */
  #held(): SpeechContext[] {
    return [...this.#contexts.values(), ...this.#leaving];
  }

  get #isEmpty(): boolean {
    return this.#contexts.size === 0 && this.#leaving.size === 0;
  }

  #log(error: unknown): TtsError {
    const { log, requestId, dialect } = this.#options;
    const reason = dialect.errorOf?.(error) ?? publicError(error);
    const line = { requestId, code: reason.code };
    if (reason.row.close === 1011) log.error({ ...line, err: error }, 'a WebSocket session failed');
    else log.debug(line, 'a WebSocket session was ended');
    return reason;
  }

  #inactive(): TtsError {
    const { inactivityS, dialect } = this.#options;
    const advice = dialect.keepAlive === undefined ? '' : ` ${dialect.keepAlive}`;
    return new TtsError('inactivity_timeout', `No message came for ${inactivityS} seconds.${advice}`);
  }

  /** Of a socket without contexts; each context watches over itself. */
  #watchIdleness(): void {
    this.#idle?.cancel();
    if (this.#closed || !this.#isEmpty) return;
    const { clock, inactivityS } = this.#options;
    this.#idle = clock.setTimeout(() => this.#fail(this.#inactive()), inactivityS * 1000);
  }
}
