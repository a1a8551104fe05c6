/**
 * The messages of both sockets. On `stream-input` a socket is one stretch of speech: empty text
 * ends it, its final message closes the socket. On `multi-stream-input` there is one for each
 * context that messages name: empty text keeps one alive, `close_context` ends one, `close_socket`
 * all of them.
 */
import type { AudioFormat } from '../../../audio/format.js';
import type { TtsError } from '../../../protocol/errors.js';
import type { SpeechCodec } from '../../sockets/speech-context.js';
import { type SocketContexts, type SocketDialect, UNNAMED } from '../../sockets/speech-session.js';
import { createAudioMessages } from './audio-messages.js';
import { type ClientMessage, parseMessage } from './messages.js';
import { speedOf } from './speech-request.js';

/** The field that names a context in the server's messages. */
const named = (contextId: string) => (contextId === UNNAMED ? {} : { contextId });

export class SingleDialect implements SocketDialect {
  readonly #format: AudioFormat;
  readonly #see: (message: ClientMessage) => void;

  /** `see` looks at every message before it is acted on. What it throws ends the session. */
  constructor(format: AudioFormat, see: (message: ClientMessage) => void) {
    this.#format = format;
    this.#see = see;
  }

  protected read(data: Buffer, isBinary: boolean): ClientMessage {
    const message = parseMessage(data, isBinary);
    this.#see(message);
    return message;
  }

  receive(data: Buffer, isBinary: boolean, contexts: SocketContexts): void {
    const { text, flush, voiceSettings } = this.read(data, isBinary);
    const context = contexts.get(UNNAMED) ?? contexts.open(UNNAMED, speedOf(voiceSettings));
    if (text === '') {
      contexts.endAll();
      return;
    }
    // A single space begins a session, and keeps it alive.
    if (text === undefined || text === ' ') context?.touch();
    else context?.append(text);
    if (flush) context?.flush();
  }

  codec(contextId: string): Promise<SpeechCodec> {
    return createAudioMessages(this.#format, named(contextId));
  }

  sessionError({ code, message, row }: TtsError): object {
    return { error: code, message, code: row.close };
  }
}

export class MultiDialect extends SingleDialect {
  override receive(data: Buffer, isBinary: boolean, contexts: SocketContexts): void {
    const message = this.read(data, isBinary);
    const { text = '', flush, voiceSettings, contextId = UNNAMED } = message;
    if (message.closeSocket) {
      contexts.endAll();
      return;
    }
    // A message with settings begins a context, so it was not on its way when the last one failed.
    if (voiceSettings !== undefined && voiceSettings !== null) contexts.forgetFailure(contextId);
    if (contexts.hasFailed(contextId)) return;
    const known = contexts.get(contextId);
    if (text !== '') {
      const context = known ?? contexts.open(contextId, speedOf(voiceSettings));
      // The single space that opens a context is not spoken; a later one may stand between two
      // words.
      if (known !== undefined || text !== ' ') context?.append(text);
      if (flush) context?.flush();
    } else if (flush) known?.flush();
    else known?.touch();
    if (message.closeContext) contexts.get(contextId)?.end();
  }

  contextError({ code, message }: TtsError, contextId: string): object[] {
    return [
      { error: code, message, ...named(contextId) },
      { isFinal: true, ...named(contextId) },
    ];
  }
}
