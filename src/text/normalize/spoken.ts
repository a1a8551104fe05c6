/**
 * The text being written out, unit by unit, each knowing the stretch of the source it stands for.
 */

/**
 * A text and, for each of its UTF-16 units, the stretch `[starts[i], ends[i])` of what it was made
 * from. The arrays are longer than the text, and hold until the room they lie in is used again.
 */
export interface Mapped {
  readonly text: string;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** What was left out on the way, by kind. */
  readonly skipped: Record<string, number>;
}

/** After a quotation mark, a bracket or a hyphen a word follows without a space. */
const isOpener = (unit: number): boolean => unit === 0x22 || unit === 0x28 || unit === 0x2d;
const SPACE = 0x20;
const CHUNK = 1 << 16;
const FIRST_ROOM = 4096;
/** Room beyond this was made for one long text and goes with it. */
const MOST_ROOM_KEPT = 1 << 16;

/**
 * Where a text is collected, one at a time. It is kept from one to the next, because making it
 * would take longer than reading a short text does.
 */
export class Room {
  units = new Uint16Array(FIRST_ROOM);
  starts = new Int32Array(FIRST_ROOM);
  ends = new Int32Array(FIRST_ROOM);
  #bytes = Buffer.from(this.units.buffer);

  /** Makes it ready for another text. */
  clear(): void {
    if (this.units.length > MOST_ROOM_KEPT) this.#resize(FIRST_ROOM);
  }

  grow(least: number): void {
    const { units, starts, ends } = this;
    this.#resize(Math.max(least, units.length * 2));
    this.units.set(units);
    this.starts.set(starts);
    this.ends.set(ends);
  }

  #resize(size: number): void {
    this.units = new Uint16Array(size);
    this.starts = new Int32Array(size);
    this.ends = new Int32Array(size);
    this.#bytes = Buffer.from(this.units.buffer);
  }

  /** The first units as text. A buffer makes it ten times as fast as `String.fromCharCode` does. */
  text(length: number): string {
    let text = '';
    for (let i = 0; i < length; i += CHUNK) {
      text += this.#bytes.toString('utf16le', 2 * i, 2 * Math.min(length, i + CHUNK));
    }
    return text;
  }
}

/**
 * Collects output. Offsets are those of the caller's own text; `origin`, where given, carries them
 * one step further back. Whatever is asked for, starts and ends never decrease. Units are kept as
 * numbers, because looking at the end of a string that is still being joined would flatten it each
 * time.
 */
export class Spoken {
  readonly #skipped: Record<string, number>;
  readonly #room: Room;
  readonly #origin: Mapped | undefined;
  #length = 0;
  #lastStart = 0;
  #lastEnd = 0;
  /** A word was said that the next letter must not touch. */
  #owesSpace = false;
  /** The last opener was a quotation mark that closes: a word after it needs a space. */
  #closed = false;

  readonly #wording: ((words: string) => string) | undefined;

  /** `wording` puts what is said as an accent would. */
  constructor(room: Room, origin?: Mapped, wording?: (words: string) => string) {
    room.clear();
    this.#wording = wording;
    this.#room = room;
    this.#origin = origin;
    this.#skipped = origin ? origin.skipped : {};
  }

  get length(): number {
    return this.#length;
  }

