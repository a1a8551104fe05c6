/** Dates: "14/07/2023", "1er janvier 2024", "3-5 mai", "lun. 5 sept." */
import type { Rule } from '../normalize/rule.js';
import type { Scan } from '../normalize/scan.js';
import { matchAt } from '../normalize/sticky.js';
import { cardinal } from './numbers.js';

const MONTHS = 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(' ');

/** Months and weekdays in short, without their stop. */
export const SHORT_NAMES: Readonly<Record<string, string>> = {
  janv: 'janvier',
  févr: 'février',
  fév: 'février',
  avr: 'avril',
  juil: 'juillet',
  sept: 'septembre',
  oct: 'octobre',
  nov: 'novembre',
  déc: 'décembre',
  lun: 'lundi',
  mar: 'mardi',
  mer: 'mercredi',
  jeu: 'jeudi',
  ven: 'vendredi',
  sam: 'samedi',
  dim: 'dimanche',
};

const MONTH = `(${MONTHS.join('|')}|(?:janv|févr?|avr|juil|sept|oct|nov|déc)(?:\\.|(?= )))`;
const NUMERIC = /(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?![\d/-]|\.\d)/y;
const YEAR_FIRST = /(\d{4})([-/])(\d{1,2})\2(\d{1,2})(?![\d/-])/y;
const DAY_AND_MONTH = /(\d{1,2})\/(\d{1,2})(?![\d/])/y;
const NAMED = new RegExp(`(\\d{1,2})(?:er|ᵉʳ)? ${MONTH}(?: (\\d{4})(?!\\d))?(?![\\dA-Za-zÀ-ÿ])`, 'iy');
const DAYS = new RegExp(`(\\d{1,2})(?:er)? ?[-–] ?(?=\\d{1,2} ${MONTH})`, 'iy');
/** Behind these a day and a month may stand with a line between them. */
const BEFORE_DAY = /^(?:le|du|au|les|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|dès|depuis)$/i;

/** Years are names, not amounts: "mille neuf cent". */
const year = (digits: string): string => cardinal(digits, { bare: true });

const day = (digits: string): string => (Number(digits) === 1 ? 'premier' : cardinal(Number(digits)));

function monthOf(written: string): string {
  const name = written.toLowerCase().replace('.', '');
  return SHORT_NAMES[name] ?? name;
}

const isDate = (d: string, m: string): boolean => Number(d) > 0 && Number(d) < 32 && Number(m) > 0 && Number(m) < 13;

/** A date in digits that takes the whole of `text`; undefined where it is none. */
export function numericDate(text: string): string | undefined {
  const [full, first] = [matchAt(NUMERIC, text, 0), matchAt(YEAR_FIRST, text, 0)];
  const match = full ?? first;
  if (!match || match[0].length !== text.length) return undefined;
  const [d, m, y] = full ? [match[1]!, match[3]!, match[4]!] : [match[4]!, match[3]!, match[1]!];
  return isDate(d, m) ? `${day(d)} ${MONTHS[Number(m) - 1]} ${year(y)}` : undefined;
}

function date(scan: Scan, at: number): number {
  const { text, out } = scan;
  if (!scan.atBoundary(at)) return at;
  const digits = matchAt(NUMERIC, text, at) ?? matchAt(YEAR_FIRST, text, at);
  const words = digits ? numericDate(digits[0]) : undefined;
  if (digits && words !== undefined) {
    out.say(words, at, at + digits[0].length);
    return at + digits[0].length;
  }
  const named = matchAt(NAMED, text, at);
  if (named && isDate(named[1]!, '1')) {
    const [whole, d, m, y] = named as unknown as [string, string, string, string?];
    out.say(`${day(d)} ${monthOf(m)}${y ? ` ${year(y)}` : ''}`, at, at + whole.length);
    scan.remember(monthOf(m));
    return at + whole.length;
  }
  const days = matchAt(DAYS, text, at);
  if (days) {
    out.say(`${day(days[1]!)} au`, at, at + days[0].length);
    return at + days[0].length;
  }
  const short = BEFORE_DAY.test(scan.previous) ? matchAt(DAY_AND_MONTH, text, at) : null;
  if (!short || !isDate(short[1]!, short[2]!)) return at;
  out.say(`${day(short[1]!)} ${MONTHS[Number(short[2]) - 1]}`, at, at + short[0].length);
  return at + short[0].length;
}

export const dateRule: Rule = {
  name: 'date',
  begins: { digits: 'any digits' },
  apply: date,
};
