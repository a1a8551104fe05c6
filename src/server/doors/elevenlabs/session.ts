/**
 * One socket in ElevenLabs' dialect. On `stream-input` it is one stretch of speech: empty text ends it, its final message
 * closes the socket. On `multi-stream-input` there is one for each context that messages name: empty text keeps one alive,
 * `close_context` ends one, `close_socket` all of them.
 */
import type { AudioFormat } from '../../../audio/format.js';
import type { Logger } from '../../../log.js';
import { publicError, TtsError } from '../../../protocol/errors.js';
import type { Outbox } from '../../sockets/outbox.js';
import type { SocketSession } from '../../sockets/socket-endpoint.js';
import type { Grant } from '../../speech/grants.js';
import { type ClientMessage, parseMessage } from './messages.js';
import { SpeechContext } from './speech-context.js';
import { speedOf } from './speech-request.js';
import type { WaitingContext } from './waiting-contexts.js';

export interface SessionOptions {
  readonly multi: boolean;
  readonly requestId: string;
  readonly format: AudioFormat;
  readonly inactivityS: number;
  readonly outbox: Outbox;
  readonly log: Logger;
  /** A grant for one stretch of speech. */
  readonly open: (order: { readonly requestId: string; readonly speed: number }) => Promise<Grant>;
  /** Tells where the key of the socket is refused later on; the result ends that. */
  readonly watchKey: (onRefused: (reason: TtsError) => void) => () => void;
  /** A place among the contexts that wait for their grant. Throws `overloaded` where there is none. */
  readonly enter: () => WaitingContext;
  readonly onEnd: () => void;
}

/** Contexts that one socket may hold at once; what a key may hold is decided by its limits. */
const MAX_CONTEXTS = 20;
/** Contexts of one socket that are done, but not yet read to their end or settled. */
const MAX_LEAVING = 40;
/** Ids of contexts that failed, remembered so that what a client had already sent for them opens no new one. */
const MAX_FAILED = 100;
/** Where a message names no context. */
const UNNAMED = '';

