/** The few questions that only the characters ahead can answer: markers of lines, the next word's first letter, footnotes. */
import { characterIs, IS } from './character-kinds.js';
import type { Next } from './sentence-ends.js';

export type LineKind = 'plain' | 'item' | 'heading' | 'row';

const MARKER = /^(?:[-*+•◦▪‣·]|#{1,6}|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)])(?=[ \t])|^\|/;
const MAYBE_MARKER = /^(?:[-*+•◦▪‣·]|#{1,6}|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})?[.)]?)$/;

/** The marker of a list item, heading or table row that stands here, or ''; null if more text is needed to tell. */
export function lineMarker(text: string, from: number, final: boolean): string | null {
  // A word of two letters is no marker, unless it is a numeral.
  if (isLetter(text.charCodeAt(from)) && isLetter(text.charCodeAt(from + 1)) && !/[ivx]/.test(text[from]!)) return '';
  const window = text.slice(from, from + 8);
  if (!final && window.length < 8 && MAYBE_MARKER.test(window)) return null;
  return MARKER.exec(window)?.[0] ?? '';
}

export function lineKind(marker: string): LineKind {
  if (marker === '') return 'plain';
  if (marker === '|') return 'row';
  return marker.startsWith('#') ? 'heading' : 'item';
}

/** What the next word begins with, behind opening quotes and brackets; null if the text does not show it yet. */
export function nextKind(text: string, from: number, final: boolean): Next | null {
  let i = from;
  for (let skipped = 0; skipped < 4 && i < text.length; skipped += 1) {
    const code = text.charCodeAt(i);
    if (code !== 32 && !(characterIs(code) & IS.opener)) break;
    i += 1;
  }
  if (i >= text.length) return final ? 'other' : null;
  const code = text.charCodeAt(i);
  if (code >= 0xd800 && code < 0xdc00 && i + 1 === text.length && !final) return null;
  const is = characterIs(text.codePointAt(i)!);
  if (is & IS.lower) return 'lower';
  if (is & IS.upper) return 'upper';
  return is & IS.digit ? 'digit' : 'other';
}

/** Length of a footnote reference such as `[12]` behind an end mark; 0 if it is none, -1 if more text is needed. */
export function footnote(text: string, from: number, final: boolean): number {
  const window = text.slice(from, from + 5);
  if (!final && window.length < 5 && /^\[\d{0,3}$/.test(window)) return -1;
  return /^\[\d{1,3}\]/.exec(window)?.[0].length ?? 0;
}

const isLetter = (code: number) => (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
