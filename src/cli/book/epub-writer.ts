/** Writes a book as an EPUB 3 that is read along with its sound. */
import type { BookChapter } from '../../book/book.js';
import type { MadeSentence } from '../../book/make/maker.js';
import type { Utterance } from '../../book/make/utterances.js';
import type { OverlayBook } from '../../book/overlay/overlay-book.js';
import type { WholeFile } from '../../client/sinks/file.js';
import { TtsError } from '../../protocol/errors.js';
import type { Language } from '../../protocol/job.js';
import { type BookOutput, bookTags, type WriterOptions } from './writer.js';

export interface EpubWriterOptions extends WriterOptions {
  /** What the book was read from. */
  readonly file: string;
  /** What the voice reads in. */
  readonly language: Language;
  readonly by: 'sentence' | 'word';
  /** Which pictures an HTML page keeps: those inside it, or those in files beside it too. */
  readonly pictures: 'inside' | 'beside';
  /** What is said of a chapter, with places: the sentences that `write` is given. */
  readonly said: (chapter: BookChapter, index: number, places: true) => Promise<readonly Utterance[]>;
}

export class EpubWriter implements BookOutput {
  readonly files: string[] = [];
  readonly #options: EpubWriterOptions;
  readonly #whole: WholeFile;
  readonly #overlay: OverlayBook;
  readonly #placed: WriterOptions['book'];
  #next = 0;

  private constructor(
    options: EpubWriterOptions,
    whole: WholeFile,
    overlay: OverlayBook,
    placed: WriterOptions['book'],
  ) {
    this.#options = options;
    this.#whole = whole;
    this.#overlay = overlay;
    this.#placed = placed;
  }

  static async open(options: EpubWriterOptions): Promise<EpubWriter> {
    const { book, chapters, destination, file, by, voice, language, pictures } = options;
    const { kind, format } = destination;
    if (kind !== 'epub' || (format !== 'm4a' && format !== 'mp3')) throw new Error('not the sound of an EPUB');
    const [{ openPublication }, { OverlayBook: Overlay }, { createEncoder }, { openWhole }] = await Promise.all([
      import('../../book/overlay/publication.js'),
      import('../../book/overlay/overlay-book.js'),
      import('../../audio/encoder.js'),
      import('../../client/sinks/file.js'),
    ]);
    const whole = await openWhole(destination.path);
    try {
      const publication = await openPublication(book, file, { language, pictures });
      const open = (index: number) => {
        const track = { number: index + 1, of: book.chapters.length };
        return createEncoder(format, { tags: { ...bookTags(options), title: book.chapters[index]!.title, track } });
      };
      const overlay = new Overlay({
        publication,
        handle: whole.handle,
        indices: chapters.map(({ index }) => index),
        by,
        sound: { ending: format, open },
        narrator: voice,
        language,
      });
      return new EpubWriter(options, whole, overlay, publication.book);
    } catch (error) {
      await whole.discard();
      throw error;
    }
  }

  get audioMs(): number {
    return this.#overlay.audioMs;
  }

  async chapter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { chapters, said } = this.#options;
    const { index } = chapters[this.#next++]!;
    const utterances = await said(this.#placed.chapters[index]!, index, true);
    await this.#written(() => this.#overlay.chapter(index, utterances));
  }

  async write(made: MadeSentence, restMs: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.#written(() => this.#overlay.write(made, restMs));
  }

  async finish(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.#written(() => this.#overlay.finish());
    await this.#whole.finish();
    this.files.push(this.#options.destination.path);
  }

  async discard(): Promise<void> {
    this.#overlay.close();
    await this.#whole.discard();
  }

  /** A disk that is full, in words. */
  async #written(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (cause) {
      if (cause instanceof TtsError) throw cause;
      const { path } = this.#options.destination;
      throw new TtsError('output_failed', `${path} cannot be written: ${(cause as Error).message}.`, { cause });
    }
  }
}
