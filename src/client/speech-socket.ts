/** The WebSocket client: sends text in pieces, receives samples with the times of the text. */
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { Condition } from '../condition.js';
import { pcmSamples, samplesToMs } from '../protocol/audio.js';
import { isErrorCode, printable, TtsError } from '../protocol/errors.js';
import { MAX_FRAME_BYTES, streamPath } from '../protocol/stream.js';
import type {
  Alignment,
  AudioMessage,
  ClientMessage,
  ServerMessage,
  StreamParams,
} from '../protocol/stream-messages.js';
import { headersOf, type ServerAddress, socketEndpoint, trustIn } from './address.js';
import { connectionLost, errorOfConnecting, errorOfResponse, orOneDelivery } from './wire-error.js';

export interface SpokenChunk {
  readonly pcm: Int16Array;
  /** Present where `sync_alignment` was asked for. */
  readonly alignment: Alignment | undefined;
}

export interface SpeechSocket {
  readonly requestId: string | undefined;
  /** Appends text. An empty text and a single space mean something else on this wire. */
  send(text: string, flush?: boolean): void;
  /** No more text; what is left is spoken. */
  end(): void;
  /** In order, until the server has sent all. The network is not read while nothing is consumed. */
  readonly audio: AsyncIterable<SpokenChunk>;
  close(): void;
}

export interface SpeechSocketOptions extends ServerAddress {
  readonly voice: string;
  readonly params: Partial<StreamParams>;
  /** A speed other than 1 and a style take ElevenLabs' dialect: the contract's own has neither. */
  readonly speed?: number;
}

/** Audio messages held before reading pauses: a few seconds of audio. */
const HELD_MESSAGES = 64;
const UNKNOWN_CLOSE = 1006;
const OTHER_DOOR = '/elevenlabs';
const PARTNER_ONLY =
  'tts stream, and tts speak with --seed, --ssml or subtitles, need a Partner key; a Free key speaks with plain tts speak -m base-tts:free.';

export async function openSpeechSocket(options: SpeechSocketOptions, signal: AbortSignal): Promise<SpeechSocket> {
  signal.throwIfAborted();
  const { speed = 1 } = options;
  const isContract = speed === 1 && options.delivery === undefined;
  const url = socketEndpoint(options.baseUrl, `${isContract ? '' : OTHER_DOOR}${streamPath(options.voice)}`);
  if (!isContract) url.searchParams.set('output_format', 'pcm_24000');
  for (const [name, value] of Object.entries(options.params)) url.searchParams.set(name, String(value));
  const socket = new WebSocket(url, {
    ...trustIn(options),
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_BYTES * 4,
    headers: headersOf(options),
  });
  const incoming = receive(socket, signal);
  const requestId = await opened(socket, url, signal).catch((error: unknown) => {
    throw isContract ? error : orOneDelivery(error, OTHER_DOOR);
  });
  incoming.requestId = requestId;
  const send = (message: ClientMessage) => socket.send(JSON.stringify(message));
  send(speed === 1 ? { text: ' ' } : { text: ' ', voice_settings: { speed } });

  return {
    requestId,
    send(text, flush = false) {
      if (text === '' || text === ' ') throw new RangeError('a single space or an empty text is not text on this wire');
      send(flush ? { text, flush } : { text });
    },
    end: () => send({ text: '' }),
    audio: incoming.chunks(),
    close: () => socket.terminate(),
  };
}

function opened(socket: WebSocket, url: URL, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let requestId: string | undefined;
    socket.once('upgrade', (response) => {
      requestId = headerOf(response, 'x-request-id');
    });
    socket.once('open', () => resolve(requestId));
    socket.once('error', (cause) => reject(signal.aborted ? signal.reason : errorOfConnecting(cause, url)));
    socket.once('unexpected-response', (request, response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('close', () => {
        const requestId = headerOf(response, 'x-request-id');
        const error = errorOfResponse({
          status: response.statusCode ?? 0,
          body: Buffer.concat(parts).toString('utf8'),
          requestId,
          retryAfter: headerOf(response, 'retry-after'),
        });
        // The server advises a model that only HTTP has.
        reject(
          error.code === 'early_access_required'
            ? new TtsError(error.code, PARTNER_ONLY, { cause: error, ...(requestId ? { requestId } : {}) })
            : error,
        );
        request.destroy();
      });
    });
  });
}

