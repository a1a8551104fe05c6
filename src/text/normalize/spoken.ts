/** The text being written out, unit by unit, each knowing the stretch of the source it stands for. */

/** A text and, for each of its UTF-16 units, the stretch `[starts[i], ends[i])` of what it was made from. */
export interface Mapped {
  readonly text: string;
  readonly starts: ArrayLike<number>;
  readonly ends: ArrayLike<number>;
}

/** After a quotation mark, a bracket or a hyphen a word follows without a space. */
const isOpener = (unit: number): boolean => unit === 0x22 || unit === 0x28 || unit === 0x2d;
const SPACE = 0x20;
const CHUNK = 8192;
const FIRST_ROOM = 256;

/**
 * Collects output. Offsets are those of the caller's own text; `origin`, where given, carries them one step further
 * back. Whatever is asked for, starts and ends never decrease. Units are kept as numbers, because looking at the end of
 * a string that is still being joined would flatten it each time.
 */
export class Spoken {
  readonly skipped: Record<string, number> = {};
  #length = 0;
  #units: Uint16Array;
  #starts: Int32Array;
  #ends: Int32Array;
  readonly #origin: Mapped | undefined;
  #lastStart = 0;
  #lastEnd = 0;
  /** A word was said that the next letter must not touch. */
  #owesSpace = false;
  /** The last opener was a quotation mark that closes: a word after it needs a space. */
  #closed = false;

  /** `room` is how many units are expected: growing a long text again and again costs more than room left over. */
  constructor(origin?: Mapped, room = FIRST_ROOM) {
    this.#origin = origin;
    const first = Math.max(room, FIRST_ROOM);
    this.#units = new Uint16Array(first);
    this.#starts = new Int32Array(first);
    this.#ends = new Int32Array(first);
  }

  get length(): number {
    return this.#length;
  }

