/** Reads visible characters once, left to right, and names every place where a segment could end, with its rank. */
import type { PauseKind } from '../protocol/job.js';
import { BEFORE_NUMBER, BEFORE_SMALL, LABELLED, LEADING } from './segment-abbreviations.js';

/** How good a place is for a cut. */
export const RANK = { inside: 0, word: 1, weak: 2, strong: 3, sentence: 4, paragraph: 5 } as const;
export type Rank = (typeof RANK)[keyof typeof RANK];

export interface Boundary {
  readonly rank: Rank;
  readonly pause: PauseKind;
  /** A clause that ended surely enough to be the first thing heard. */
  readonly clause: boolean;
}

/** Running totals from the very start; differences of two give those of a stretch. */
export interface Totals {
  letters: number;
  words: number;
  /** A guess at the tokens: exact counts are asked for only where it comes near the limit. */
  weight: number;
}

interface Mark {
  char: string;
  readonly word: string;
  dots: number;
  closed: boolean;
  quoted: boolean;
}

type Next = 'upper' | 'lower' | 'digit' | 'other';
type LineKind = 'plain' | 'item' | 'heading' | 'row';

const SPACE = /\s/;
const LETTER = /[\p{L}\p{M}\p{N}]/u;
const JOINER = '\u200D';
const EXTENDING = /\p{M}|\u200D|\p{Emoji_Modifier}/u;
const CLOSERS = new Set('"\'”’»)]}*_`~›）」』】〉》');
const QUOTES = new Set('"\'”’»›」』');
const OPENERS = new Set('"\'“‘«‹([{*_`~¿¡「『（【<');
/** Ends that need no white space behind them. */
const WIDE_ENDS = new Set('。！？｡।॥።។။');
const ENDS = new Set('.!?…‼⁇⁈⁉؟۔։');
const STRONG = new Set(':;；：؛');
const WEAK = new Set(',—–，、،');
const WIDE_CLAUSES = new Set('；：，、—');
const MARKER = /^(?:[-*+•◦▪‣·]|#{1,6}|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)])(?=[ \t])|^\|/;
const MAYBE_MARKER = /^(?:[-*+•◦▪‣·]|#{1,6}|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})?[.)]?)$/;
const WORD_KEPT = 40;
const INSIDE_STEP = 8;
const SHORT_LINE = 40;

export class BoundaryScanner {
  readonly totals: Totals = { letters: 0, words: 0, weight: 0 };
  #word = '';
  #previous = '';
  #inWord = false;
  #wordChars = 0;
  #joined = false;
  #mark: Mark | null = null;
  #newlines = 0;
  #lineStart = true;
  #lineKind: LineKind = 'plain';
  #lineChars = 0;
  #indent = 0;
  #sentenceWords = 0;
  #blank = true;

  /**
   * Consumes `text` as far as decisions can be made and returns how far that was; `found` is told of each boundary, with
   * the index it lies at, after everything before it was consumed. `final` says that nothing follows.
   */
  scan(text: string, final: boolean, found: (index: number, boundary: Boundary) => void): number {
    let i = 0;
    while (i < text.length) {
      const code = text.charCodeAt(i);
      const high = code >= 0xd800 && code < 0xdc00;
      if (high && i + 1 === text.length && !final) return i;
      const char = high ? String.fromCodePoint(text.codePointAt(i)!) : text[i]!;
      if (code < 128 ? code === 32 || (code >= 9 && code <= 13) : SPACE.test(char)) {
        this.#space(char);
        i += char.length;
        if (this.#newlines >= 2 && !this.#blank) {
          found(i, { rank: RANK.paragraph, pause: 'paragraph', clause: false });
          this.#startParagraph();
        }
        continue;
      }
      if (!this.#inWord) {
        const step = this.#startWord(text, i, final, found);
        if (step < 0) return i;
        if (step > 0) {
          i += step;
          continue;
        }
      } else {
        const boundary = this.#insideWord(char);
        if (boundary) found(i, boundary);
      }
      const note = this.#mark && char === '[' ? footnote(text, i, final) : 0;
      if (note < 0) return i;
      if (note > 0) {
        i += note;
        continue;
      }
      this.#character(char, code);
      i += char.length;
    }
    return i;
  }

  /** How the text rests where it was cut off by flush or end. */
  restingPause(): PauseKind {
    const mark = this.#mark?.char;
    if (mark === undefined) return this.#lineKind === 'item' && this.#newlines > 0 ? 'item' : 'none';
    return ENDS.has(mark) || WIDE_ENDS.has(mark) ? 'sentence' : 'clause';
  }

  /** After a cut that the text did not ask for, the next character begins a new text. */
  restart(): void {
    this.#startParagraph();
    this.#inWord = false;
    this.#word = '';
    this.#previous = '';
  }

  #startParagraph(): void {
    this.#mark = null;
    this.#newlines = 0;
    this.#lineStart = true;
    this.#lineKind = 'plain';
    this.#lineChars = 0;
    this.#indent = 0;
    this.#sentenceWords = 0;
    this.#blank = true;
    if (this.#inWord) this.#endWord();
  }

  #endWord(): void {
    this.#inWord = false;
    this.#previous = this.#word;
    this.#word = '';
    this.#wordChars = 0;
  }

  #space(char: string): void {
    if (this.#inWord) this.#endWord();
    this.totals.weight += 1;
    if (char === '\n' || char === '\u2028') {
      this.#newlines += 1;
      this.#indent = 0;
    } else if (char === '\u2029') {
      this.#newlines += 2;
    } else {
      this.#indent += 1;
    }
  }

  /** Returns how many characters of a line's marker were consumed, or -1 if more text is needed to decide. */
  #startWord(text: string, i: number, final: boolean, found: (index: number, boundary: Boundary) => void): number {
    const lineStart = this.#lineStart || this.#newlines > 0;
    let marker = '';
    if (lineStart) {
      const window = text.slice(i, i + 8);
      if (!final && window.length < 8 && MAYBE_MARKER.test(window)) return -1;
      marker = MARKER.exec(window)?.[0] ?? '';
    }
    const needNext = this.#mark !== null || this.#newlines > 0;
    const next = needNext ? nextKind(text, i + marker.length, final) : 'other';
    if (next === null) return -1;
    if (!this.#blank) found(i, this.#between(next, marker));
    this.#mark = null;
    this.#newlines = 0;
    this.#blank = false;
    this.#inWord = true;
    this.#wordChars = 0;
    this.totals.words += 1;
    this.#sentenceWords += 1;
    if (lineStart) {
      this.#lineStart = false;
      this.#lineChars = 0;
      this.#lineKind = lineKind(marker);
    }
    if (marker === '') return 0;
    this.#inWord = false;
    this.#sentenceWords = 0;
    this.totals.words -= 1;
    this.totals.weight += marker.length;
    this.#lineChars += marker.length;
    // What follows the marker starts the item's text: no boundary between the two.
    this.#blank = true;
    return marker.length;
  }

  /** The boundary in front of a word that white space separates from the one before. */
  #between(next: Next, marker: string): Boundary {
    const broken = this.#newlines > 0;
    const item = this.#lineKind === 'item' || this.#lineKind === 'row';
    if (broken && this.#lineKind === 'heading') return this.#ended('paragraph');
    if (broken && marker !== '') return this.#ended(item ? 'item' : marker.startsWith('#') ? 'paragraph' : 'sentence');
    if (broken && this.#lineKind === 'row') return this.#ended('item');
    const mark = this.#mark;
    if (mark) {
      const rank = this.#rankOf(mark, next);
      if (rank === RANK.sentence) return this.#ended(item && broken ? 'item' : 'sentence');
      const comma = WEAK.has(mark.char);
      if (rank >= RANK.weak) return { rank, pause: 'clause', clause: !comma || next === 'lower' };
    }
    const shortLine = broken && this.#lineChars <= SHORT_LINE && this.#indent === 0;
    if (shortLine && (!mark || STRONG.has(mark.char)) && (next === 'upper' || next === 'digit'))
      return this.#ended('item');
    if (broken) this.#lineChars = 0;
    return { rank: RANK.word, pause: 'none', clause: false };
  }

  #ended(pause: PauseKind): Boundary {
    this.#sentenceWords = 0;
    return { rank: RANK.sentence, pause, clause: false };
  }

  #insideWord(char: string): Boundary | null {
    const mark = this.#mark;
    if (mark && WIDE_ENDS.has(mark.char) && !CLOSERS.has(char) && !WIDE_ENDS.has(char) && !ENDS.has(char)) {
      this.#mark = null;
      this.#endWord();
      this.#inWord = true;
      this.totals.words += 1;
      return this.#ended('sentence');
    }
    if (mark && WIDE_CLAUSES.has(mark.char) && (LETTER.test(char) || OPENERS.has(char))) {
      this.#mark = null;
      return { rank: STRONG.has(mark.char) ? RANK.strong : RANK.weak, pause: 'clause', clause: true };
    }
    if (this.#wordChars >= INSIDE_STEP && !this.#joined && !EXTENDING.test(char)) {
      this.#wordChars = 0;
      return { rank: RANK.inside, pause: 'none', clause: false };
    }
    return null;
  }

  #character(char: string, code: number): void {
    const { totals } = this;
    this.#wordChars += 1;
    this.#lineChars += 1;
    this.#joined = char === JOINER;
    if (code >= 97 && code <= 122) {
      totals.letters += 1;
      totals.weight += 1;
      this.#mark = null;
    } else if (code < 128 ? isAsciiLetter(code) : LETTER.test(char)) {
      totals.letters += 1;
      totals.weight += this.#wordChars > 1 ? 8 : 2;
      this.#mark = null;
    } else {
      this.#sign(char);
      totals.weight += code < 128 && !ODD_SIGN.test(char) ? 1 : 8;
    }
    if (this.#word.length < WORD_KEPT) this.#word += char;
  }

  #sign(char: string): void {
    const mark = this.#mark;
    if (ENDS.has(char) || WIDE_ENDS.has(char) || STRONG.has(char) || WEAK.has(char)) {
      if (mark && !mark.closed && ENDS.has(char) && (ENDS.has(mark.char) || WIDE_ENDS.has(mark.char))) {
        if (char === '.' || char === '…') mark.dots += char === '…' ? 3 : 1;
        if (mark.char === '.' || mark.char === '…') mark.char = char;
      } else {
        const word = mark?.word ?? this.#word;
        this.#mark = { char, word, dots: char === '.' ? 1 : char === '…' ? 3 : 0, closed: false, quoted: false };
      }
    } else if (mark && CLOSERS.has(char)) {
      mark.closed = true;
      if (QUOTES.has(char)) mark.quoted = true;
    } else if ((char === '-' || char === '–') && this.#word === '') {
      // A dash between spaces parts clauses; one inside a word does not.
      this.#mark = { char: '–', word: '', dots: 0, closed: false, quoted: false };
    } else {
      this.#mark = null;
    }
  }

  #rankOf(mark: Mark, next: Next): Rank {
    const { char } = mark;
    if (WEAK.has(char)) return next === 'digit' && char === ',' ? RANK.word : RANK.weak;
    if (STRONG.has(char)) return RANK.strong;
    if (WIDE_ENDS.has(char)) return RANK.sentence;
    if (next === 'lower' && mark.quoted) return RANK.weak;
    if (char === '…' || mark.dots > 1) {
      if (char === '!' || char === '?') return RANK.sentence;
      return next === 'lower' || next === 'digit' ? RANK.weak : RANK.sentence;
    }
    return char === '.' ? this.#rankOfStop(mark, next) : RANK.sentence;
  }

  #rankOfStop(mark: Mark, next: Next): Rank {
    const shown = mark.word.replace(/^[^\p{L}\p{N}]+/u, '');
    const word = shown.toLowerCase();
    if (word === '') return RANK.sentence;
    if (/^\d{1,3}$/.test(word) && this.#sentenceWords <= 1) return RANK.word;
    if (LEADING.has(word)) return RANK.word;
    if (/^\p{L}$/u.test(word)) return this.#rankOfInitial(shown, next);
    const dotted = /^(?:\p{L}{1,3}\.)+\p{L}{1,3}$/u.test(word);
    if (dotted) return (word === 'a.m' || word === 'p.m') && next !== 'lower' ? RANK.sentence : RANK.word;
    if (next === 'digit' && BEFORE_NUMBER.has(word)) return RANK.word;
    if (next === 'lower' && (BEFORE_SMALL.has(word) || BEFORE_NUMBER.has(word))) return RANK.word;
    return RANK.sentence;
  }

  #rankOfInitial(letter: string, next: Next): Rank {
    const previous = this.#previous.replace(/[^\p{L}\p{N}]+/gu, '');
    if (LABELLED.has(previous.toLowerCase())) return RANK.sentence;
    if (next === 'digit') return BEFORE_NUMBER.has(letter) ? RANK.word : RANK.sentence;
    if (letter === 'I' && !/^\p{Lu}/u.test(previous) && this.#sentenceWords > 1) return RANK.sentence;
    if (/^\p{N}+$/u.test(previous)) return next === 'lower' ? RANK.word : RANK.sentence;
    return RANK.word;
  }
}

