/** Dates, times of day and telephone numbers. */
import type { Rule } from '../normalize/rule.js';
import { LETTERS, type Scan } from '../normalize/scan.js';
import { matchAt } from '../normalize/sticky.js';
import { spellDigits, wholeWords } from './numerals.js';
import { say } from './say.js';
import type { Noun, Wording } from './wording.js';

const NUMERIC = /(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?![\d/-]|\.\d)/y;
const ISO = /(\d{4})-(\d{2})-(\d{2})(?![\d-])/y;
const CLOCK =
  /(\d{1,2})(?::|[hH](?=\d))([0-5]\d)(?:(?::|min)([0-5]\d)s?|(min))?(?: ?(?:h|hs|hrs|horas|ore)\b\.?)?(?![\d:])/y;
const HALF = / ?([ap])\.? ?m\.?(?![\p{L}])/iuy;
/** Groups of two to four digits behind a plus, a bracketed code, or at least three groups. */
const PHONE =
  /(?:\+\d{1,3}[ .-]?)(?:\(?\d{1,4}\)?[ .-]?){1,5}\d{2,4}(?!\d)|\(\d{2,4}\) ?\d{3,5}[ .-]?\d{3,4}(?!\d)|\d{2,3}(?:[ .-]\d{2,3}){3}(?![\d])|\d{3}[ -]\d{3}[ -]\d{3,4}(?!\d)|\d{2} \d{4,5}-\d{4}(?!\d)|\d{4,5}-\d{4}(?!\d)|0\d{1,3}[ /]\d{6,8}(?!\d)|0\d{3} \d{3} \d{4}(?!\d)/y;

/** Whether a day and a month are possible. */
const isDate = (day: number, month: number): boolean => day > 0 && day < 32 && month > 0 && month < 13;

/** A Brazilian one: "01310-100". */
const POSTAL_CODE = /\d{5}-\d{3}(?![\d-])/y;

function date(scan: Scan, at: number, wording: Wording): number {
  const iso = matchAt(ISO, scan.text, at);
  const numeric = iso ? null : matchAt(NUMERIC, scan.text, at);
  const match = iso ?? numeric;
  if (!match) return at;
  const [day, month, year] = iso ? [iso[3], iso[2], iso[1]] : [match[1], match[3], match[4]];
  if (!isDate(Number(day), Number(month))) return at;
  if (numeric?.[2] === '.' && year!.length === 2) return at;
  const century = year!.length === 2 ? (Number(year) < 50 ? '20' : '19') : '';
  const words = wording.date(Number(day), Number(month), wholeWords(`${century}${year}`, wording, 'alone'));
  say(scan, words, at, at + match[0].length);
  scan.remember('');
  return at + match[0].length;
}

/** "1 de mayo", "1º maggio": the first of a month is no plain number. */
function namedDay(scan: Scan, at: number, wording: Wording, pattern: RegExp): number {
  const match = matchAt(pattern, scan.text, at);
  if (!match) return at;
  const [, digits, mark] = match;
  if (Number(digits) > 31 || Number(digits) === 0) return at;
  const first = digits === '1' && mark !== undefined ? wording.ordinal(1, 'm') : undefined;
  say(scan, first ?? wording.day(Number(digits)), at, at + match[0].length);
  scan.remember(digits!);
  return at + match[0].length;
}

/** "2h30min" */
function duration(hour: number, minute: number, { cardinal, units, words }: Wording): string {
  const count = (value: number, [one, many, gender]: Noun) =>
    `${cardinal(BigInt(value), gender)} ${value === 1 ? one : many}`;
  return `${count(hour, units.h!)} ${words.and} ${count(minute, units.min!)}`;
}

function clock(scan: Scan, at: number, wording: Wording): number {
  const { text } = scan;
  const match = matchAt(CLOCK, text, at);
  if (!match) return at;
  const [all, hour, minute, second, lasting] = match;
  if (Number(hour) > 24) return at;
  let end = at + all.length;
  let words = wording.clock(Number(hour), Number(minute), second === undefined ? undefined : Number(second));
  if (lasting !== undefined) words = duration(Number(hour), Number(minute), wording);
  const half = matchAt(HALF, text, end);
  if (half) {
    // The stop of "p. m." at the end of a text ends its sentence too.
    const stop = half[0].endsWith('.') && scan.endsAt(end + half[0].length) ? 1 : 0;
    words = `${words} ${wording.letters[half[1]!.toLowerCase()]} ${wording.letters.m}`;
    end += half[0].length - stop;
  }
  say(scan, words, at, end);
  scan.remember('');
  return end;
}

/** "a las 8 p. m." */
function halfDay(scan: Scan, at: number, wording: Wording): number {
  const digits = matchAt(/(\d{1,2})(?= ?[ap]\.? ?m\b)/iy, scan.text, at);
  if (!digits || Number(digits[1]) > 12) return at;
  const from = at + digits[0].length;
  const half = matchAt(HALF, scan.text, from);
  if (!half) return at;
  const stop = half[0].endsWith('.') && scan.endsAt(from + half[0].length) ? 1 : 0;
  const words = `${wording.cardinal(BigInt(digits[1]!), 'f')} ${wording.letters[half[1]!.toLowerCase()]} ${wording.letters.m}`;
  say(scan, words, at, from + half[0].length - stop);
  return from + half[0].length - stop;
}

function phone(scan: Scan, at: number, wording: Wording): number {
  const match = (wording.code === 'pt' ? matchAt(POSTAL_CODE, scan.text, at) : null) ?? matchAt(PHONE, scan.text, at);
  if (!match) return at;
  const written = match[0];
  const digits = written.replace(/\D/g, '');
  if (digits.length < 7 || digits.length > 15) return at;
  // "1 000 000" is a number, and so is "1.000.000".
  if (/^\d{1,3}(?:([ .])\d{3})(?:\1\d{3})*$/.test(written) && !/^[0689]\d{2} /.test(written)) return at;
  // "1936-1939" are years.
  if (/^[12]\d{3}-[12]\d{3}$/.test(written)) return at;
  const groups = written.match(/\d+/g)!.map((group) => spellDigits(group, wording));
  say(scan, `${written.startsWith('+') ? `${wording.words.plus} ` : ''}${groups.join(', ')}`, at, at + written.length);
  scan.remember('');
  return at + written.length;
}

export function calendarRules(wording: Wording): readonly Rule[] {
  const months = wording.months.join('|');
  const between = wording.ofMonth === ' ' ? ' ' : ' de ';
  const day = new RegExp(`(\\d{1,2})(º|°|\\.º|er)?(?=${between}(?:${months})(?![${LETTERS}]))`, 'iy');
  const digits = 'any digits' as const;
  return [
    { name: 'date', begins: { digits }, apply: (scan, at) => date(scan, at, wording) },
    { name: 'day of a month', begins: { digits }, apply: (scan, at) => namedDay(scan, at, wording, day) },
    { name: 'phone number', begins: { digits, signs: '+(' }, apply: (scan, at) => phone(scan, at, wording) },
    { name: 'clock', begins: { digits }, apply: (scan, at) => clock(scan, at, wording) },
    { name: 'half of a day', begins: { digits }, apply: (scan, at) => halfDay(scan, at, wording) },
  ];
}
