/**
 * Markdown and HTML marks, recognised piece by piece: a segment may begin or end anywhere inside a
 * construct.
 */
import { isAlphanumeric, isDigit } from './scan.js';
import { matchAt } from './sticky.js';

const LINK = /\[[^\][\n]{0,300}\](?:\(|\[[^\][\n]{1,80}\])/y;
const LINK_TAIL =
  /\]\([ \t]*(?:<[^<>\n]{0,500}>|[^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,500}){0,3})(?:[ \t]+["'(][^"'()\n]{0,200}["')])?[ \t]*\)/y;
const REFERENCE_TAIL = /\]\[[^\][\n]{1,80}\]/y;
const FOOTNOTE = /\[\^[^\]\s]{1,40}\]/y;
const CITATION = /\[\d{1,3}(?:[,–-] ?\d{1,3}){0,5}\]/y;

/** The end of a mark that only points elsewhere: a footnote, a citation behind a word. */
export function pointerEnd(text: string, at: number): number | undefined {
  const footnote = text.charCodeAt(at + 1) === 94 /* ^ */ ? matchAt(FOOTNOTE, text, at) : null;
  if (footnote) return at + footnote[0].length;
  if (at === 0 || !'.,;:!?)"”’'.includes(text[at - 1]!)) return undefined;
  const citation = isDigit(text.charCodeAt(at + 1)) ? matchAt(CITATION, text, at) : null;
  return citation ? at + citation[0].length : undefined;
}

/**
 * Whether the bracket at `at` opens the text of a link (or of an image, or of an image in a link).
 */
export function opensLink(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const next = text.charCodeAt(at + 1);
  if (before === 33 /* ! */ || (next === 33 && text[at + 2] === '[')) return true;
  // No bracket stands inside a link's text.
  if (next === 91 /* [ */) return false;
  const match = matchAt(LINK, text, at);
  if (!match) return false;
  // `list[i][j]` is an index, not a reference.
  return match[0].endsWith('(') || !isWordUnit(before);
}

/** The end of a link's hidden part, which begins with the bracket at `at`. */
export function linkTailEnd(text: string, at: number, inLink: boolean): number | undefined {
  const next = text.charCodeAt(at + 1);
  if (next !== 40 /* ( */ && next !== 91 /* [ */) return undefined;
  const match = matchAt(LINK_TAIL, text, at) ?? (inLink ? matchAt(REFERENCE_TAIL, text, at) : null);
  return match ? at + match[0].length : undefined;
}

const TAG =
  /<\/?(?:a|abbr|b|big|blockquote|body|br|caption|center|cite|code|col|dd|del|details|div|dl|dt|em|figure|figcaption|font|footer|h[1-6]|head|header|hr|html|i|img|input|ins|kbd|li|main|mark|nav|ol|p|picture|pre|q|s|samp|script|section|small|source|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|var|video|wbr)(?:\s[^<>]{0,600})?\s?\/?>/iy;
const BREAKING = /^<\/?(?:br|p|div|li|h[1-6]|hr|tr|td|th|blockquote|ul|ol|table|dd|dt|summary|section|caption|pre)\b/i;

/**
 * A tag of HTML at `at`, and whether a pause belongs there. Other things in angle brackets are
 * text.
 */
export function htmlTag(text: string, at: number): { end: number; breaks: boolean } | undefined {
  const match = matchAt(TAG, text, at);
  return match ? { end: at + match[0].length, breaks: BREAKING.test(match[0]) } : undefined;
}

const AUTOLINK = /<(?:https?:\/\/|mailto:)[^<>\s]{1,2000}>/y;

export function autolinkEnd(text: string, at: number): number | undefined {
  const match = matchAt(AUTOLINK, text, at);
  return match ? at + match[0].length : undefined;
}

/** A letter or a digit, and all beyond the letters we read. */
export function isWordUnit(code: number): boolean {
  return isAlphanumeric(code) || code > 591;
}

/**
 * Whether the asterisks `[at, end)` mark emphasis or a footnote (not said) rather than a product
 * (said).
 */
export function isEmphasis(text: string, at: number, end: number): boolean {
  if (end - at > 1) return !(end - at === 2 && isWordUnit(text.charCodeAt(at - 1)) && isDigit(text.charCodeAt(end)));
  let left = at - 1;
  let right = end;
  if (text[left] === ' ' && text[right] === ' ') {
    left--;
    right++;
  }
  const before = text.charCodeAt(left);
  const after = text.charCodeAt(right);
  if (isDigit(before) && isDigit(after)) return false;
  // `a*b`: single small letters multiply; words, and the letters of "M*A*S*H", do not.
  const single = (code: number, beyond: number) => (isDigit(code) || (code > 96 && code < 123)) && !isWordUnit(beyond);
  return !(single(before, text.charCodeAt(left - 1)) && single(after, text.charCodeAt(right + 1)));
}

const DIALLED = /(?:\*{1,2}#?|#{1,2})\d{2,4}(?:[*#]\d{1,15})*(?:#|(?![A-Za-z0-9*#]))(?![A-Za-z0-9*])/y;

/** "*#06#", "*67": a code for a telephone, unless another asterisk closes what this one opens. */
export function isDialled(text: string, at: number): boolean {
  let begin = at;
  while (begin > at - 2 && (text[begin - 1] === '*' || text[begin - 1] === '#')) begin--;
  if (isWordUnit(text.charCodeAt(begin - 1))) return false;
  const match = matchAt(DIALLED, text, begin);
  if (!match || at >= begin + match[0].length) return false;
  if (match[0].startsWith('#')) return match[0].endsWith('#');
  return (
    match[0].includes('#') ||
    !/^[^\n]{0,79}[^\s*]\*/.test(text.slice(begin + match[0].length, begin + match[0].length + 81))
  );
}

/** "Home » Shoes": a mark between the steps of a path, not the end of a quotation. */
export const isCrumb = (text: string, at: number): boolean =>
  text[at - 1] === ' ' && text[at + 1] === ' ' && !/[«‹]/.test(text.slice(Math.max(0, at - 200), at));
