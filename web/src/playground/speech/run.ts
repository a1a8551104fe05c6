/** One run: a text that is being spoken, its audio so far, and its figures. */
import { signal } from '@preact/signals';
import { PLAYGROUND_STREAM_PATH } from '../../../../src/protocol/pages.js';
import { Recording, SAMPLE_RATE } from '../../audio/recording.js';
import { HttpSpeechClient } from '../../client/client.js';
import type { Alignment, WritableSpeech } from '../../client/types.js';
import { ApiError } from '../../shared/api.js';
import { duration } from '../../shared/format.js';
import { pointsOf, WordClock } from '../text/words.js';
import { nothingSpoken } from './nothing-spoken.js';
import type { Said, TimedAlignment } from './said.js';

export interface RunOptions {
  readonly model: string;
  readonly voice: string;
  readonly key: string | undefined;
  /** How words are read in this run alone. */
  readonly words?: Readonly<Record<string, string>> | undefined;
  /** Times the voice's own pace. */
  readonly speed?: number | undefined;
  /** How it is delivered; the server's default where absent. */
  readonly style?: string | undefined;
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
  readonly #speech: WritableSpeech;
  #askedMs: number | undefined;
  #cancelled = false;

  constructor(options: RunOptions) {
    this.#options = options;
    const { voice, model, before = '' } = options;
    this.voice = voice;
    this.model = model;
    this.text = signal(before);
    this.clock = new WordClock(pointsOf(before));
    this.#speech = ownClient(options).stream({ voice, model });
    this.#speech.on('chunk', ({ pcm, alignment }) => this.#take(pcm, alignment));
    this.#speech.on('end', () => void this.#end());
    this.#speech.on('error', (error) => void this.#end(error));
  }

  /** The part of the text that is spoken. */
  get spokenText(): string {
    return this.text.peek().slice(this.#options.before?.length ?? 0);
  }

  /** Sends more text. */
  say(text: string, flush = false): void {
    this.#askedMs ??= performance.now();
    this.text.value += text;
    this.#speech.write(text, flush);
  }

  /** No more text comes. */
  finish(): void {
    this.#speech.end();
  }

  cancel(): void {
    this.#cancelled = true;
    this.#speech.cancel();
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
    }
    this.recording.add(pcm);
    const length = this.recording.length.peek();
    if (!alignment) this.#spread(length);
    if (this.#askedMs === undefined || length === 0) return;
    this.realTimeFactor.value = (performance.now() - this.#askedMs) / 1000 / (length / SAMPLE_RATE);
  }

  async #end(error?: Error): Promise<void> {
    const length = this.recording.length.peek();
    try {
      if (error !== undefined) throw error;
      if (length === 0 && this.#askedMs !== undefined) throw await nothingSpoken(this.spokenText, this.#options);
      if (this.alignments.length === 0) this.clock.spread(pointsOf(this.spokenText), length);
      this.isWhole.value = true;
    } catch (failure) {
      if (!this.#cancelled) this.error.value = this.#told(failure as Error);
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

  /** A Free key gets no word times: 14 characters a second, until all of the audio is there. */
  #spread(samples: number): void {
    const chars = pointsOf(this.spokenText);
    this.clock.spread(chars, Math.max(samples, (chars * SAMPLE_RATE) / 14));
  }
}

/** Of the playground's own routes, which take mixes, words, speed and style for one run. */
const ownClient = ({ key, words, speed = 1, style }: RunOptions): HttpSpeechClient =>
  new HttpSpeechClient({
    home: location.origin,
    ...(key !== undefined && { apiKey: key }),
    ticketsPath: '/playground/stream-tickets',
    streamPath: (voice) => PLAYGROUND_STREAM_PATH.replace(':voice_id', encodeURIComponent(voice)),
    query: {
      ...(words && { words: JSON.stringify(words) }),
      ...(speed !== 1 && { speed: String(speed) }),
      ...(style !== undefined && { style }),
    },
  });
