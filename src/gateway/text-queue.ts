/** Text and flushes in the order they came, held in little more than the characters themselves. */

export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'flush' }
  | { readonly kind: 'end' };

/** Shorter texts are joined until they are as long as this, so that a queue of single letters is not one of objects. */
const BLOCK_UNITS = 1_024;
/** Flushes taken before the room they had is given back. */
const TAKEN_FLUSHES = 4_096;

export class TextQueue {
  /** In order; `#open` comes behind the last. */
  readonly #blocks: string[] = [];
  #open = '';
  /** Units of the first block that were taken. */
  #at = 0;
  /** Units ever added and ever taken. */
  #added = 0;
  #taken = 0;
  /** Behind how many units a flush was asked for, in order, from `#nextFlush` on. Two at one place are one. */
  #flushes: number[] = [];
  #nextFlush = 0;
  #ended = false;

  /** Nothing is left to take. */
  get empty(): boolean {
    return this.#taken === this.#added && this.#nextFlush === this.#flushes.length && !this.#ended;
  }

  add(text: string): void {
    this.#added += text.length;
    this.#open += text;
    if (this.#open.length >= BLOCK_UNITS) this.#close();
  }

  /** False where it says nothing that the flush before it did not. */
  flush(): boolean {
    if (this.#nextFlush < this.#flushes.length && this.#flushes.at(-1) === this.#added) return false;
    this.#flushes.push(this.#added);
    return true;
  }

  /** Nothing is added behind it. */
  end(): void {
    this.#ended = true;
  }

  /** What is next, of a text at most `maxUnits`; undefined where nothing is there. */
  take(maxUnits = Number.POSITIVE_INFINITY): Piece | undefined {
    const flushAt = this.#flushes[this.#nextFlush];
    if (flushAt === this.#taken) {
      this.#takeFlush();
      return { kind: 'flush' };
    }
    if (this.#taken < this.#added) return { kind: 'text', text: this.#takeText(maxUnits, flushAt ?? this.#added) };
    if (!this.#ended) return undefined;
    this.#ended = false;
    return { kind: 'end' };
  }

  #takeFlush(): void {
    this.#nextFlush += 1;
    if (this.#nextFlush < this.#flushes.length && this.#nextFlush < TAKEN_FLUSHES) return;
    this.#flushes = this.#flushes.slice(this.#nextFlush);
    this.#nextFlush = 0;
  }

  #takeText(maxUnits: number, until: number): string {
    if (this.#blocks.length === 0) this.#close();
    const block = this.#blocks[0]!;
    const end = Math.min(block.length, this.#at + maxUnits, this.#at + until - this.#taken);
    const text = block.slice(this.#at, end);
    this.#taken += end - this.#at;
    this.#at = end;
    if (end === block.length) {
      this.#blocks.shift();
      this.#at = 0;
    }
    return text;
  }

  #close(): void {
    // Reading a character makes one string of the many it was joined from, each of which takes 32 bytes.
    this.#open.charCodeAt(0);
    this.#blocks.push(this.#open);
    this.#open = '';
  }
}
