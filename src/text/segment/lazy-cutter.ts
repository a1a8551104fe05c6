/**
 * Cuts a text whose reader is loaded when something has to be counted: an ordinary sentence is cut
 * without, and loading one takes longer than all else that a text needs.
 */
import type { Segment } from '../../protocol/job.js';
import type { TextPiece } from '../thread/text-messages.js';
import { LocalCutter } from './cutter.js';
import type { SegmenterOptions } from './segment.js';

type Count = SegmenterOptions['countTokens'];

/** Thrown where a count is needed and there is nothing to count with yet. */
const NEEDED = Symbol('a reader is needed');
/** Beyond so much text the reader is loaded in any case: what came so far is kept until then. */
const KEPT_UNITS = 4_000;

export class LazyCutter {
  readonly #options: Omit<SegmenterOptions, 'countTokens'>;
  readonly #load: () => Promise<Count>;
  #cutter: LocalCutter;
  /** What came, while the reader is not loaded; undefined from then on. */
  #kept: TextPiece[] | undefined = [];
  #keptUnits = 0;
  /** Segments given out. */
  #given = 0;

  constructor(options: Omit<SegmenterOptions, 'countTokens'>, load: () => Promise<Count>) {
    this.#options = options;
    this.#load = load;
    this.#cutter = new LocalCutter({
      ...options,
      countTokens() {
        throw NEEDED;
      },
    });
  }

  get pendingChars(): number {
    return this.#cutter.pendingChars;
  }

  get ignoredMarkup(): readonly string[] {
    return this.#cutter.ignoredMarkup;
  }

  /** One call at a time. */
  async take(piece: TextPiece): Promise<Segment[]> {
    if (this.#kept === undefined) return this.#cut(piece);
    this.#kept.push(piece);
    this.#keptUnits += piece.kind === 'push' ? piece.text.length : 1;
    if (this.#keptUnits > KEPT_UNITS) return this.#again(this.#kept);
    try {
      const segments = this.#cut(piece);
      this.#given += segments.length;
      return segments;
    } catch (error) {
      if (error !== NEEDED) throw error;
      return this.#again(this.#kept);
    }
  }

  /**
   * Where segments end depends on the text alone, so those that were given out come first again.
   */
  async #again(pieces: readonly TextPiece[]): Promise<Segment[]> {
    this.#cutter = new LocalCutter({ ...this.#options, countTokens: await this.#load() });
    this.#kept = undefined;
    return pieces.flatMap((piece) => this.#cut(piece)).slice(this.#given);
  }

  #cut(piece: TextPiece): Segment[] {
    return piece.kind === 'push' ? this.#cutter.push(piece.text) : this.#cutter[piece.kind]();
  }
}