  get #endsInSpace(): boolean {
    return this.#length > 0 && this.#units[this.#length - 1] === SPACE;
  }

  /** Whether the last thing written was source text, with nothing owed behind it. */
  get copied(): boolean {
    return !this.#owesSpace && !this.#closed && !this.#endsInSpace && this.length > 0;
  }

  #push(piece: string, from: number, to: number): void {
    let start = from;
    let end = to;
    if (this.#origin) {
      const { starts, ends } = this.#origin;
      start = from < starts.length ? starts[from]! : this.#lastEnd;
      end = to > from ? ends[to - 1]! : start;
    }
    if (start < this.#lastStart) start = this.#lastStart;
    if (end < start) end = start;
    if (end < this.#lastEnd) end = this.#lastEnd;
    this.#lastStart = start;
    this.#lastEnd = end;
    const begin = this.#makeRoom(piece.length);
    const units = this.#units;
    const starts = this.#starts;
    const ends = this.#ends;
    for (let i = 0; i < piece.length; i++) {
      units[begin + i] = piece.charCodeAt(i);
      starts[begin + i] = start;
      ends[begin + i] = end;
    }
  }

  /** Room for so many more units; returns where they begin. */
  #makeRoom(units: number): number {
    const begin = this.#length;
    this.#length += units;
    if (this.#length > this.#units.length) {
      const room = Math.max(this.#length, this.#units.length * 2);
      this.#units = grown(this.#units, new Uint16Array(room));
      this.#starts = grown(this.#starts, new Int32Array(room));
      this.#ends = grown(this.#ends, new Int32Array(room));
    }
    return begin;
  }

  /** Copies source text as it stands, each unit mapped to its own. */
  copy(piece: string, from: number): void {
    this.#settle(from);
    const origin = this.#origin;
    const begin = this.#makeRoom(piece.length);
    const units = this.#units;
    const starts = this.#starts;
    const ends = this.#ends;
    let lastStart = this.#lastStart;
    let lastEnd = this.#lastEnd;
    for (let i = 0; i < piece.length; i++) {
      const start = origin ? origin.starts[from + i]! : from + i;
      const end = origin ? origin.ends[from + i]! : start + 1;
      if (start > lastStart) lastStart = start;
      if (end > lastEnd) lastEnd = end;
      units[begin + i] = piece.charCodeAt(i);
      starts[begin + i] = lastStart;
      ends[begin + i] = lastEnd;
    }
    this.#lastStart = lastStart;
    this.#lastEnd = lastEnd;
  }

  /** Writes `piece` exactly, standing for `[from, to)`. */
  put(piece: string, from: number, to: number): void {
    if (piece === '') return;
    this.#settle(from);
    this.#push(piece, from, to);
  }

  /** Says words in the place of `[from, to)`, apart from what stands before and after. */
  say(words: string, from: number, to: number): void {
    if (words === '') return;
    if (this.#length > 0) {
      const last = this.#units[this.#length - 1]!;
      const apart = this.#owesSpace || this.#closed || !isOpener(last);
      if (apart && last !== SPACE) this.#push(' ', from, from);
    }
    this.#push(words, from, to);
    this.#owesSpace = true;
    this.#closed = false;
  }

  /** Glues to the word just said, e.g. a possessive. */
  suffix(piece: string, from: number, to: number): void {
    this.#push(piece, from, to);
    this.#owesSpace = true;
  }

  #settle(from: number): void {
    if ((this.#owesSpace || this.#closed) && !this.#endsInSpace) this.#push(' ', from, from);
    this.#owesSpace = false;
    this.#closed = false;
  }

  space(from: number, to: number): void {
    this.#owesSpace = false;
    this.#closed = false;
    if (this.#length === 0) return;
    const last = this.#units[this.#length - 1];
    if (last !== SPACE && last !== 0x28 /* ( */) this.#push(' ', from, to);
  }

  /** An opening quotation mark or bracket. */
  open(mark: string, from: number, to: number): void {
    this.#owesSpace = false;
    this.#closed = false;
    if (this.length > 0 && !this.#endsInSpace && !isOpener(this.#units[this.#length - 1]!)) this.#push(' ', from, from);
    this.#push(mark, from, to);
  }

  /** A closing quotation mark or bracket. */
  close(mark: string, from: number, to: number): void {
    this.#owesSpace = false;
    if (this.length === 0) return;
    if (this.#endsInSpace) this.#dropLast();
    this.#push(mark, from, to);
    this.#closed = true;
  }

  /** A punctuation mark: it stands directly behind the word before it. Of two pauses in a row the stronger stays. */
  mark(mark: string, from: number, to: number): void {
    this.#owesSpace = false;
    this.#closed = false;
    const at = this.#length - (this.#endsInSpace ? 2 : 1);
    if (at < 0) return;
    const before = this.#units[at]!;
    if (before === 0x28 /* ( */) return;
    const strong = strength(before);
    if (strong > 0) {
      const unit = mark.charCodeAt(0);
      if (strength(unit) > strong) this.#units[at] = unit;
      return;
    }
    if (mark === '—') {
      if (!this.#endsInSpace) this.#push(' ', from, from);
    } else if (this.#endsInSpace) this.#dropLast();
    this.#push(mark, from, to);
  }

  /** Asks for a pause where none stands already. */
  pause(mark: string, from: number, to: number): void {
    this.mark(mark, from, to);
    this.space(to, to);
  }

  skip(kind: string, chars: number): void {
    this.skipped[kind] = (this.skipped[kind] ?? 0) + chars;
  }

  #dropLast(): void {
    this.#length -= 1;
  }

  /** Ends the text, without a space at its end. */
  finish(): Mapped {
    while (this.#endsInSpace) this.#dropLast();
    const units = this.#units.subarray(0, this.#length);
    const chunks: string[] = [];
    for (let i = 0; i < units.length; i += CHUNK) chunks.push(decode(units.subarray(i, i + CHUNK)));
    return {
      text: chunks.join(''),
      starts: this.#starts.subarray(0, this.#length),
      ends: this.#ends.subarray(0, this.#length),
    };
  }
}

/** Spreading a typed array goes through its iterator, which takes many times as long. */
const decode = (units: Uint16Array): string => String.fromCharCode.apply(null, units as unknown as number[]);

function grown<T extends Uint16Array | Int32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** How much of a pause a mark is; 0 where it is none, so that a pause may be wanted behind it. */
function strength(unit: number): number {
  switch (unit) {
    case 0x2c /* , */:
      return 1;
    case 0x3b /* ; */:
    case 0x3a /* : */:
    case 0x2014 /* — */:
      return 2;
    case 0x2e /* . */:
    case 0x2026 /* … */:
      return 3;
    case 0x21 /* ! */:
    case 0x3f /* ? */:
      return 4;
    default:
      return 0;
  }
}
