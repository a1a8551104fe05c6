/**
 * Cuts a text without a reader until something has to be counted: an ordinary sentence is cut
 * without, and loading a reader takes longer than all else that a text needs.
 */
import { DEFAULT_LANGUAGE, type Segment } from '../../protocol/job.js';
import type { TextPiece } from '../thread/text-messages.js';
import { LocalCutter, type TextCutter } from './cutter.js';
import type { SegmenterOptions } from './segment.js';
import { loadSentenceWords } from './sentence-words.js';

/** Thrown where a count is needed and there is nothing to count with yet. */
const NEEDED = Symbol('a reader is needed');
/** Beyond so much text a reader is used in any case: what came so far is kept until then. */
const KEPT_UNITS = 4_000;

type CutterOptions = Omit<SegmenterOptions, 'countTokens'>;

export class LazyCutter {
  readonly #options: CutterOptions;
  readonly #load: () => Promise<TextCutter>;
  /** Made with the first piece: the words that end sentences are loaded before it. */
  #cutter: TextCutter | undefined;
  /** What came, while no reader is used; undefined from then on. */
  #kept: TextPiece[] | undefined = [];
  #keptUnits = 0;
  /** Segments given out. */
  #given = 0;

  /** `load` gives a cutter with a reader; it is asked once at most, for a text of these options. */
  constructor(options: CutterOptions, load: () => Promise<TextCutter>) {
    this.#options = options;
    this.#load = load;
  }

  get pendingChars(): number {
    return this.#cutter?.pendingChars ?? 0;
  }

  get ignoredMarkup(): readonly string[] {
    return this.#cutter?.ignoredMarkup ?? [];
  }

  /** One call at a time. */
  async take(piece: TextPiece): Promise<Segment[]> {
    this.#cutter ??= await this.#withoutReader();
    if (this.#kept === undefined) return this.#cut(piece);
    this.#kept.push(piece);
    this.#keptUnits += piece.kind === 'push' ? piece.text.length : 1;
    if (this.#keptUnits > KEPT_UNITS) return this.#again(this.#kept);
    try {
      const segments = await this.#cut(piece);
      this.#given += segments.length;
      return segments;
    } catch (error) {
      if (error !== NEEDED) throw error;
      return this.#again(this.#kept);
    }
  }

  async #withoutReader(): Promise<TextCutter> {
    await loadSentenceWords(this.#options.language ?? DEFAULT_LANGUAGE);
    return new LocalCutter({
      ...this.#options,
      countTokens() {
        throw NEEDED;
      },
    });
  }

  /**
   * Where segments end depends on the text alone, so those that were given out come first again.
   */
  async #again(pieces: readonly TextPiece[]): Promise<Segment[]> {
    this.#cutter = await this.#load();
    this.#kept = undefined;
    const segments: Segment[] = [];
    for (const piece of pieces) segments.push(...(await this.#cut(piece)));
    return segments.slice(this.#given);
  }

  close(): void {
    this.#cutter?.close();
  }

  #cut(piece: TextPiece): Segment[] | Promise<Segment[]> {
    const cutter = this.#cutter!;
    return piece.kind === 'push' ? cutter.push(piece.text) : cutter[piece.kind]();
  }
}
