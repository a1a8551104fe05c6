/** One run: a text that is being spoken, its audio so far, and its figures. */
import { signal } from '@preact/signals';
import { Recording, SAMPLE_RATE } from '../audio/recording.js';
import { ApiError } from '../shared/api.js';
import { speakFree } from './free-speech.js';
import { SpeechSession } from './speech-session.js';
import { type Alignment, WordClock } from './words.js';

export interface RunOptions {
  readonly model: string;
  readonly voice: string;
  readonly key: string | undefined;
  /** How words are read in this run alone. */
  readonly words?: Readonly<Record<string, string>> | undefined;
}

export class Run {
  readonly recording = new Recording();
  readonly clock = new WordClock();
  /** The text as sent so far. */
  readonly text = signal('');
  readonly error = signal<Error | undefined>(undefined);
  /** Click to first sample, in milliseconds. */
  readonly firstMs = signal<number | undefined>(undefined);
  /** Seconds from the text being sent to its audio, for a second of audio. */
  readonly realTimeFactor = signal<number | undefined>(undefined);
  readonly alignments: { readonly alignment: Alignment; readonly offset: number }[] = [];
  readonly startedMs = performance.now();
  readonly #options: RunOptions;
  readonly #abort = new AbortController();
  readonly #session: SpeechSession;
  #busyMs = 0;
  #askedMs: number | undefined;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#session = new SpeechSession({
      ...options,
      onAudio: (pcm, alignment) => this.#take(pcm, alignment),
      onEnd: (error) => void this.#end(error),
    });
  }

  /** Sends more text. */
  say(text: string, flush = false): void {
    this.#askedMs ??= performance.now();
    this.text.value += text;
    // In pieces that fit into a message.
    const points = [...text];
    for (let at = 0; at < points.length || at === 0; at += 4_000) {
      this.#session.text(points.slice(at, at + 4_000).join(''), flush && at + 4_000 >= points.length);
    }
  }

  finish(): void {
    this.#session.finish();
  }

  /** Ends the request; audio that came stays. */
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
    }
    this.recording.add(pcm);
    if (this.#askedMs === undefined) return;
    this.#busyMs = performance.now() - this.#askedMs;
    this.realTimeFactor.value = this.#busyMs / 1000 / (this.recording.length.peek() / SAMPLE_RATE);
  }

  async #end(error?: Error): Promise<void> {
    const { key } = this.#options;
    const isFree = error instanceof ApiError && error.code === 'early_access_required' && key !== undefined;
    try {
      if (isFree) await this.#speakFree(key);
      else this.error.value = error;
    } catch (failure) {
      if (!this.#abort.signal.aborted) this.error.value = failure as Error;
    }
    this.recording.finish();
  }

  async #speakFree(key: string): Promise<void> {
    const text = this.text.peek();
    const chars = [...text].length;
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
