/** The second pass: at each place of the cleaned text the first rule that knows what stands there says it. */
import type { Mapped } from './spoken.js';
import { Spoken } from './spoken.js';
import { matchAt } from './sticky.js';

const WORD = /[A-Za-z\u00c0-\u024f]+(?:'[A-Za-z\u00c0-\u024f]+)*/y;
const NEXT_WORD = /[\s"'(]{0,3}([A-Za-z\u00c0-\u024f]{1,40})/y;
const CAPITALS = /\b[A-Z]{2,}\b/g;
const WORDS = /[A-Za-z]{2,}/g;

export class Scan {
  readonly text: string;
  readonly out: Spoken;
  /** The word before, as written, and the one before that; empty after the end of a sentence. */
  previous = '';
  beforePrevious = '';
  /** Whether a double quotation mark is open. */
  quoted = false;
  /** Whether the text is written in capitals throughout, so that capitals mean nothing. */
  readonly shouting: boolean;
  #chunkEnd = 0;
  #chunkBegin = 0;

  constructor(source: Mapped) {
    this.text = source.text;
    this.out = new Spoken(source);
    const capitals = (source.text.match(CAPITALS) ?? []).length;
    this.shouting = capitals > 2 && capitals >= 0.6 * (source.text.match(WORDS) ?? []).length;
  }

  /** The unbroken stretch around `at`: found once for each stretch, however often it is asked for. */
  chunk(at: number): { begin: number; end: number } {
    if (at >= this.#chunkEnd) {
      this.#chunkBegin = at;
      const end = this.text.indexOf(' ', at);
      this.#chunkEnd = end < 0 ? this.text.length : end;
    }
    return { begin: this.#chunkBegin, end: this.#chunkEnd };
  }

  wordAt(at: number): string {
    return matchAt(WORD, this.text, at)?.[0] ?? '';
  }

  /** The word after `at`, over a space or an opening mark. */
  nextWord(at: number): string {
    return matchAt(NEXT_WORD, this.text, at)?.[1] ?? '';
  }

  /** Whether a word could begin at `at`: nothing that belongs to one stands before it. */
  atBoundary(at: number): boolean {
    return at === 0 || !isAlphanumeric(this.text.charCodeAt(at - 1));
  }

  /** Whether the text ends at `at`, closing marks aside: a dot there ends the sentence. */
  endsAt(at: number): boolean {
    return matchAt(/["')\]\s]{0,8}$/y, this.text, at) !== null;
  }

  remember(word: string): void {
    this.beforePrevious = this.previous;
    this.previous = word;
  }
}

/** Says what stands at `at` and returns where it ends; `at` itself where the rule does not apply. */
export type Rule = (scan: Scan, at: number) => number;

export function isAlphanumeric(code: number): boolean {
  return isDigit(code) || isLetter(code);
}

export function isDigit(code: number): boolean {
  return code > 47 && code < 58;
}

export function isLetter(code: number): boolean {
  return (
    (code > 64 && code < 91) || (code > 96 && code < 123) || (code > 191 && code < 592 && code !== 215 && code !== 247)
  );
}

export const isCapitalised = (word: string): boolean => /^[A-Z\u00c0-\u00de]/.test(word);
