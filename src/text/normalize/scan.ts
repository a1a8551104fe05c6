/**
 * The second pass: at each place of the cleaned text the first rule that knows what stands there
 * says it.
 */
import { isWhiteSpace } from '../../protocol/characters.js';
import type { Language } from '../../protocol/job.js';
import { type Mapped, Room, Spoken } from './spoken.js';

/** What a scan must know of the language it reads. */
export interface ScanLanguage {
  readonly language: Language;
  /** Whether a text is written in capitals throughout, so that capitals mean nothing. */
  readonly isShouted: (text: string) => boolean;
  /**
   * How words that are said in the place of others are put, where an accent puts them otherwise.
   */
  readonly wording?: (words: string) => string;
}

const LONGEST_NEXT_WORD = 40;
const MOST_MARKS_BEFORE = 3;
const MOST_MARKS_BEHIND = 8;
export class Scan {
  readonly text: string;
  readonly out: Spoken;
  /** The word before, as written, and the one before that; empty after the end of a sentence. */
  previous = '';
  beforePrevious = '';
  /** Whether a double quotation mark is open. */
  quoted = false;
  /** Whether a single one is. */
  quotedSingle = false;
  /** Where the bracket stands that closes the arguments of a function. */
  arguments = -1;
  /** How many brackets are open. */
  brackets = 0;
  readonly language: Language;
  /** Whether the text is written in capitals throughout. */
  readonly shouting: boolean;
  #wordAt = -1;
  #word = '';
  #chunkEnd = 0;
  #marks = 0;

  constructor(source: Mapped, { language, isShouted, wording }: ScanLanguage, room = new Room()) {
    this.text = source.text;
    this.language = language;
    this.out = new Spoken(room, source, wording);
    this.shouting = isShouted(source.text);
  }

  /**
   * The marks of addresses that the unbroken stretch around `at` holds; 0 where it can be none.
   * Found once for each stretch, however often it is asked for.
   */
  addressMarks(at: number): number {
    if (at >= this.#chunkEnd) {
      const space = this.text.indexOf(' ', at);
      this.#chunkEnd = space < 0 ? this.text.length : space;
      this.#marks = addressMarks(this.text, at, this.#chunkEnd);
    }
    return this.#marks;
  }

  /** The word that begins at `at`; the last one asked for is kept, for several rules look at it. */
  wordAt(at: number): string {
    if (at !== this.#wordAt) {
      this.#wordAt = at;
      this.#word = this.text.slice(at, wordEnd(this.text, at));
    }
    return this.#word;
  }

  /** The word after `at`, over a space or an opening mark. */
  nextWord(at: number): string {
    const { text } = this;
    let begin = at;
    while (begin < at + MOST_MARKS_BEFORE && opensWord(text.charCodeAt(begin))) begin++;
    let end = begin;
    while (end < begin + LONGEST_NEXT_WORD && isLetter(text.charCodeAt(end))) end++;
    return text.slice(begin, end);
  }

  /** Whether a word could begin at `at`: nothing that belongs to one stands before it. */
  atBoundary(at: number): boolean {
    return at === 0 || !isAlphanumeric(this.text.charCodeAt(at - 1));
  }

  /** Whether the text ends at `at`, closing marks aside: a dot there ends the sentence. */
  endsAt(at: number): boolean {
    const { length } = this.text;
    if (length - at > MOST_MARKS_BEHIND) return false;
    let end = at;
    while (end < length && closesWord(this.text.charCodeAt(end))) end++;
    return end === length;
  }

  remember(word: string): void {
    this.beforePrevious = this.previous;
    this.previous = word;
  }
}

/** Where the letters that begin at `at` end, apostrophes between them included. */
function wordEnd(text: string, at: number): number {
  let end = at;
  while (isLetter(text.charCodeAt(end))) end++;
  if (end === at) return at;
  while (text.charCodeAt(end) === 39 /* ' */ && isLetter(text.charCodeAt(end + 1))) {
    end += 2;
    while (isLetter(text.charCodeAt(end))) end++;
  }
  return end;
}

/** A space, a quotation mark or a bracket. */
export const opensWord = (code: number): boolean => code === 34 || code === 39 || code === 40 || isWhiteSpace(code);

/** White space, a quotation mark or a closing bracket. */
const closesWord = (code: number): boolean =>
  code === 32 || code === 34 || code === 39 || code === 41 || code === 93 || (code > 8 && code < 14);

/** The marks that addresses have, as bits. */
export const MARKS = { at: 1, slash: 2, colon: 4, backslash: 8, dot: 16 } as const;

/** A mark only addresses have, or a dot between letters or digits; 0 where there is neither. */
function addressMarks(text: string, from: number, to: number): number {
  let marks = 0;
  let parted = false;
  for (let i = from; i < to; i++) {
    switch (text.charCodeAt(i)) {
      case 64 /* @ */:
        marks |= MARKS.at;
        break;
      case 47 /* / */:
        marks |= MARKS.slash;
        break;
      case 58 /* : */:
        marks |= MARKS.colon;
        break;
      case 92 /* \ */:
        marks |= MARKS.backslash;
        break;
      case 46 /* . */:
        {
          if (i === from || i + 1 === to || !isAscii(text.charCodeAt(i + 1))) break;
          marks |= MARKS.dot;
          const before = text.charCodeAt(i - 1);
          if (isAscii(before) || before === 95 /* _ */ || before === 45 /* - */) parted = true;
        }
    }
  }
  return parted || marks !== MARKS.dot ? marks : 0;
}

/** An ASCII letter or digit. */
const isAscii = (code: number): boolean =>
  (code > 96 && code < 123) || (code > 64 && code < 91) || (code > 47 && code < 58);

export function isAlphanumeric(code: number): boolean {
  return isDigit(code) || isLetter(code);
}

/** Where the digits that begin at `at` end. */
export function digitsEnd(text: string, at: number): number {
  let end = at;
  while (isDigit(text.charCodeAt(end))) end++;
  return end;
}

export function isDigit(code: number): boolean {
  return code > 47 && code < 58;
}

/**
 * × and ÷ lie among the accented letters, and are none; of Devanagari the signs of vowels count,
 * dandas and digits do not.
 */
export function isLetter(code: number): boolean {
  return (
    (code > 96 && code < 123) ||
    (code > 64 && code < 91) ||
    (code > 191 && code < 592 && code !== 215 && code !== 247) ||
    (code > 0x8ff && code < 0x980 && (code < 0x964 || code > 0x970))
  );
}

/** The same for patterns, to stand between square brackets. */
export const ACCENTED_CAPITALS = '\\u00c0-\\u00d6\\u00d8-\\u00de';
export const ACCENTED_SMALL = '\\u00df-\\u00f6\\u00f8-\\u024f';
export const LETTERS = `A-Za-z${ACCENTED_CAPITALS}${ACCENTED_SMALL}`;

export const isCapitalised = (word: string): boolean => {
  const code = word.charCodeAt(0);
  return (code > 64 && code < 91) || (code > 191 && code < 223 && isLetter(code));
};