function headerOf(response: IncomingMessage, name: string): string | undefined {
  const value = response.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

interface Incoming {
  requestId: string | undefined;
  chunks(): AsyncIterable<SpokenChunk>;
}

/** Holds messages until they are consumed, and pauses the socket while enough are held. */
function receive(socket: WebSocket, signal: AbortSignal): Incoming {
  const held: SpokenChunk[] = [];
  let samples = 0;
  let ended: 'final' | Error | undefined;
  const changed = new Condition();
  const incoming: Incoming = { requestId: undefined, chunks };

  const finish = (how: 'final' | Error) => {
    ended ??= how;
    changed.notify();
  };
  const abort = () => {
    finish(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    socket.terminate();
  };
  signal.addEventListener('abort', abort, { once: true });

  socket.on('message', (data, isBinary) => {
    const message = isBinary ? undefined : parseMessage(String(data));
    if (!message) return finish(connectionLost('The server sent a message that is not of this service.'));
    if ('error' in message) return finish(errorOfMessage(message.error, message.message, message.requestId));
    const alignment = 'audio' in message ? alignmentOf(message, samples) : undefined;
    // A message without audio may carry the times of silent characters.
    if ('audio' in message && (message.audio !== '' || alignment !== undefined)) {
      const pcm = pcmSamples(Buffer.from(message.audio, 'base64'));
      held.push({ pcm, alignment });
      samples += pcm.length;
      if (held.length >= HELD_MESSAGES) socket.pause();
      changed.notify();
    }
    if (message.isFinal) finish('final');
  });
  // During the handshake `opened` reports errors; after it, the close that follows does.
  socket.on('error', (cause) => finish(connectionLost('The connection broke off.', incoming.requestId, cause)));
  socket.on('close', (code) => {
    signal.removeEventListener('abort', abort);
    finish(connectionLost(closeInWords(code), incoming.requestId));
  });

  async function* chunks(): AsyncIterable<SpokenChunk> {
    try {
      for (;;) {
        await changed.until(() => held.length > 0 || ended !== undefined);
        const chunk = held.shift();
        if (!chunk) {
          if (ended === 'final') return;
          throw ended;
        }
        if (held.length < HELD_MESSAGES / 2 && socket.isPaused) socket.resume();
        yield chunk;
      }
    } finally {
      if (ended === 'final') socket.close(1000);
      else socket.terminate();
    }
  }

  return incoming;
}

/** ElevenLabs' dialect counts `normalizedAlignment` from the session's start, not the message's. */
function alignmentOf(
  message: AudioMessage & { readonly normalizedAlignment?: Alignment | null },
  samples: number,
): Alignment | undefined {
  const { alignment, normalizedAlignment } = message;
  if (normalizedAlignment === undefined) return alignment;
  if (normalizedAlignment === null) return undefined;
  const { chars, charStartTimesMs, charDurationsMs } = normalizedAlignment;
  const before = samplesToMs(samples);
  return { chars, charStartTimesMs: charStartTimesMs.map((start) => start - before), charDurationsMs };
}

function parseMessage(text: string): ServerMessage | undefined {
  try {
    const data: unknown = JSON.parse(text);
    if (typeof data !== 'object' || data === null) return undefined;
    if (!('error' in data) && !('isFinal' in data)) return undefined;
    return data as ServerMessage;
  } catch {
    // No message of this protocol: the caller ends the session.
    return undefined;
  }
}

function errorOfMessage(code: string, message: string, requestId: string | undefined): TtsError {
  return new TtsError(
    isErrorCode(code) ? code : 'synthesis_failed',
    printable(message || `The server ended with "${code}".`),
    {
      ...(requestId ? { requestId } : {}),
    },
  );
}

const closeInWords = (code: number): string =>
  code === UNKNOWN_CLOSE
    ? 'The connection broke off before the speech was complete.'
    : `The server closed the connection (${code}) before the speech was complete.`;
