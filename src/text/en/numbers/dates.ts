/** Dates in the usual orders, weekdays and months in short, decades and short years. */

import type { Language } from '../../../protocol/job.js';
import type { Rule } from '../../normalize/rule.js';
import { isAlphanumeric, isDigit, type Scan } from '../../normalize/scan.js';
import { matchAt } from '../../normalize/sticky.js';
import { cardinal, decade, ordinal, year } from './numbers.js';
import { clockWords } from './times.js';

export const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const WEEKDAYS: Readonly<Record<string, string>> = {
  Mon: 'Monday',
  Tue: 'Tuesday',
  Tues: 'Tuesday',
  Wed: 'Wednesday',
  Thu: 'Thursday',
  Thur: 'Thursday',
  Thurs: 'Thursday',
  Fri: 'Friday',
  Sat: 'Saturday',
  Sun: 'Sunday',
};
const MONTH =
  '(Jan(?:uary|\\.)?|Feb(?:ruary|\\.)?|Mar(?:ch|\\.)?|Apr(?:il|\\.)?|May|June?\\.?|July?\\.?|Aug(?:ust|\\.)?|Sept?(?:ember|\\.)?|Oct(?:ober|\\.)?|Nov(?:ember|\\.)?|Dec(?:ember|\\.)?)';
const ENDING = '(?:st|nd|rd|th)?';

