/** Text and flushes in the order they came, held in little more than the characters themselves. */
import { BUFFERS } from './tuning.js';

export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'flush' }
  | { readonly kind: 'end' };

export class TextQueue {
  /** Full blocks, in order; `#open` follows the last. */
  readonly #blocks: string[] = [];
  #open = '';
  /** UTF-16 units taken of the first block. */
  #at = 0;
  /** Units ever added and ever taken. */
  #added = 0;
  #taken = 0;
  /** Units before each flush, in order, from `#nextFlush` on. Two flushes at one place are one. */
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
    if (this.#open.length >= BUFFERS.blockUnits) this.#close();
  }

  /** False where the flush before it is at the same place. */
  flush(): boolean {
    if (this.#nextFlush < this.#flushes.length && this.#flushes.at(-1) === this.#added) return false;
    this.#flushes.push(this.#added);
    return true;
  }

  /** Nothing is added after it. */
  end(): void {
    this.#ended = true;
  }

  /** The next piece, a text of at most `maxUnits`; undefined where the queue is empty. */
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
    if (this.#nextFlush < this.#flushes.length && this.#nextFlush < BUFFERS.takenFlushes) return;
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
    // Reading a character flattens the string: each of the parts it was joined from takes 32 bytes.
    this.#open.charCodeAt(0);
    this.#blocks.push(this.#open);
    this.#open = '';
  }
}
