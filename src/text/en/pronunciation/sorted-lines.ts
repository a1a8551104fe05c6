/**
 * A list of words on disk, a line each and sorted by bytes, found by halving the file: neither
 * parsed nor held as strings, which would take longer than all that a command says.
 */
const NEWLINE = 10;

export class SortedLines {
  readonly #bytes: Buffer;
  readonly #from: number;
  readonly #to: number;
  readonly #separator: number;

  /** Lines begin in [`from`, `to`). `separator` ends the key of a line, and sorts first in it. */
  constructor(bytes: Buffer, separator: string, from = 0, to = bytes.length) {
    this.#bytes = bytes;
    this.#from = from;
    this.#to = to;
    this.#separator = separator.charCodeAt(0);
  }

  /** What stands behind the key on its line. */
  get(key: string): string | undefined {
    const wanted = Buffer.from(key);
    const at = this.#find(wanted);
    if (at === undefined) return undefined;
    return this.#bytes.toString('utf8', at + wanted.length + 1, this.#endOf(at));
  }

  has(key: string): boolean {
    return this.#find(Buffer.from(key)) !== undefined;
  }

  /** All lines that begin with the key and a separator, without these. */
  *startingWith(key: string): Generator<string> {
    const wanted = Buffer.from(key);
    const found = this.#find(wanted);
    if (found === undefined) return;
    let first = found;
    for (let before = this.#before(first); before !== undefined; before = this.#before(first)) {
      if (this.#compare(before, wanted) !== 0) break;
      first = before;
    }
    for (let at = first; at < this.#to && this.#compare(at, wanted) === 0; at = this.#endOf(at) + 1) {
      yield this.#bytes.toString('utf8', at + wanted.length + 1, this.#endOf(at));
    }
  }

  /** Where a line with this key begins. */
  #find(key: Buffer): number | undefined {
    const bytes = this.#bytes;
    let low = this.#from;
    let high = this.#to;
    while (low < high) {
      const middle = (low + high) >>> 1;
      let begin = middle;
      while (begin > low && bytes[begin - 1] !== NEWLINE) begin--;
      const order = this.#compare(begin, key);
      if (order === 0) return begin;
      if (order > 0) high = begin;
      else low = this.#endOf(middle) + 1;
    }
    return undefined;
  }

  #endOf(at: number): number {
    const end = this.#bytes.indexOf(NEWLINE, at);
    return end === -1 ? this.#bytes.length : end;
  }

  /** Where the line before the one at `at` begins. */
  #before(at: number): number | undefined {
    if (at <= this.#from) return undefined;
    let begin = at - 1;
    while (begin > this.#from && this.#bytes[begin - 1] !== NEWLINE) begin--;
    return begin;
  }

  /** How the key of the line that begins at `begin` stands to another: before, same, behind. */
  #compare(begin: number, key: Buffer): number {
    const bytes = this.#bytes;
    for (let i = 0; i < key.length; i++) {
      const byte = bytes[begin + i] ?? 0;
      if (byte !== key[i]) return byte - key[i]!;
    }
    return bytes[begin + key.length] === this.#separator ? 0 : 1;
  }
}