const ODD_SIGN = /[#$%&+/<=>@\\^|~]/;
const isAsciiLetter = (code: number) => (code >= 65 && code <= 90) || (code >= 48 && code <= 57);

function lineKind(marker: string): LineKind {
  if (marker === '') return 'plain';
  if (marker === '|') return 'row';
  return marker.startsWith('#') ? 'heading' : 'item';
}

/** What the next word begins with, behind opening quotes and brackets; null if the text does not show it yet. */
function nextKind(text: string, from: number, final: boolean): Next | null {
  let i = from;
  for (let skipped = 0; skipped < 4 && i < text.length && (OPENERS.has(text[i]!) || text[i] === ' '); skipped += 1)
    i += 1;
  if (i >= text.length) return final ? 'other' : null;
  const code = text.charCodeAt(i);
  if (code >= 0xd800 && code < 0xdc00 && i + 1 === text.length && !final) return null;
  const char = String.fromCodePoint(text.codePointAt(i)!);
  if (/\p{Ll}/u.test(char)) return 'lower';
  if (/[\p{Lu}\p{Lt}]/u.test(char)) return 'upper';
  return /\p{N}/u.test(char) ? 'digit' : 'other';
}

/** Length of a footnote reference such as `[12]` behind an end mark; 0 if it is none, -1 if more text is needed. */
function footnote(text: string, from: number, final: boolean): number {
  const window = text.slice(from, from + 5);
  if (!final && window.length < 5 && /^\[\d{0,3}$/.test(window)) return -1;
  return /^\[\d{1,3}\]/.exec(window)?.[0].length ?? 0;
}
