/**
 * The marks at the beginning of a line: items, headings, rows of tables, rules. The segmenter asks
 * what they cut, as far as the text has come; the reader passes over them, or says them with the
 * line.
 */
import { matchAt } from './normalize/sticky.js';

export type LineKind = 'plain' | 'item' | 'heading' | 'table' | 'rule';

/** A mark that makes its line one of a kind. */
interface LineMark {
  readonly kind: LineKind;
  /** What it may begin with. */
  readonly begins: string;
  /** The mark as the reader knows it, with what parts it from the line. */
  readonly read?: RegExp;
  /** The mark as the segmenter knows it, by itself. */
  readonly cut?: RegExp;
  /** It is read with the line. */
  readonly said?: true;
}

const DIGITS = '0123456789';
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

const LINE_MARKS: readonly LineMark[] = [
  {
    kind: 'rule',
    begins: '-*_=~`',
    read: /(?:(?:[-*_=~][ \t]?){3,200}|`{3,20}[^`\n]{0,60}|~{3,20}[^~\n]{0,60})[ \t]{0,20}(?=[\r\n]|$)/y,
  },
  {
    kind: 'rule',
    begins: '|:- \t',
    read: /(?!--(?:[\r\n]|$))\|?[ \t]*:?-{2,200}:?[ \t]*(?:\|[ \t]*:?-{1,200}:?[ \t]*){0,60}\|?[ \t]*(?=[\r\n]|$)/y,
  },
  { kind: 'heading', begins: '#', read: /#{1,6}[ \t]+/y, cut: /#{1,6}(?=[ \t])/y },
  {
    kind: 'item',
    begins: '-*+•‣◦▪–—·',
    read: /[-*+•‣◦▪–—][ \t]+(?:\[[ xX]\][ \t]+)?/y,
    cut: /[-*+•‣◦▪·](?=[ \t])/y,
  },
  { kind: 'item', begins: DIGITS, read: /\d{1,4}[.)][ \t]+(?=\S)/y, cut: /\d{1,3}[.)](?=[ \t])/y, said: true },
  {
    kind: 'item',
    begins: `(${LETTERS}${LETTERS.toUpperCase()}`,
    cut: /\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)](?=[ \t])/y,
    said: true,
  },
  // "|x| = 5" is no row.
  {
    kind: 'table',
    begins: '|',
    read: /\|(?!\||[A-Za-z0-9−-][A-Za-z0-9+− -]{0,11}\| ?[=<>≤≥+*/^−-])[ \t]*/y,
    cut: /\|/y,
  },
  { kind: 'item', begins: '[', read: /\[\^[^\]\s]{1,40}\]:[ \t]*/y },
];
const BY_FIRST: ReadonlyMap<number, readonly LineMark[]> = new Map(
  [...LINE_MARKS.map(({ begins }) => begins).join('')].map((char) => [
    char.charCodeAt(0),
    LINE_MARKS.filter(({ begins }) => begins.includes(char)),
  ]),
);
const NO_MARKS: readonly LineMark[] = [];

export interface LineStart {
  readonly kind: LineKind;
  /** Where the spoken part of the line begins. */
  readonly end: number;
}

/** What the reader passes over at the beginning of a line. */
export function lineStart(text: string, at: number): LineStart {
  const begin = indentEnd(text, at);
  for (const { kind, read, said } of BY_FIRST.get(text.charCodeAt(begin)) ?? NO_MARKS) {
    const match = read && matchAt(read, text, begin);
    if (match) return { kind, end: said ? begin : begin + match[0].length };
  }
  return { kind: 'plain', end: begin };
}

export interface LineMarker {
  readonly kind: LineKind;
  readonly length: number;
}

export const NO_MARKER: LineMarker = { kind: 'plain', length: 0 };
const LONGEST_MARKER = 8;
const MAYBE_MARKER = /^(?:[-*+•◦▪‣·]|#{1,6}|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})?[.)]?)$/;

/**
 * The marker at which the segmenter may cut, without its length where there is none; null if more
 * text is needed.
 */
export function lineMarker(text: string, from: number, final: boolean): LineMarker | null {
  // A word of two letters is no marker, unless it is a numeral.
  if (isLetter(text.charCodeAt(from)) && isLetter(text.charCodeAt(from + 1)) && !/[ivx]/.test(text[from]!))
    return NO_MARKER;
  const window = text.slice(from, from + LONGEST_MARKER);
  if (!final && window.length < LONGEST_MARKER && MAYBE_MARKER.test(window)) return null;
  for (const { kind, cut } of BY_FIRST.get(window.charCodeAt(0)) ?? NO_MARKS) {
    const match = cut && matchAt(cut, window, 0);
    if (match) return { kind, length: match[0].length };
  }
  return NO_MARKER;
}

const isLetter = (code: number) => (code >= 97 && code <= 122) || (code >= 65 && code <= 90);

const MOST_BLANKS = 40;
const MOST_QUOTES = 20;

/** Behind the blanks and the marks of a quotation that a line begins with. */
function indentEnd(text: string, at: number): number {
  let end = blanksEnd(text, at);
  for (let quotes = 0; quotes < MOST_QUOTES && text.charCodeAt(end) === 62 /* > */; quotes++) {
    end += isBlank(text.charCodeAt(end + 1)) ? 2 : 1;
  }
  return blanksEnd(text, end);
}

function blanksEnd(text: string, at: number): number {
  let end = at;
  while (end < at + MOST_BLANKS && isBlank(text.charCodeAt(end))) end++;
  return end;
}

const isBlank = (code: number): boolean => code === 32 || code === 9;
