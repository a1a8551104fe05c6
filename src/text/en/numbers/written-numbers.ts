/** Numbers as they are written: digits, alone or in groups, with decimals or a fraction. */

import { digitsEnd, isDigit } from '../../normalize/scan.js';
import { matchAt } from '../../normalize/sticky.js';
import { FRACTION_SIGNS, fractionOf } from '../symbols.js';
import { fraction, integer } from './numbers.js';

/** Digits in groups, or only the first of them. */
const GROUPED = /\d{1,3}(?:,\d{3})+(?!\d)|\d{1,3}(?: \d{3}){2,}(?!\d)|\d{1,2}(?:,\d{2})+,\d{3}(?!\d)|\d+/y;
const MIXED = new RegExp(`[ -]?([${FRACTION_SIGNS}])| (\\d{1,2})\\/(\\d{1,3})(?![\\d/])`, 'y');

export interface Parsed {
  readonly written: string;
  readonly end: number;
  /** The words, where they are not those of `written`. */
  readonly words?: string;
}

/** The number that begins at `at`. */
export function writtenNumber(text: string, at: number): Parsed | undefined {
  let end = digitsEnd(text, at);
  if (mayGroup(text, end)) end = at + (matchAt(GROUPED, text, at)?.[0].length ?? 0);
  if (isPoint(text, end)) {
    const decimals = digitsEnd(text, end + 1);
    // "1.2.3" belongs to others; a dot that is followed by no digit ends the sentence.
    if (!isPoint(text, decimals)) end = decimals;
  }
  if (end === at) return undefined;
  const written = text.slice(at, end);
  const next = text.charCodeAt(end);
  const mixed = mayBeMixed(text, end, next) ? matchAt(MIXED, text, end) : null;
  if (mixed && !written.includes('.')) {
    const words = mixed[1] ? SIGN_PARTS.get(mixed[1]) : properPart(Number(mixed[2]), Number(mixed[3]));
    if (words) return { written, end: end + mixed[0].length, words: `${integer(written)} and ${words}` };
  }
  return { written, end };
}

/** A dot that decimals follow. */
export const isPoint = (text: string, at: number): boolean =>
  text.charCodeAt(at) === 46 /* . */ && isDigit(text.charCodeAt(at + 1));

/** Whether another group of digits may follow: three of them, or two behind a comma. */
function mayGroup(text: string, end: number): boolean {
  const code = text.charCodeAt(end);
  if (code !== 32 && code !== 44 /* , */) return false;
  if (!isDigit(text.charCodeAt(end + 1)) || !isDigit(text.charCodeAt(end + 2))) return false;
  return code === 44 || isDigit(text.charCodeAt(end + 3));
}

/** Whether a fraction may follow: its sign, or a space and digits with a slash behind them. */
function mayBeMixed(text: string, end: number, next: number): boolean {
  if (next !== 32 && next !== 45) return isFraction(next);
  if (isFraction(text.charCodeAt(end + 1))) return true;
  return next === 32 && (text[end + 2] === '/' || text[end + 3] === '/');
}

const isFraction = (code: number): boolean => (code > 0xbb && code < 0xbf) || (code > 0x214f && code < 0x215f);

const part = (top: number, bottom: number): string => {
  const words = fraction(String(top), String(bottom));
  return top === 1 ? words.replace(/^one/, /^one (?:half|third|quarter|fifth|tenth)/.test(words) ? 'a' : 'one') : words;
};

const properPart = (top: number, bottom: number): string | undefined => (top < bottom ? part(top, bottom) : undefined);

/** What each sign of a fraction is behind a whole number. */
const SIGN_PARTS: ReadonlyMap<string, string> = new Map(
  [...FRACTION_SIGNS].map((sign) => [sign, part(...fractionOf(sign)!)]),
);