const YEAR_FIRST =
  /(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?(?![\d-]|[/.]\d)/y;
const YEAR_LAST = /(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?![\d-]|[/.]\d)/y;
const DAY_FIRST = new RegExp(`(\\d{1,2})${ENDING}[ -]${MONTH}(?:,?[ -](\\d{4}))?(?![\\dA-Za-z])`, 'y');
const DAYS_FIRST = new RegExp(
  `(\\d{1,2})${ENDING} ?[-–] ?(\\d{1,2})${ENDING} ${MONTH}(?:,? (\\d{4}))?(?![\\dA-Za-z])`,
  'y',
);
const MONTH_FIRST = new RegExp(
  `${MONTH} (\\d{1,2})${ENDING}(?: ?[-–] ?(\\d{1,2})${ENDING}(?![\\d:]))?(?:,? (\\d{4})(?!\\d))?(?![\\dA-Za-z%°]|[:.]\\d|,\\d{3}| ?(?:a|p)\\.?m| percent| million)`,
  'y',
);
const MONTH_YEAR = new RegExp(`${MONTH}(?: |, )'?(\\d{4}|(?<=')\\d\\d)(?![\\dA-Za-z])`, 'y');
const MONTH_ALONE = /(Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.(?![A-Za-z])/y;
const WEEKDAY =
  /(Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)(?:\.|(?=, (?:[A-Z][a-z]{2}|\d))|(?= ?[-–&/] ?(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun))|(?= \d{1,2}(?::| ?[ap]m)))/y;
const WEEKDAY_SPAN =
  /(Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)\.? ?[-–] ?(Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)\.?(?![A-Za-z])/y;
const DECADE = /(\d{4}|\d0)'?s(?![A-Za-z0-9])/y;
const SHORT = /'(\d\d)(s)?(?![\dA-Za-z'"])/y;

/** The names a date begins with, in full and in short. */
const NAMES = [...MONTHS, ...MONTHS.map((name) => name.slice(0, 3)), 'Sept', ...Object.keys(WEEKDAYS)];

const monthIndex = (name: string): number => MONTHS.findIndex((month) => month.startsWith(name.slice(0, 3)));
const isDay = (day: number): boolean => day >= 1 && day <= 31;
const isMonth = (month: number): boolean => month >= 1 && month <= 12;

function spoken(month: number, day: number, written: string, british: boolean): string {
  const name = MONTHS[month - 1]!;
  return `${british ? `the ${ordinal(day)} of ${name}` : `${name} ${ordinal(day)}`}, ${yearWords(written)}`;
}

function yearWords(written: string): string {
  if (written.length === 4) return year(Number(written));
  return year(Number(written) + (Number(written) < 50 ? 2000 : 1900));
}

/** What a numeric date says, or undefined where it is none. The British write the day first. */
export function numericDate(text: string, at: number, language: Language): { words: string; end: number } | undefined {
  const british = language === 'en-GB';
  const first = matchAt(YEAR_FIRST, text, at);
  if (first) {
    const [whole, y, , m, d, hour, minute, second, zone] = first;
    if (isMonth(Number(m)) && isDay(Number(d))) {
      const time = hour === undefined ? '' : `, ${clockWords(Number(hour), minute!, second, hour)}${zoneWords(zone)}`;
      return { words: spoken(Number(m), Number(d), y!, british) + time, end: at + whole.length };
    }
  }
  const last = matchAt(YEAR_LAST, text, at);
  if (!last) return undefined;
  const [whole, a, mark, b, y] = last as unknown as string[];
  if (y!.length === 2 && mark !== '/') return undefined;
  const [one, two] = [Number(a), Number(b)];
  const dayFirst = british || mark === '.' ? isMonth(two) : !isMonth(one) && isMonth(two);
  const [month, day] = dayFirst ? [two, one] : [one, two];
  if (!isMonth(month) || !isDay(day)) return undefined;
  return { words: spoken(month, day, y!, british), end: at + whole!.length };
}

function zoneWords(zone: string | undefined): string {
  if (!zone) return '';
  const offset = /^([+-])0?(\d+):?(\d\d)$/.exec(zone);
  if (!offset || /^.0?0:?00$/.test(zone)) return ' U T C';
  const minutes = offset[3] === '00' ? '' : ` ${cardinal(offset[3]!)}`;
  return ` U T C ${offset[1] === '+' ? 'plus' : 'minus'} ${cardinal(offset[2]!)}${minutes}`;
}

function dateFromDigits(scan: Scan, at: number): number {
  if (!scan.atBoundary(at) || (at > 0 && '-/.'.includes(scan.text[at - 1]!))) return at;
  const numeric = numericDate(scan.text, at, scan.language);
  if (numeric) {
    scan.out.say(numeric.words, at, numeric.end);
    return numeric.end;
  }
  return dayFirst(scan, at);
}

function dayFirst(scan: Scan, at: number): number {
  const { text, out } = scan;
  const the = scan.previous.toLowerCase() === 'the' ? '' : 'the ';
  const span = matchAt(DAYS_FIRST, text, at);
  if (span && isDay(Number(span[1])) && isDay(Number(span[2]))) {
    const end = at + trimDot(scan, at + span[0].length, span[0]);
    const tail = span[4] ? `, ${year(Number(span[4]))}` : '';
    out.say(
      `${the}${ordinal(span[1]!)} to the ${ordinal(span[2]!)} of ${MONTHS[monthIndex(span[3]!)]}${tail}`,
      at,
      end,
    );
    return end;
  }
  const match = matchAt(DAY_FIRST, text, at);
  if (!match || !isDay(Number(match[1]))) return at;
  const end = at + trimDot(scan, at + match[0].length, match[0]);
  const tail = match[3] ? `, ${year(Number(match[3]))}` : '';
  out.say(`${the}${ordinal(match[1]!)} of ${MONTHS[monthIndex(match[2]!)]}${tail}`, at, end);
  return end;
}

/**
 * The dot of a month in short may also be the end of the sentence: then it is left to be a pause.
 */
function trimDot(scan: Scan, end: number, whole: string): number {
  return whole.endsWith('.') && scan.endsAt(end) ? whole.length - 1 : whole.length;
}

function dateFromLetters(scan: Scan, at: number): number {
  const { text, out } = scan;
  const code = text.charCodeAt(at);
  // J F M A S O N D and the weekdays' T W: nothing else begins a date.
  if (code < 65 || code > 90 || !scan.atBoundary(at)) return at;
  const first = matchAt(MONTH_FIRST, text, at);
  if (first && isDay(Number(first[2]))) {
    const [whole, name, day, until, written] = first as unknown as [string, string, string, string?, string?];
    const the = scan.language === 'en-GB' ? 'the ' : '';
    const to = until && isDay(Number(until)) ? ` to ${the}${ordinal(until)}` : '';
    const words = `${MONTHS[monthIndex(name)]} ${the}${ordinal(day)}${to}${written ? `, ${year(Number(written))}` : ''}`;
    out.say(words, at, at + whole.length);
    // A year so placed is closed by a comma in writing; it must not be said as a pause before a
    // dash or an end.
    scan.remember(name);
    return at + whole.length;
  }
  const dated = matchAt(MONTH_YEAR, text, at);
  if (dated) {
    out.say(`${MONTHS[monthIndex(dated[1]!)]} ${yearWords(dated[2]!)}`, at, at + dated[0].length);
    scan.remember(dated[1]!);
    return at + dated[0].length;
  }
  const alone = matchAt(MONTH_ALONE, text, at);
  if (alone) {
    const end = at + trimDot(scan, at + alone[0].length, alone[0]);
    out.say(MONTHS[monthIndex(alone[1]!)]!, at, end);
    scan.remember(alone[1]!);
    return end;
  }
  const span = matchAt(WEEKDAY_SPAN, text, at);
  if (span) {
    out.say(`${WEEKDAYS[span[1]!]} to ${WEEKDAYS[span[2]!]}`, at, at + span[0].length);
    return at + span[0].length;
  }
  const weekday = matchAt(WEEKDAY, text, at);
  if (!weekday || isAlphanumeric(text.charCodeAt(at + weekday[0].length))) return at;
  const end = at + trimDot(scan, at + weekday[0].length, weekday[0]);
  out.say(WEEKDAYS[weekday[1]!]!, at, end);
  return end;
}

const DECADE_BEFORE = /^(?:the|his|her|their|my|your|our|early|late|mid|in|of|since)$/i;

/** "1990s", "the 60s"; but "30s" elsewhere is a time. */
function decadeFromDigits(scan: Scan, at: number): number {
  if (!scan.atBoundary(at)) return at;
  const match = matchAt(DECADE, scan.text, at);
  if (!match) return at;
  const digits = match[1]!;
  const hyphened = scan.text[at - 1] === '-';
  if (digits.length === 2 && !hyphened && !DECADE_BEFORE.test(scan.previous)) return at;
  if (digits === '00' || (digits.length === 4 && !digits.endsWith('0'))) return at;
  const end = at + match[0].length;
  scan.out.say(decade(digits), at, end);
  return end;
}

/** "'90s", "'69", "the class of '05". */
function shortYear(scan: Scan, at: number): number {
  if (!isDigit(scan.text.charCodeAt(at + 1)) || !scan.atBoundary(at)) return at;
  const match = matchAt(SHORT, scan.text, at);
  if (!match) return at;
  const [whole, digits, many] = match as unknown as [string, string, string?];
  if (many) {
    if (!digits.endsWith('0') || digits === '00') return at;
    scan.out.say(decade(digits), at, at + whole.length);
  } else scan.out.say(digits.startsWith('0') ? `oh ${cardinal(digits)}` : cardinal(digits), at, at + whole.length);
  return at + whole.length;
}

export const namedDateRule: Rule = {
  name: 'date by name',
  begins: { words: { known: NAMES } },
  apply: dateFromLetters,
};

export const dateRule: Rule = {
  name: 'date',
  begins: { digits: { next: /[-/–stnrdh]/, space: /[A-Z–-]/, point: /\./ } },
  apply: dateFromDigits,
};

export const shortYearRule: Rule = {
  name: 'short year',
  begins: { signs: "'" },
  apply: shortYear,
};

export const decadeRule: Rule = {
  name: 'decade',
  begins: { digits: { next: /[s']/ } },
  apply: decadeFromDigits,
};
