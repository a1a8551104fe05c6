/** Writes the sound of a book as it comes: into one file, or a file for each chapter. */
import path from 'node:path';
import type { AudioTags, Chapter } from '../../audio/tags.js';
import type { Book } from '../../book/book.js';
import type { MadeSentence } from '../../book/make/maker.js';
import type { AudioSink } from '../../client/sinks/sink.js';
import { makeFolder } from '../../folder.js';
import { msToSamples, samplesToMs } from '../../protocol/audio.js';
import { type BookDestination, safeName } from './destination.js';

export interface WriterOptions {
  readonly book: Book;
  /** Titles of the chapters that are made, with their places in the whole book. */
  readonly chapters: readonly { readonly title: string; readonly index: number }[];
  readonly destination: BookDestination;
  readonly voice: string;
}

/** Takes the sound of a book in order. */
export interface BookOutput {
  /** Files that are complete. */
  readonly files: readonly string[];
  /** Sound written so far. */
  readonly audioMs: number;
  /** The next chapter begins. */
  chapter(signal: AbortSignal): Promise<void>;
  /** The next sentence of it, and the silence behind it. */
  write(made: MadeSentence, restMs: number, signal: AbortSignal): Promise<void>;
  finish(signal: AbortSignal): Promise<void>;
  /** Leaves no unfinished file. */
  discard(): Promise<void>;
}

export class BookWriter implements BookOutput {
  /** Files that are complete. */
  readonly files: string[] = [];
  readonly #options: WriterOptions;
  /** The sample at which each chapter that was begun begins. */
  readonly #starts: number[] = [];
  #sink: AudioSink | undefined;
  #samples = 0;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  /** Sound written so far. */
  get audioMs(): number {
    return samplesToMs(this.#samples);
  }

  /** The next chapter begins. */
  async chapter(signal: AbortSignal): Promise<void> {
    const { destination } = this.#options;
    if (destination.kind === 'folder') await this.#finish(signal);
    this.#starts.push(this.#samples);
    this.#sink ??= destination.kind === 'folder' ? await this.#openChapter() : await this.#openWhole();
  }

  async write({ pcm }: MadeSentence, restMs: number, signal: AbortSignal): Promise<void> {
    await this.#add(pcm, signal);
    await this.#add(new Int16Array(msToSamples(restMs)), signal);
  }

  async finish(signal: AbortSignal): Promise<void> {
    await this.#finish(signal);
    const { destination, book, chapters } = this.#options;
    if (destination.kind !== 'folder') return;
    const ends = [...this.#starts.slice(1), this.#samples];
    const lines = this.files.flatMap((file, i) => {
      const seconds = Math.round(samplesToMs(ends[i]! - this.#starts[i]!) / 1000);
      return [`#EXTINF:${seconds},${chapters[i]!.title}`, path.basename(file)];
    });
    const { writeWhole } = await import('../../client/sinks/file.js');
    const playlist = path.join(destination.path, `${safeName(book.title)}.m3u8`);
    await writeWhole(playlist, `#EXTM3U\n#PLAYLIST:${book.title}\n${lines.join('\n')}\n`);
    this.files.push(playlist);
  }

  /** Leaves no unfinished file. */
  async discard(): Promise<void> {
    await this.#sink?.discard();
  }

  async #add(pcm: Int16Array, signal: AbortSignal): Promise<void> {
    if (pcm.length === 0) return;
    await this.#sink!.write(pcm, signal);
    this.#samples += pcm.length;
  }

  async #finish(signal: AbortSignal): Promise<void> {
    if (!this.#sink) return;
    await this.#sink.finish(signal);
    this.files.push(this.#path());
    this.#sink = undefined;
  }

  #path(): string {
    const { destination, chapters } = this.#options;
    if (destination.kind !== 'folder') return destination.path;
    const { title, index } = chapters[this.#starts.length - 1]!;
    const last = Math.max(...chapters.map((chapter) => chapter.index));
    const number = String(index + 1).padStart(String(last + 1).length, '0');
    return path.join(destination.path, `${number} ${safeName(title)}.${destination.ending}`);
  }

  async #openWhole(): Promise<AudioSink> {
    const { book, chapters, destination } = this.#options;
    const titles = chapters.map(({ title }) => title);
    return this.#open(destination.path, { ...this.#tags(), title: book.title }, titles);
  }

  async #openChapter(): Promise<AudioSink> {
    const { destination, chapters, book } = this.#options;
    makeFolder(destination.path);
    const { title, index } = chapters[this.#starts.length - 1]!;
    const track = { number: index + 1, of: book.chapters.length };
    return this.#open(this.#path(), { ...this.#tags(), title, track }, []);
  }

  #tags(): AudioTags {
    const { cover } = this.#options.book;
    return { ...bookTags(this.#options), ...(cover && { cover }) };
  }

  async #open(file: string, tags: AudioTags, chapterTitles: readonly string[]): Promise<AudioSink> {
    const { createFileSink } = await import('../../client/sinks/file.js');
    const { format } = this.#options.destination;
    return createFileSink(file, { format, tags, chapterTitles, chapters: () => this.#chapters(), repeatable: true });
  }

  #chapters(): Chapter[] {
    const at = (i: number) => samplesToMs(this.#starts[i] ?? this.#samples);
    const { chapters, destination } = this.#options;
    if (destination.kind === 'folder') return [];
    return chapters.map(({ title }, i) => ({ title, startMs: at(i), endMs: at(i + 1) }));
  }
}

/** What all files of a book are tagged with, but for the cover. */
export function bookTags({ book, voice }: Pick<WriterOptions, 'book' | 'voice'>): AudioTags {
  const { author, language, title } = book;
  return {
    artist: author ?? voice,
    album: title,
    composer: voice,
    genre: 'Audiobook',
    ...(language !== undefined && { language }),
  };
}
