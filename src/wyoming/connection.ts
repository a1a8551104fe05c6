/** One Wyoming client: its events in order, the speech they ask for, and the end of both. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Condition } from '../condition.js';
import type { Logger } from '../log.js';
import { isAbort, publicError, TtsError } from '../protocol/errors.js';
import { EventSink } from './event-sink.js';
import { type EventData, EventParser, encodeEvent, type WyomingEvent } from './events.js';
import type { Speaker } from './speaker.js';
import { TextPipe } from './text-pipe.js';
import type { WantedVoice } from './voices.js';

/** Events that wait while an earlier one is spoken; beyond it the socket is not read. */
const MAX_WAITING_EVENTS = 32;
/** A client that takes nothing for this long while audio waits for it is gone (ms). */
const STALL_MS = 300_000;
/** Time for a client to close its side after ours (ms). */
const LINGER_MS = 5_000;

export interface ConnectionOptions {
  readonly socket: Socket;
  readonly speaker: Speaker;
  readonly log: Logger;
}

/** A stretch of text between `synthesize-start` and `synthesize-stop`. */
interface TextStream {
  readonly text: TextPipe;
  readonly spoken: Promise<void>;
}

export class WyomingConnection {
  readonly #socket: Socket;
  readonly #speaker: Speaker;
  readonly #log: Logger;
  readonly #parser = new EventParser();
  readonly #waiting: WyomingEvent[] = [];
  readonly #changed = new Condition();
  /** Aborts what is spoken: the client is gone, or something failed. */
  readonly #gone = new AbortController();
  /** The client sends nothing more. */
  #ended = false;
  #stopping = false;
  #stream: TextStream | undefined;

  constructor({ socket, speaker, log }: ConnectionOptions) {
    this.#socket = socket;
    this.#speaker = speaker;
    this.#log = log;
    socket.setNoDelay(true);
    socket.on('data', (bytes) => this.#receive(bytes));
    socket.on('end', () => {
      this.#ended = true;
      this.#changed.notify();
    });
    socket.on('timeout', () => socket.destroy());
    // The close that follows says all there is to say.
    socket.on('error', (error) => log.debug({ err: error }, 'a Wyoming connection broke'));
    socket.on('close', () => this.#gone.abort(new Error('the client is gone')));
  }

  /** Resolves when the connection has ended, however it did. */
  async run(): Promise<void> {
    try {
      for (;;) {
        await this.#changed.until(
          () => this.#waiting.length > 0 || this.#ended || (this.#stopping && this.#stream === undefined),
          this.#gone.signal,
        );
        const event = this.#waiting.shift();
        if (event === undefined) break;
        if (this.#waiting.length < MAX_WAITING_EVENTS / 2) this.#socket.resume();
        await this.#handle(event);
      }
      // A stream without its end is broken off.
      this.#gone.abort(new Error('the stream was not ended'));
      this.#close();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Ends when nothing is being spoken. */
  stop(): void {
    this.#stopping = true;
    this.#changed.notify();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #receive(bytes: Buffer): void {
    if (this.#gone.signal.aborted) return;
    try {
      for (const event of this.#parser.push(bytes)) this.#waiting.push(event);
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (this.#waiting.length >= MAX_WAITING_EVENTS) this.#socket.pause();
    this.#changed.notify();
  }

  async #handle({ type, data }: WyomingEvent): Promise<void> {
    const { signal } = this.#gone;
    switch (type) {
      case 'describe':
        return this.#send('info', await this.#speaker.info(signal));
      case 'ping':
        return this.#send('pong', { text: data.text ?? null });
      case 'synthesize':
        // Inside a stream it is the copy of the text for servers that know no streams.
        if (this.#stream === undefined) await this.#speak(data, only(textOf(data)));
        return;
      case 'synthesize-start':
        if (this.#stream !== undefined) throw misplaced(type, 'the stream before it has not ended');
        this.#stream = this.#begin(data);
        return;
      case 'synthesize-chunk':
        if (this.#stream === undefined) throw misplaced(type, 'there was no synthesize-start');
        return this.#stream.text.push(textOf(data), signal);
      case 'synthesize-stop': {
        const stream = this.#stream;
        if (stream === undefined) throw misplaced(type, 'there was no synthesize-start');
        stream.text.end();
        await stream.spoken;
        this.#stream = undefined;
        return this.#send('synthesize-stopped');
      }
      default:
        // Events for other kinds of services, and those of later versions.
        return;
    }
  }

  #begin(data: EventData): TextStream {
    const text = new TextPipe();
    const spoken = this.#speak(data, text);
    // A failure ends the connection at once, not with the next event.
    spoken.catch((error: unknown) => this.#fail(error));
    return { text, spoken };
  }

  async #speak(data: EventData, text: AsyncIterable<string>): Promise<void> {
    const sink = new EventSink((type, event, payload) => this.#send(type, event, payload));
    const ssml = data.text_format === 'ssml';
    await this.#speaker.speak({ voice: voiceOf(data), ssml, text }, sink, this.#gone.signal);
    await sink.finish();
  }

  async #send(type: string, data?: EventData, payload?: Buffer): Promise<void> {
    const { signal } = this.#gone;
    signal.throwIfAborted();
    if (this.#socket.write(encodeEvent(type, data, payload))) return;
    this.#socket.setTimeout(STALL_MS);
    await once(this.#socket, 'drain', { signal });
    this.#socket.setTimeout(0);
  }

  /** Tells the client why, and ends the connection, as Wyoming's servers do. */
  #fail(error: unknown): void {
    if (this.#gone.signal.aborted) return;
    if (!isAbort(error)) this.#log.debug({ err: error }, 'a Wyoming connection ends with an error');
    const { code, message } = publicError(error);
    this.#close(encodeEvent('error', { text: message, code }));
    this.#gone.abort(error);
  }

  /** A client that does not close its side is not waited for. */
  #close(last: Buffer | '' = ''): void {
    this.#socket.end(last);
    this.#socket.setTimeout(LINGER_MS);
    this.#socket.resume();
  }
}

const misplaced = (type: string, why: string): TtsError =>
  new TtsError('invalid_message', `"${type}" has no place here: ${why}.`);

function textOf({ text }: EventData): string {
  if (typeof text === 'string') return text;
  throw new TtsError('missing_field', 'The event has no text.', { param: 'text' });
}

/** As the protocol's library reads a voice: a name, else a language, else none. */
function voiceOf({ voice }: EventData): WantedVoice {
  const { name, language } = (typeof voice === 'object' && voice !== null ? voice : {}) as Record<string, unknown>;
  if (typeof name === 'string' && name !== '') return { name };
  return typeof language === 'string' && language !== '' ? { language } : {};
}

async function* only(text: string): AsyncIterable<string> {
  yield text;
}
