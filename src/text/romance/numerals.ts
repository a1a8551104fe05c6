/**
 * Numbers as they are written in Romance languages: points or spaces group, a comma parts decimals.
 */
import { matchAt } from '../normalize/sticky.js';
import type { Standing, Wording } from './wording.js';

export interface Numeral {
  /** The digits of the whole part. */
  readonly whole: string;
  readonly decimals: string;
  /** The mark before the decimals. */
  readonly mark: ',' | '.' | '';
  readonly end: number;
}

const GROUPED = /(\d{1,3}(?:\.\d{3})+)(?!\d)(?:,(\d+))?/y;
const SPACED = /(\d{1,3}(?: \d{3})+)(?! ?\d)(?:,(\d+))?/y;
const COMMA_GROUPED = /(\d{1,3}(?:,\d{3}){2,}|\d{1,3}(?:,\d{3})+(?=\.\d))(?!\d)(?:\.(\d+))?/y;
const PLAIN = /(\d+)(?:([.,])(\d+))?/y;

/** The number that begins at `at`, if a digit does. */
export function numeralAt(text: string, at: number): Numeral | undefined {
  for (const pattern of [COMMA_GROUPED, GROUPED, SPACED]) {
    const match = matchAt(pattern, text, at);
    if (!match) continue;
    const decimals = match[2] ?? '';
    const mark = decimals === '' ? '' : pattern === COMMA_GROUPED ? '.' : ',';
    return { whole: match[1]!.replace(/\D/g, ''), decimals, mark, end: at + match[0].length };
  }
  const plain = matchAt(PLAIN, text, at);
  if (!plain) return undefined;
  const [, whole, mark = '', decimals = ''] = plain;
  // "1.2.3" and "10.5.1" are versions, not numbers.
  const parted = mark === '.' && /^\.\d/.test(text.slice(at + plain[0].length, at + plain[0].length + 2));
  if (parted) return { whole: whole!, decimals: '', mark: '', end: at + whole!.length };
  return { whole: whole!, decimals, mark: mark as Numeral['mark'], end: at + plain[0].length };
}

const MOST_DIGITS = 15;

export const spellDigits = (digits: string, { cardinal }: Wording): string =>
  [...digits].map((digit) => cardinal(BigInt(digit), 'alone')).join(' ');

export function wholeWords(digits: string, wording: Wording, standing: Standing, next?: string): string {
  if (digits.length > MOST_DIGITS || (digits.length > 1 && digits.startsWith('0'))) return spellDigits(digits, wording);
  return wording.cardinal(BigInt(digits), standing, next);
}

/** "tres coma catorce": up to two decimals are a number, more are said one by one. */
function decimalWords(decimals: string, wording: Wording): string {
  const zeros = /^0*/.exec(decimals)![0];
  const rest = decimals.slice(zeros.length);
  if (rest.length > 2 || zeros.length > 2 || rest === '') return spellDigits(decimals, wording);
  return [spellDigits(zeros, wording), wholeWords(rest, wording, 'alone')].filter((part) => part !== '').join(' ');
}

export function numeralWords(numeral: Numeral, wording: Wording, standing: Standing, next?: string): string {
  const { whole, decimals, mark } = numeral;
  if (decimals === '') return wholeWords(whole, wording, standing, next);
  const point = mark === '.' ? wording.words.dot : wording.words.point;
  return `${wholeWords(whole, wording, 'alone')} ${point} ${decimalWords(decimals, wording)}`;
}

export const isOne = ({ whole, decimals }: Numeral): boolean => whole === '1' && decimals === '';

const ROMAN = /^M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})$/;
const VALUES: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10, L: 50, C: 100, D: 500, M: 1000 };

/** The value of a Roman numeral; undefined where it is none. */
export function romanValue(letters: string): number | undefined {
  if (letters === '' || !ROMAN.test(letters)) return undefined;
  let sum = 0;
  for (let i = 0; i < letters.length; i++) {
    const value = VALUES[letters[i]!]!;
    sum += value < (VALUES[letters[i + 1] ?? ''] ?? 0) ? -value : value;
  }
  return sum;
}
