/** One run: a text that is being spoken, its audio so far, and its figures. */
import { signal } from '@preact/signals';
import { Recording, SAMPLE_RATE } from '../../audio/recording.js';
import { ApiError } from '../../shared/api.js';
import { duration } from '../../shared/format.js';
import { type Alignment, pointsOf, WordClock } from '../text/words.js';
import { speakFree } from './free-speech.js';
import { nothingSpoken } from './nothing-spoken.js';
import type { Said, TimedAlignment } from './said.js';
import { SpeechSession } from './speech-session.js';
import { TextFeed } from './text-feed.js';

export interface RunOptions {
  readonly model: string;
  readonly voice: string;
  readonly key: string | undefined;
  /** How words are read in this run alone. */
  readonly words?: Readonly<Record<string, string>> | undefined;
  /** Text before the part that is spoken; shown with it. */
  readonly before?: string;
}

export class Run implements Said {
  readonly voice: string;
  readonly model: string;
  readonly recording = new Recording();
  readonly clock: WordClock;
  readonly text;
  readonly error = signal<Error | undefined>(undefined);
  readonly isWhole = signal(false);
  readonly firstMs = signal<number | undefined>(undefined);
  readonly realTimeFactor = signal<number | undefined>(undefined);
  readonly alignments: TimedAlignment[] = [];
  readonly startedMs = performance.now();
  readonly #options: RunOptions;
  readonly #abort = new AbortController();
  readonly #session: SpeechSession;
  readonly #feed: TextFeed;
  #askedMs: number | undefined;

  constructor(options: RunOptions) {
    this.#options = options;
    const { voice, model, before = '' } = options;
    this.voice = voice;
    this.model = model;
    this.text = signal(before);
    this.clock = new WordClock(pointsOf(before));
    this.#session = new SpeechSession({
      ...options,
      onAudio: (pcm, alignment) => this.#take(pcm, alignment),
      onEnd: (error) => void this.#end(error),
    });
    this.#feed = new TextFeed(this.#session);
  }

  /** The part of the text that is spoken. */
  get spokenText(): string {
    return this.text.peek().slice(this.#options.before?.length ?? 0);
  }

  /** Sends more text. */
  say(text: string, flush = false): void {
    this.#askedMs ??= performance.now();
    this.text.value += text;
    this.#feed.say(text, flush);
  }

  /** No more text comes. */
  finish(): void {
    this.#feed.finish();
  }

  cancel(): void {
    this.#abort.abort();
    this.#session.close();
    this.recording.finish();
  }

  heardFirst(atMs: number): void {
    this.firstMs.value ??= Math.max(0, atMs - this.startedMs);
  }

  #take(pcm: Int16Array, alignment: Alignment | undefined): void {
    const offset = this.recording.length.peek();
    if (alignment) {
      this.clock.align(alignment, offset);
      this.alignments.push({ alignment, offset });
      this.#feed.spoken(alignment.chars.length);
    }
    this.recording.add(pcm);
    const length = this.recording.length.peek();
    if (this.#askedMs === undefined || length === 0) return;
    this.realTimeFactor.value = (performance.now() - this.#askedMs) / 1000 / (length / SAMPLE_RATE);
  }

  async #end(error?: Error): Promise<void> {
    const { key } = this.#options;
    const isFree = error instanceof ApiError && error.code === 'early_access_required' && key !== undefined;
    try {
      if (isFree) await this.#speakFree(key);
      else if (error !== undefined) throw error;
      if (this.recording.length.peek() === 0 && this.#askedMs !== undefined)
        throw await nothingSpoken(this.spokenText, this.#options);
      this.isWhole.value = true;
    } catch (failure) {
      if (!this.#abort.signal.aborted) this.error.value = this.#told(failure as Error);
    }
    this.recording.finish();
  }

  /** A lost connection, with what is left of the audio. */
  #told(error: Error): Error {
    const cameMs = (this.recording.length.peek() * 1000) / SAMPLE_RATE;
    if (!(error instanceof ApiError) || cameMs === 0) return error;
    const came = `The first ${duration(cameMs)} of the audio came; you can still hear and save it.`;
    return new ApiError(error.status, error.code, `${error.message} ${came}`, error.requestId);
  }

  async #speakFree(key: string): Promise<void> {
    const text = this.spokenText;
    const chars = pointsOf(text);
    await speakFree({
      ...this.#options,
      key,
      text,
      signal: this.#abort.signal,
      onAudio: (pcm) => {
        this.#take(pcm, undefined);
        const samples = this.recording.length.peek();
        // About fourteen characters a second, until all of the audio is there.
        this.clock.spread(chars, Math.max(samples, (chars * SAMPLE_RATE) / 14));
      },
    });
    this.clock.spread(chars, this.recording.length.peek());
  }
}
