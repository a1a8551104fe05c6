/** Numbers in words, the American way. */
import { toCardinal, toOrdinal } from 'n2words/en-US';

/** Longer digit strings than this have no name anybody knows: they are read digit by digit. */
const MOST_NAMED_DIGITS = 36;
const DIGITS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

/** Most numbers in a text are small. */
const FIRST_HUNDRED: readonly string[] = Array.from({ length: 100 }, (_, value) => toCardinal(value));

const plain = (digits: string): string => digits.replace(/[^0-9]/g, '');

/** "one two three": each digit by its name. */
export function digitByDigit(digits: string, zero: 'zero' | 'oh' = 'zero'): string {
  let words = '';
  for (let i = 0; i < digits.length; i++) {
    const value = digits.charCodeAt(i) - 48;
    if (value < 0 || value > 9) continue;
    words += `${words === '' ? '' : ' '}${value === 0 ? zero : DIGITS[value]}`;
  }
  return words;
}

/** "one thousand two hundred thirty-four". Separators between the digits are ignored. */
export function cardinal(digits: string | number): string {
  if (typeof digits === 'number') return FIRST_HUNDRED[digits] ?? toCardinal(digits);
  if (digits.length === 1) {
    const value = digits.charCodeAt(0) - 48;
    if (value >= 0 && value < 10) return DIGITS[value]!;
  }
  if (digits.length < 3 && /^\d+$/.test(digits)) return FIRST_HUNDRED[Number(digits)]!;
  const value = plain(digits);
  if (value.length > MOST_NAMED_DIGITS) return digitByDigit(value);
  return toCardinal(value.length <= 15 ? Number(value) : BigInt(value));
}

/** "twenty-first". */
export function ordinal(digits: string | number): string {
  const value = plain(String(digits)).replace(/^0+(?=\d)/, '');
  if (value === '' || value === '0') return 'zeroth';
  if (value.length > MOST_NAMED_DIGITS) return digitByDigit(value);
  return toOrdinal(value.length <= 15 ? Number(value) : BigInt(value));
}

/**
 * A whole number as written: a leading zero or great length without commas means an identifier,
 * read by its digits.
 */
export function integer(written: string): string {
  return isDigitString(written) ? digitByDigit(written) : cardinal(written);
}

export function isDigitString(written: string): boolean {
  if (written.length > 10) return /^\d+$/.test(written);
  return written.length > 1 && written.startsWith('0') && /^\d+$/.test(written);
}

export function digitName(code: number): string {
  return DIGITS[code - 48]!;
}

/** "three point one four"; a missing whole part is not said: ".5" is "point five". */
export function decimal(whole: string, fraction: string): string {
  const digits = digitByDigit(fraction);
  if (whole === '') return `point ${digits}`;
  return `${integer(whole)} point ${digits}`;
}

/** A written number, whole or with a decimal point. */
export function amount(written: string): string {
  const dot = written.indexOf('.');
  if (dot < 0) return integer(written);
  return decimal(written.slice(0, dot), written.slice(dot + 1));
}

/** Four digits said in pairs: "nineteen oh five", "eighty eighty", "fifteen hundred". */
export function pairs(digits: string): string {
  const high = Number(digits.slice(0, -2));
  const low = Number(digits.slice(-2));
  if (high === 0) return low < 10 ? digitByDigit(digits) : `zero ${cardinal(low)}`;
  if (low === 0) return high % 10 === 0 ? `${cardinal(high / 10)} thousand` : `${cardinal(high)} hundred`;
  return `${cardinal(high)} ${low < 10 ? `oh ${cardinal(low)}` : cardinal(low)}`;
}

/** "nineteen eighty-four", "two thousand nine", "twenty twenty-four". */
export function year(value: number): string {
  if (value < 1000 || value > 9999) return cardinal(value);
  const century = Math.floor(value / 100);
  if (century % 10 === 0 && value % 100 < 10) return cardinal(value);
  return pairs(String(value));
}

/**
 * Three digits the way numbers of rooms, flights and networks are said: "one ninety-two", "five oh
 * one".
 */
export function triple(digits: string): string {
  const value = Number(digits);
  if (digits.length !== 3 || digits.startsWith('0') || value % 100 === 0) return integer(digits);
  const low = value % 100;
  return `${cardinal(Math.floor(value / 100))} ${low < 10 ? `oh ${cardinal(low)}` : cardinal(low)}`;
}

const PLURALS: Readonly<Record<string, string>> = { half: 'halves', foot: 'feet', inch: 'inches' };

/** The last word of a phrase in the plural: "twenty" → "twenties", "hundred" → "hundreds". */
export function plural(words: string): string {
  const last = words.slice(words.search(/[a-z]+$/i));
  const known = Object.hasOwn(PLURALS, last) ? PLURALS[last] : undefined;
  if (known) return words.slice(0, words.length - last.length) + known;
  if (/[^aeiou]y$/.test(words)) return `${words.slice(0, -1)}ies`;
  if (/(?:s|x|z|ch|sh)$/.test(words)) return `${words}es`;
  return `${words}s`;
}

/** "nineteen nineties", "eighteen hundreds", "nineties". */
export function decade(digits: string): string {
  const value = Number(digits);
  return plural(digits.length === 4 ? year(value) : cardinal(value));
}

/** "two thirds", "one half", "three quarters". */
export function fraction(numerator: string, denominator: string): string {
  const top = cardinal(numerator);
  const one = Number(numerator) === 1;
  const bottom = Number(denominator);
  if (bottom === 2) return `${top} ${one ? 'half' : 'halves'}`;
  if (bottom === 4) return `${top} ${one ? 'quarter' : 'quarters'}`;
  const part = ordinal(denominator).replace(/^one /, '');
  return `${top} ${one ? part : plural(part)}`;
}
