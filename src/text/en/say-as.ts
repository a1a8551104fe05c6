/** Readings the author asked for by name. */
import { trim } from '../../protocol/characters.js';
import type { Language, SayAs } from '../../protocol/job.js';
import { isLetter, type Scan } from '../normalize/scan.js';
import { spell } from './acronyms.js';
import { MONTHS, numericDate } from './numbers/dates.js';
import { amount, cardinal, digitByDigit, ordinal, year } from './numbers/numbers.js';
import { signWords } from './symbols.js';

/**
 * Reads the whole text as asked; false where it is nothing of that kind, and is then read as usual.
 */
export function readAs(scan: Scan, as: SayAs): boolean {
  switch (as) {
    case 'characters':
      return characters(scan);
    case 'cardinal':
    case 'ordinal':
      return count(scan, as);
    case 'telephone':
      return telephone(scan);
    case 'date':
      return date(scan);
  }
}

const NAMES: Readonly<Record<string, string>> = {
  '.': 'dot',
  ',': 'comma',
  '-': 'dash',
  _: 'underscore',
  '/': 'slash',
  '\\': 'backslash',
  '@': 'at',
  '#': 'hash',
  ':': 'colon',
  ';': 'semicolon',
  '&': 'ampersand',
  '+': 'plus',
  '=': 'equals',
  '*': 'star',
  '%': 'percent',
  $: 'dollar',
  '!': 'exclamation mark',
  '?': 'question mark',
  "'": 'apostrophe',
  '"': 'quote',
  '(': 'open parenthesis',
  ')': 'close parenthesis',
  '[': 'open bracket',
  ']': 'close bracket',
  '<': 'less than',
  '>': 'greater than',
  '~': 'tilde',
  '^': 'caret',
  '|': 'bar',
  '—': 'dash',
  '–': 'dash',
  '…': 'dot dot dot',
};

function characters(scan: Scan): boolean {
  const { text, out } = scan;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === ' ') out.mark(',', at, at + 1);
    else if (/\d/.test(char)) out.say(digitByDigit(char), at, at + 1);
    else if (isLetter(char.charCodeAt(0))) out.say(letter(text, at), at, at + 1);
    else {
      const words = NAMES[char] ?? signWords(char) ?? '';
      if (words === '') out.skip('symbol', 1);
      else out.say(words, at, at + 1);
    }
  }
  return true;
}

/** A letter by its name; in a row of letters the A needs no help to be one. */
function letter(text: string, at: number): string {
  const inRow = /[A-Za-z]/.test(text.charAt(at - 1)) || /[A-Za-z]/.test(text.charAt(at + 1));
  return inRow ? text[at]!.toUpperCase() : spell(text[at]!);
}

const NUMBER = /^([-−])?(\d{1,36})(\.\d{1,36})?(?:st|nd|rd|th)?$/i;

function count(scan: Scan, as: 'cardinal' | 'ordinal'): boolean {
  const { text, out } = scan;
  const match = NUMBER.exec(text.length > 100 ? '' : text.replace(/[,\s]/g, ''));
  if (!match) return false;
  const [, minus, whole, rest] = match as unknown as [string, string?, string?, string?];
  if (as === 'ordinal' && rest) return false;
  const words = as === 'ordinal' ? ordinal(whole!) : rest ? amount(`${Number(whole)}${rest}`) : cardinal(whole!);
  out.say(minus ? `minus ${words}` : words, 0, text.length);
  return true;
}

function telephone(scan: Scan): boolean {
  const { text, out } = scan;
  for (const group of text.matchAll(/\d+|\+|[A-Za-z]+/g)) {
    const [piece] = group;
    const from = group.index;
    if (out.length > 0 && text[from - 1] !== '+') out.mark(',', from, from);
    const words = piece === '+' ? 'plus' : /^\d/.test(piece) ? digitByDigit(piece, 'oh') : piece;
    out.say(/^(?:x|ext)$/i.test(piece) ? 'extension' : words, from, from + piece.length);
  }
  return out.length > 0;
}

const COMPACT = /^(\d{4})(\d{2})(\d{2})$/;
const MONTH_DAY = /^(\d{1,2})[-/.](\d{1,2})$/;
const MONTH_YEAR = /^(\d{1,2})[-/.](\d{4})$/;
const YEAR_MONTH = /^(\d{4})[-/.](\d{1,2})$/;

function date(scan: Scan): boolean {
  const { text, out } = scan;
  const words = text.length > 40 ? undefined : dateWords(trim(text), scan.language);
  if (words !== undefined) out.say(words, 0, text.length);
  return words !== undefined;
}

/**
 * Forms too short to be known for dates without being told. Words among the digits are left to the
 * usual rules.
 */
function dateWords(text: string, language: Language): string | undefined {
  const full = numericDate(text, 0, language);
  if (full?.end === text.length) return full.words;
  const compact = COMPACT.exec(text);
  if (compact) return numericDate(compact.slice(1).join('-'), 0, language)?.words;
  const monthYear = MONTH_YEAR.exec(text);
  if (monthYear) return monthAnd(monthYear[1]!, year(Number(monthYear[2])));
  const yearMonth = YEAR_MONTH.exec(text);
  if (yearMonth) return monthAnd(yearMonth[2]!, year(Number(yearMonth[1])));
  const monthDay = MONTH_DAY.exec(text);
  if (monthDay) {
    const [a, b] = [monthDay[1]!, monthDay[2]!];
    const dayFirst = Number(a) > 12 || (language === 'en-GB' && Number(b) <= 12);
    return dayFirst ? monthAnd(b, ordinal(a)) : monthAnd(a, ordinal(b));
  }
  return /^\d{3,4}$/.test(text) ? year(Number(text)) : undefined;
}

function monthAnd(month: string, rest: string): string | undefined {
  const name = MONTHS[Number(month) - 1];
  return name === undefined ? undefined : `${name} ${rest}`;
}