  /** The last unit written; 0 where there is none. */
  get #last(): number {
    return this.#length > 0 ? this.#room.units[this.#length - 1]! : 0;
  }

  /** Whether the last thing written was source text, with nothing owed behind it. */
  get copied(): boolean {
    return !this.#owesSpace && !this.#closed && this.#length > 0 && this.#last !== SPACE;
  }

  #push(piece: string, from: number, to: number): void {
    let start = from;
    let end = to;
    const origin = this.#origin;
    if (origin) {
      start = from < origin.text.length ? origin.starts[from]! : this.#lastEnd;
      end = to > from ? origin.ends[to - 1]! : start;
    }
    if (start < this.#lastStart) start = this.#lastStart;
    if (end < start) end = start;
    if (end < this.#lastEnd) end = this.#lastEnd;
    this.#lastStart = start;
    this.#lastEnd = end;
    const { length } = piece;
    const begin = this.#makeRoom(length);
    const { units, starts, ends } = this.#room;
    for (let i = 0; i < length; i++) {
      units[begin + i] = piece.charCodeAt(i);
      starts[begin + i] = start;
      ends[begin + i] = end;
    }
  }

  /** Room for so many more units; returns where they begin. */
  #makeRoom(units: number): number {
    const begin = this.#length;
    this.#length = begin + units;
    if (this.#length > this.#room.units.length) this.#room.grow(this.#length);
    return begin;
  }

  /** Copies source text as it stands, each unit mapped to its own. */
  copy(piece: string, from: number): void {
    this.#settle(from);
    const origin = this.#origin;
    const { length } = piece;
    const begin = this.#makeRoom(length);
    const { units, starts, ends } = this.#room;
    let lastStart = this.#lastStart;
    let lastEnd = this.#lastEnd;
    for (let i = 0; i < length; i++) {
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
    const last = this.#last;
    if (last !== 0 && last !== SPACE && (this.#owesSpace || this.#closed || !isOpener(last)))
      this.#push(' ', from, from);
    this.#push(this.#wording ? this.#wording(words) : words, from, to);
    this.#owesSpace = true;
    this.#closed = false;
  }

  /** Glues to the word just said, e.g. a possessive. */
  suffix(piece: string, from: number, to: number): void {
    this.#push(piece, from, to);
    this.#owesSpace = true;
  }

  #settle(from: number): void {
    if ((this.#owesSpace || this.#closed) && this.#last !== SPACE) this.#push(' ', from, from);
    this.#owesSpace = false;
    this.#closed = false;
  }

  space(from: number, to: number): void {
    this.#owesSpace = false;
    this.#closed = false;
    const last = this.#last;
    if (last !== 0 && last !== SPACE && last !== 0x28 /* ( */) this.#push(' ', from, to);
  }

  /** An opening quotation mark or bracket. */
  open(mark: string, from: number, to: number): void {
    this.#owesSpace = false;
    this.#closed = false;
    const last = this.#last;
    if (last !== 0 && last !== SPACE && !isOpener(last)) this.#push(' ', from, from);
    this.#push(mark, from, to);
  }

  /** A closing quotation mark or bracket. */
  close(mark: string, from: number, to: number): void {
    this.#owesSpace = false;
    if (this.#length === 0) return;
    if (this.#last === SPACE) this.#length -= 1;
    this.#push(mark, from, to);
    this.#closed = true;
  }

  /**
   * A punctuation mark: it stands directly behind the word before it. Of two pauses in a row the
   * stronger stays.
   */
  mark(mark: string, from: number, to: number): void {
    this.#owesSpace = false;
    this.#closed = false;
    const spaced = this.#last === SPACE;
    const at = this.#length - (spaced ? 2 : 1);
    if (at < 0) return;
    const before = this.#room.units[at]!;
    if (before === 0x28 /* ( */) return;
    const strong = strength(before);
    if (strong > 0) {
      const unit = mark.charCodeAt(0);
      if (strength(unit) > strong) this.#room.units[at] = unit;
      return;
    }
    if (mark === '—') {
      if (!spaced) this.#push(' ', from, from);
    } else if (spaced) this.#length -= 1;
    this.#push(mark, from, to);
  }

  /** Asks for a pause where none stands already. */
  pause(mark: string, from: number, to: number): void {
    this.mark(mark, from, to);
    this.space(to, to);
  }

  skip(kind: string, chars: number): void {
    this.#skipped[kind] = (this.#skipped[kind] ?? 0) + chars;
  }

  /** Ends the text, without a space at its end. */
  finish(): Mapped {
    while (this.#last === SPACE) this.#length -= 1;
    const { starts, ends } = this.#room;
    return { text: this.#room.text(this.#length), starts, ends, skipped: this.#skipped };
  }
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
