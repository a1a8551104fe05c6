/**
 * Speaks text while it is being written: pieces are sent as they arrive, a pause ends the session.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Condition } from '../condition.js';
import { countChars } from '../protocol/characters.js';
import type { StreamParams } from '../protocol/stream-messages.js';
import type { ServerAddress } from './address.js';
import type { LeftOut } from './left-out.js';
import { patiently } from './patience.js';
import type { Progress } from './progress.js';
import type { AudioSink } from './sinks/sink.js';
import { openSpeechSocket, type SpeechSocket, type SpokenChunk } from './speech-socket.js';
import { type FeedPiece, TextFeed } from './text-feed.js';

export interface SpeakStreamOptions {
  readonly address: ServerAddress;
  readonly voice: string;
  readonly params: Partial<StreamParams>;
  /** Default 1, the voice's own speed. */
  readonly speed?: number;
  readonly text: AsyncIterable<string>;
  readonly flushOnNewline: boolean;
  readonly sink: AudioSink;
  readonly progress: Progress;
  readonly leftOut?: LeftOut;
  /** Called with every chunk before the sink takes it. */
  readonly onChunk?: (chunk: SpokenChunk, offsetSamples: number) => void;
  /** Timing of pauses; for tests. */
  readonly pauses?: Partial<Pauses>;
}

interface Pauses {
  /** After a finished sentence or line: it is spoken. */
  readonly finishedMs: number;
  /** In the middle of a sentence: longer, for a slow writer. */
  readonly unfinishedMs: number;
}

/**
 * Pauses of the writer that end a session. The server speaks a sentence when the next one begins,
 * and drops unfinished text when a session times out; an end in time avoids both. The next text
 * opens a new session.
 */
export const PAUSES: Pauses = { finishedMs: 1_200, unfinishedMs: 20_000 };
/** An element may be open across a pause, so an SSML session ends shortly before its timeout. */
const SSML_PAUSES: Pauses = { finishedMs: 150_000, unfinishedMs: 150_000 };
const INACTIVITY_S = 180;
/** Most characters that were sent and not yet heard. */
export const MAX_AHEAD_CHARS = 20_000;

/** Resolves when all of the text was spoken; the caller tells `progress` when nothing follows. */
export async function speakStream(options: SpeakStreamOptions, signal: AbortSignal): Promise<void> {
  const source = createSource(options.text);
  const feed = new TextFeed(options.flushOnNewline);
  for (;;) {
    const first = await abortable(source.next(), signal);
    if (first === undefined) break;
    source.taken();
    const pieces = [...feed.push(first)];
    if (pieces.length > 0) await speakSession(options, source, feed, pieces, signal);
  }
}

interface Source {
  /** The next text, or undefined at the end. Returns the same one until it was taken. */
  next(): Promise<string | undefined>;
  /** The last text is being spoken. Text that arrives between two sessions waits here. */
  taken(): void;
}

function createSource(text: AsyncIterable<string>): Source {
  const iterator = text[Symbol.asyncIterator]();
  let asked: Promise<string | undefined> | undefined;
  return {
    next() {
      asked ??= iterator.next().then((result) => (result.done ? undefined : result.value));
      // A source may fail after the run was stopped, when nothing awaits it any more.
      asked.catch(() => undefined);
      return asked;
    },
    taken() {
      asked = undefined;
    },
  };
}

async function speakSession(
  options: SpeakStreamOptions,
  source: Source,
  feed: TextFeed,
  first: readonly FeedPiece[],
  outer: AbortSignal,
): Promise<void> {
  const { sink, progress, onChunk } = options;
  const failed = new AbortController();
  const signal = AbortSignal.any([outer, failed.signal]);
  const params = { ...options.params, sync_alignment: true, inactivity_timeout: INACTIVITY_S };
  progress.requested();
  const { speed = 1 } = options;
  const destination = { ...options.address, voice: options.voice, params, speed };
  const socket = await patiently(() => openSpeechSocket(destination, outer), outer);
  const window = createWindow(MAX_AHEAD_CHARS);

  const hear = async () => {
    for await (const chunk of socket.audio) {
      onChunk?.(chunk, progress.made);
      progress.received(chunk.pcm, chunk.alignment);
      if (chunk.pcm.length > 0) await sink.write(chunk.pcm, signal);
      window.heard(chunk.alignment?.chars.length ?? 0);
      progress.taken();
    }
  };
  const pauses = { ...(options.params.enable_ssml_parsing ? SSML_PAUSES : PAUSES), ...options.pauses };
  const stopAll = (error: unknown) => {
    failed.abort(error);
    throw error;
  };
  try {
    await Promise.all([
      hear().catch(stopAll),
      tell({ socket, source, feed, first, window, pauses, leftOut: options.leftOut }, signal).catch((error) =>
        stopAll(error),
      ),
    ]);
  } finally {
    socket.close();
  }
}

interface Telling {
  readonly socket: SpeechSocket;
  readonly source: Source;
  readonly feed: TextFeed;
  readonly first: readonly FeedPiece[];
  readonly window: Window;
  readonly pauses: Pauses;
  readonly leftOut: LeftOut | undefined;
}

async function tell(
  { socket, source, feed, first, window, pauses, leftOut }: Telling,
  signal: AbortSignal,
): Promise<void> {
  let pieces: Iterable<FeedPiece> = first;
  let last = '';
  for (;;) {
    for (const { text, flush } of pieces) {
      await window.room(countChars(text), signal);
      socket.send(text, flush);
      await leftOut?.add(text);
      last = text;
    }
    const pauseMs = /[\n.!?…]["'”’)\]]*\s*$/.test(last) ? pauses.finishedMs : pauses.unfinishedMs;
    const text = await orPause(source.next(), pauseMs, signal);
    if (text === undefined || text === PAUSED) break;
    source.taken();
    pieces = feed.push(text);
  }
  socket.end();
}

const PAUSED = Symbol('paused');

async function orPause<T>(promise: Promise<T>, ms: number, signal: AbortSignal): Promise<T | typeof PAUSED> {
  const timer = new AbortController();
  const pause = delay(ms, PAUSED, { signal: timer.signal }).catch(() => PAUSED);
  try {
    return await abortable(Promise.race([promise, pause]) as Promise<T | typeof PAUSED>, signal);
  } finally {
    timer.abort();
  }
}

function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

interface Window {
  /** Resolves when `chars` more may be sent. */
  room(chars: number, signal: AbortSignal): Promise<void>;
  heard(chars: number): void;
}

function createWindow(maxChars: number): Window {
  let ahead = 0;
  const changed = new Condition();
  return {
    async room(chars, signal) {
      await changed.until(() => ahead === 0 || ahead + chars <= maxChars, signal);
      ahead += chars;
    },
    heard(chars) {
      ahead = Math.max(0, ahead - chars);
      changed.notify();
    },
  };
}
