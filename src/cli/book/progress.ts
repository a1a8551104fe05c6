/** Tells how far a book is: a line that is redrawn, events as JSON, or nothing until the end. */
import type { MadeSentence } from '../../book/make/maker.js';
import type { Utterance } from '../../book/make/utterances.js';
import { samplesToMs } from '../../protocol/audio.js';
import { printable } from '../../protocol/errors.js';

export interface BookProgressOptions {
  readonly chapters: readonly { readonly title: string; readonly index: number }[];
  /** Chapters of the whole book. */
  readonly chapterCount: number;
  readonly utterances: readonly Utterance[];
  /** Whether an earlier run made a sentence. */
  readonly isKept: (utterance: Utterance) => boolean;
  readonly show: 'line' | 'json' | 'nothing';
  readonly now?: () => number;
}

interface Snapshot {
  readonly chapter: number;
  readonly title: string;
  readonly percent: number;
  /** Seconds of new speech for a second of work. */
  readonly speed: number | undefined;
  readonly leftMs: number | undefined;
  readonly text: string;
}

const REDRAW_MS = 150;
const EVENT_MS = 1_000;
/** Speech that must have been made before its speed is told. */
const MEASURED_MS = 3_000;
/** Removes the line that is being redrawn. */
export const CLEAR = '\r\u001b[K';

export class BookProgress {
  readonly #options: BookProgressOptions;
  readonly #now: () => number;
  readonly #startedMs: number;
  readonly #allChars: number;
  /** Characters that no earlier run made. */
  readonly #newChars: number;
  #chars = 0;
  #madeChars = 0;
  #madeMs = 0;
  #chapter = 0;
  #text = '';
  #shownMs = Number.NEGATIVE_INFINITY;
  #format: typeof import('../../client/ui/format.js') | undefined;

  constructor(options: BookProgressOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#startedMs = this.#now();
    const chars = (list: readonly Utterance[]) => list.reduce((sum, { shown }) => sum + shown.length, 0);
    this.#allChars = chars(options.utterances);
    this.#newChars = chars(options.utterances.filter((utterance) => !options.isKept(utterance)));
  }

  async open(): Promise<void> {
    if (this.#options.show === 'line') this.#format = await import('../../client/ui/format.js');
  }

  /** The chapter at this place of the list begins at `startMs` of the sound. */
  chapter(at: number, startMs: number): void {
    this.#chapter = at;
    const { title, index } = this.#options.chapters[at]!;
    this.#event({ event: 'chapter', number: index + 1, title, startMs: Math.round(startMs) });
  }

  sentence({ utterance, pcm, isNew }: MadeSentence): void {
    this.#chars += utterance.shown.length;
    this.#text = utterance.shown;
    if (isNew) {
      this.#madeChars += utterance.shown.length;
      this.#madeMs += samplesToMs(pcm.length) + utterance.restMs;
    }
    const { show } = this.#options;
    if (this.#now() - this.#shownMs < (show === 'json' ? EVENT_MS : REDRAW_MS)) return;
    this.#shownMs = this.#now();
    if (show === 'line') this.#draw();
    else this.#event({ event: 'progress', ...this.snapshot() });
  }

  /** Removes the line. */
  close(): void {
    if (this.#options.show === 'line') process.stderr.write(CLEAR);
  }

  snapshot(): Snapshot {
    const { title, index } = this.#options.chapters[this.#chapter]!;
    const elapsedMs = this.#now() - this.#startedMs;
    const isMeasured = this.#madeMs >= MEASURED_MS && elapsedMs > 0;
    const left = this.#newChars - this.#madeChars;
    return {
      chapter: index + 1,
      title,
      percent: Math.floor((100 * this.#chars) / Math.max(1, this.#allChars)),
      speed: isMeasured ? Math.round((10 * this.#madeMs) / elapsedMs) / 10 : undefined,
      leftMs: isMeasured ? Math.round((elapsedMs * left) / this.#madeChars) : undefined,
      text: this.#text,
    };
  }

  #draw(): void {
    if (!this.#format) return;
    const { durationText, headColumns } = this.#format;
    const { chapter, title, percent, speed, leftMs, text } = this.snapshot();
    const parts = [
      `${chapter}/${this.#options.chapterCount} ${title}`,
      `${percent} %`,
      ...(speed === undefined ? [] : [`${speed} × real time`]),
      ...(leftMs === undefined ? [] : [`${durationText(leftMs)} left`]),
      text,
    ];
    const columns = (process.stderr.columns || 80) - 1;
    process.stderr.write(`${CLEAR}${headColumns(printable(parts.join(' · ')), columns)}`);
  }

  #event(event: Record<string, unknown>): void {
    if (this.#options.show === 'json') process.stdout.write(`${JSON.stringify(event)}\n`);
  }
}