export class ElevenLabsSession implements SocketSession {
  readonly #options: SessionOptions;
  /** Those that take messages, by their ids. */
  readonly #contexts = new Map<string, SpeechContext>();
  /** Done, and not yet settled: their ids may name others. */
  readonly #leaving = new Set<SpeechContext>();
  readonly #failed = new Set<string>();
  readonly #unwatchKey: () => void;
  #count = 0;
  #idle: NodeJS.Timeout | undefined;
  /** Nothing more is read: the socket closes when the last context has ended. */
  #closing = false;
  #stopping = false;
  #closed = false;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#unwatchKey = options.watchKey((reason) => this.#fail(reason));
    this.#watchIdleness();
  }

  audioAheadMs(nowMs: number): number {
    let ms = 0;
    for (const context of this.#held()) ms += context.audioAheadMs(nowMs);
    return ms;
  }

  receive(data: Buffer, isBinary: boolean): void {
    if (this.#closing || this.#closed) return;
    try {
      const message = parseMessage(data, isBinary);
      if (this.#options.multi) this.#takeNamed(message);
      else this.#takeOnly(message);
      this.#watchIdleness();
    } catch (error) {
      this.#fail(error);
    }
  }

  clientLeft(): void {
    this.#end('cancelled', true);
  }

  shutDown(): void {
    this.#stopping = true;
    if (this.#isEmpty) this.stop();
    else this.#options.outbox.watchStall(() => this.stop());
  }

  stop(): void {
    this.#fail(new TtsError('shutting_down', 'The server is stopping. Connect again once it is back.'));
  }

  #takeOnly({ text, flush, voiceSettings }: ClientMessage): void {
    const first = this.#contexts.get(UNNAMED);
    const context = first ?? this.#open(UNNAMED, voiceSettings);
    if (text === '') {
      this.#closing = true;
      context.end();
      return;
    }
    // A single space begins a session, and keeps it alive.
    if (text === undefined || text === ' ') context.touch();
    else context.append(text);
    if (flush) context.flush();
  }

  #takeNamed({ text = '', flush, voiceSettings, contextId = UNNAMED, closeContext, closeSocket }: ClientMessage): void {
    if (closeSocket) {
      this.#closing = true;
      for (const open of this.#contexts.values()) open.end();
      this.#closeWhenDone();
      return;
    }
    // A message with settings begins a context, so it is none of what was on its way when the last one failed.
    if (voiceSettings !== undefined && voiceSettings !== null) this.#failed.delete(contextId);
    if (this.#failed.has(contextId)) return;
    const known = this.#contexts.get(contextId);
    // The single space that opens a context is not spoken; a later one may stand between two words.
    if (text !== '') {
      const context = known ?? this.#openNamed(contextId, voiceSettings);
      if (known !== undefined || text !== ' ') context?.append(text);
      if (flush) context?.flush();
    } else if (flush) known?.flush();
    else known?.touch();
    if (closeContext) this.#contexts.get(contextId)?.end();
  }

  /** Undefined where there is no place for it now, which the client is told. */
  #openNamed(id: string, voiceSettings: unknown): SpeechContext | undefined {
    try {
      return this.#open(id, voiceSettings);
    } catch (error) {
      if (!(error instanceof TtsError) || error.code !== 'overloaded') throw error;
      this.#tell(error, id);
      return undefined;
    }
  }

  #open(id: string, voiceSettings: unknown): SpeechContext {
    const { multi, requestId, format, inactivityS, outbox, enter } = this.#options;
    if (this.#contexts.size >= MAX_CONTEXTS) {
      const message = `A connection may hold ${MAX_CONTEXTS} contexts at once. Close one with "close_context" first.`;
      throw new TtsError('invalid_message', message, { param: 'context_id' });
    }
    if (this.#leaving.size >= MAX_LEAVING) {
      const message = `${MAX_LEAVING} contexts of this connection have ended and were not read to their end yet.`;
      throw new TtsError('overloaded', `${message} Read what was sent before opening more.`, { retryAfterS: 1 });
    }
    const waiting = enter();
    const speed = speedOf(voiceSettings);
    const label = multi ? `${requestId}.${++this.#count}` : requestId;
    const context: SpeechContext = new SpeechContext({
      id: id === UNNAMED ? undefined : id,
      format,
      inactivityMs: inactivityS * 1000,
      outbox,
      open: () => this.#options.open({ requestId: label, speed }),
      waiting,
      onInactive: () => (multi ? context.end() : this.#fail(this.#inactive())),
      onFailure: (error) => this.#tell(error, id),
      onDone: () => {
        if (this.#contexts.get(id) === context) this.#contexts.delete(id);
        this.#leaving.add(context);
      },
      onEnd: () => this.#contextEnded(context),
    });
    this.#contexts.set(id, context);
    return context;
  }

  /** A context failed: the others of its socket go on. */
  #tell(error: unknown, id: string): void {
    const { multi, outbox } = this.#options;
    if (!multi) {
      this.#fail(error);
      return;
    }
    if (outbox.full) {
      this.#fail(new TtsError('overloaded', 'What was sent is not being read.'));
      return;
    }
    if (id !== UNNAMED) this.#failed.add(id);
    if (this.#failed.size > MAX_FAILED) this.#failed.delete(this.#failed.values().next().value!);
    const reason = this.#log(error);
    const contextId = id === UNNAMED ? {} : { contextId: id };
    void outbox.send({ error: reason.code, message: reason.message, ...contextId }).catch(() => undefined);
    void outbox.send({ isFinal: true, ...contextId }).catch(() => undefined);
  }

  #contextEnded(context: SpeechContext): void {
    this.#leaving.delete(context);
    if (this.#closed) {
      if (this.#isEmpty) this.#options.onEnd();
      return;
    }
    if (!this.#options.multi) this.#closing = true;
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
    const reason = this.#log(error);
    const { close } = reason.row;
    this.#options.outbox.closeWith({ error: reason.code, message: reason.message, code: close }, close);
    this.#end('failed', reason.row.status < 500);
  }

  /** The one way out: whatever still speaks is given up. */
  #end(outcome: 'failed' | 'cancelled', byClient: boolean): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#unwatchKey();
    clearTimeout(this.#idle);
    if (this.#isEmpty) this.#options.onEnd();
    for (const context of this.#held()) context.cancel(outcome, byClient);
  }

  /** All contexts that hold something. */
  #held(): SpeechContext[] {
    return [...this.#contexts.values(), ...this.#leaving];
  }

  get #isEmpty(): boolean {
    return this.#contexts.size === 0 && this.#leaving.size === 0;
  }

  #log(error: unknown): TtsError {
    const { log, requestId } = this.#options;
    const reason = publicError(error);
    const told = { requestId, code: reason.code };
    if (reason.row.close === 1011) log.error({ ...told, err: error }, 'a session of the elevenlabs door failed');
    else log.debug(told, 'a session of the elevenlabs door was ended');
    return reason;
  }

  #inactive(): TtsError {
    const { inactivityS } = this.#options;
    return new TtsError('inactivity_timeout', `No message came for ${inactivityS} seconds.`);
  }

  /** A socket without contexts; those that are open watch over themselves. */
  #watchIdleness(): void {
    clearTimeout(this.#idle);
    if (this.#closed || !this.#isEmpty) return;
    this.#idle = setTimeout(() => this.#fail(this.#inactive()), this.#options.inactivityS * 1000);
  }
}
