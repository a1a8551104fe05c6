/** One speech: text in, samples and words out, played where that is wanted. */
import { SAMPLE_RATE } from '../../../src/protocol/audio.js';
import { speakFree } from './free-speech.js';
import type { Playback, PlaybackOptions } from './playback.js';
import { ApiError } from './request.js';
import { SpeechSession } from './session.js';
import { TextFeed } from './text-feed.js';
import type { Alignment, SpeechChunk, SpeechEvents, SpokenWord, WritableSpeech } from './types.js';
import { WordFinder } from './words.js';

/** Where and how a speech is made. */
export interface SpeechSource {
  readonly baseUrl: string;
  readonly socketUrl: string;
  readonly WebSocket: typeof WebSocket;
  readonly model: string;
  readonly voice: string;
  readonly key: () => Promise<string | undefined>;
  readonly ticket: (signal: AbortSignal) => Promise<string>;
}

/** How a speech is played: a function where something can play. */
export type OpenPlayback = (options: PlaybackOptions) => Playback;

export interface PlayOptions {
  /** Undefined where it is not played. */
  readonly open: OpenPlayback | undefined;
  readonly rate: number;
  readonly volume: number;
  readonly signal?: AbortSignal | undefined;
}

type Listeners = { [Type in keyof SpeechEvents]: Set<(event: SpeechEvents[Type]) => void> };

const NO_CHARS: Alignment = { chars: [], charStartTimesMs: [], charDurationsMs: [] };

const cancelled = () => new ApiError(0, 'cancelled', 'The speech was cancelled.', undefined);

export class SpokenSpeech implements WritableSpeech {
  readonly done: Promise<void>;
  readonly #source: SpeechSource;
  readonly #listeners: Listeners = {
    start: new Set(),
    chunk: new Set(),
    word: new Set(),
    pause: new Set(),
    resume: new Set(),
    end: new Set(),
    error: new Set(),
  };
  readonly #session: SpeechSession;
  readonly #feed: TextFeed;
  readonly #finder = new WordFinder();
  readonly #abort = new AbortController();
  readonly #playback: Playback | undefined;
  /** Words that came and were not heard yet. */
  readonly #ahead: SpokenWord[] = [];
  #settle!: { resolve: () => void; reject: (error: Error) => void };
  #text = '';
  #samples = 0;
  #paused = false;
  #over = false;

  constructor(source: SpeechSource, { open, rate, volume, signal }: PlayOptions) {
    this.#source = source;
    this.done = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // Who listens to `error` need not look at `done` as well.
    this.done.catch(() => undefined);
    this.#playback = open?.({
      rate,
      volume,
      onStart: () => this.#emit('start', undefined),
      onPosition: (sample) => this.#heard(sample),
      onEnd: () => this.#finish(),
    });
    this.#session = new SpeechSession({
      url: source.socketUrl,
      WebSocket: source.WebSocket,
      ticket: source.ticket,
      onAudio: (pcm, alignment) => this.#take(pcm, alignment),
      onEnd: (error) => void this.#ended(error),
    });
    this.#feed = new TextFeed(this.#session);
    if (signal?.aborted) queueMicrotask(() => this.cancel());
    signal?.addEventListener('abort', () => this.cancel(), { once: true });
  }

  on<Type extends keyof SpeechEvents>(type: Type, listener: (event: SpeechEvents[Type]) => void): () => void {
    const listeners = this.#listeners[type] as Set<(event: SpeechEvents[Type]) => void>;
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  write(text: string, flush = false): void {
    this.#text += text;
    this.#feed.say(text, flush);
  }

  end(): void {
    this.#feed.finish();
  }

  pause(): void {
    if (this.#over || this.#paused || !this.#playback) return;
    this.#paused = true;
    this.#playback.pause();
    this.#emit('pause', undefined);
  }

  resume(): void {
    if (this.#over || !this.#paused) return;
    this.#paused = false;
    this.#playback?.resume();
    this.#emit('resume', undefined);
  }

  cancel(): void {
    this.#fail(cancelled());
  }

  async collect() {
    const pieces: Int16Array[] = [];
    const words: SpokenWord[] = [];
    for await (const chunk of this) {
      pieces.push(chunk.pcm);
      words.push(...chunk.words);
    }
    const pcm = new Int16Array(pieces.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const piece of pieces) {
      pcm.set(piece, at);
      at += piece.length;
    }
    return { pcm, words };
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SpeechChunk, void, undefined> {
    const waiting: SpeechChunk[] = [];
    let wake: () => void = () => undefined;
    let isOver = this.#over;
    const off = this.on('chunk', (chunk) => {
      waiting.push(chunk);
      wake();
    });
    void this.done
      .catch(() => undefined)
      .then(() => {
        isOver = true;
        wake();
      });
    try {
      for (;;) {
        const chunk = waiting.shift();
        if (chunk) yield chunk;
        else if (isOver) return await this.done;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      off();
    }
  }

  #take(pcm: Int16Array, alignment: Alignment | undefined): void {
    const words = alignment === undefined ? [] : this.#finder.take(alignment, this.#samples);
    if (alignment) this.#feed.spoken(alignment.chars.length);
    this.#give({ pcm, words, alignment });
  }

  #give(chunk: SpeechChunk): void {
    if (this.#over) return;
    const isFirst = this.#samples === 0;
    this.#samples += chunk.pcm.length;
    this.#emit('chunk', chunk);
    if (this.#playback) {
      this.#ahead.push(...chunk.words);
      if (chunk.pcm.length > 0) this.#playback.push(chunk.pcm);
      return;
    }
    if (isFirst) this.#emit('start', undefined);
    for (const word of chunk.words) this.#emit('word', word);
  }

  #heard(sample: number): void {
    const ms = (sample * 1000) / SAMPLE_RATE;
    while (this.#ahead.length > 0 && this.#ahead[0]!.startMs <= ms) this.#emit('word', this.#ahead.shift()!);
  }

  /** All came, or the session broke off. */
  async #ended(error: Error | undefined): Promise<void> {
    try {
      if (error instanceof ApiError && error.code === 'early_access_required') await this.#speakFree(error);
      else if (error !== undefined) throw error;
    } catch (failure) {
      this.#fail(failure as Error);
      return;
    }
    const last = this.#finder.end();
    if (last.length > 0) this.#give({ pcm: new Int16Array(0), words: last, alignment: NO_CHARS });
    if (this.#playback) this.#playback.end();
    else this.#finish();
  }

  async #speakFree(refusal: ApiError): Promise<void> {
    const key = await this.#source.key();
    if (key === undefined) throw refusal;
    const { baseUrl, model, voice } = this.#source;
    const onAudio = (pcm: Int16Array) => this.#give({ pcm, words: [] });
    await speakFree({ baseUrl, model, voice, key, text: this.#text, onAudio, signal: this.#abort.signal });
  }

  #finish(): void {
    if (this.#over) return;
    this.#heard(Number.POSITIVE_INFINITY);
    this.#over = true;
    this.#emit('end', undefined);
    this.#settle.resolve();
  }

  #fail(error: Error): void {
    if (this.#over) return;
    this.#over = true;
    this.#abort.abort();
    this.#session.close();
    this.#playback?.close();
    const told =
      error instanceof ApiError ? error : new ApiError(0, 'failed', error.message || 'The speech failed.', undefined);
    this.#emit('error', told);
    this.#settle.reject(told);
  }

  #emit<Type extends keyof SpeechEvents>(type: Type, event: SpeechEvents[Type]): void {
    for (const listener of [...this.#listeners[type]]) (listener as (event: SpeechEvents[Type]) => void)(event);
  }
}
