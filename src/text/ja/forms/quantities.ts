/** Numbers in digits with what belongs to them: multipliers, counters, units, currencies. */

import { form } from '../../normalize/form.js';
import type { Rule } from '../../normalize/rule.js';
import type { Scan } from '../../normalize/scan.js';
import { matchAt } from '../../normalize/sticky.js';
import { beforeLoan, COUNTER_PATTERN, counted, countedSound } from '../numbers/counters.js';
import { decimalSound, digitNames, integerSound, numeralSound, numerals } from '../numbers/numerals.js';
import { CURRENCIES, SPEEDS, UNIT, unitName } from './units.js';

const NUMBER = /(\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.(\d+))?/y;
const MULTIPLIER = /[百千万億兆京]+(?![人]口)/y;
const COUNTER = new RegExp(COUNTER_PATTERN, 'y');
const ENGLISH = / ?(thousand|million|billion|trillion)(?![A-Za-z])/y;
const ZEROS: Readonly<Record<string, number>> = { thousand: 3, million: 6, billion: 9, trillion: 12 };
const LONGEST = 16;
/** "1日" is the first of a month where a day of one is spoken of. */
const FIRST_DAY = /(?:付|から|まで|午前|午後|未明|朝|夜|昼|夕|、|は|に(?!\d))/y;
const EMERGENCY: Readonly<Record<string, string>> = { '110': 'ヒャクトーバン', '119': 'ヒャクジューキューバン' };

interface Quantity {
  /** In numerals, where it is a whole number without a multiplier. */
  readonly number: string | undefined;
  readonly sound: string;
  readonly end: number;
}

/** The number at a place, with its multipliers: "3億5000万". */
function quantityAt(text: string, at: number): Quantity | undefined {
  const first = matchAt(NUMBER, text, at);
  if (!first) return undefined;
  let end = at + first[0].length;
  const digits = first[1]!.replaceAll(',', '');
  const english = matchAt(ENGLISH, text, end);
  if (english) {
    const decimals = first[2] ?? '';
    const zeros = ZEROS[english[1]!]! - decimals.length;
    if (zeros >= 0) {
      const number = numerals(digits + decimals + '0'.repeat(zeros));
      return { number, sound: numeralSound(number), end: end + english[0].length };
    }
  }
  let sound = partSound(digits, first[2]);
  let multiplier = matchAt(MULTIPLIER, text, end);
  if (!multiplier)
    return { number: first[2] === undefined && isPlain(digits) ? numerals(digits) : undefined, sound, end };
  for (let part = first; multiplier; ) {
    const whole = part[2] === undefined && isPlain(part[1]!.replaceAll(',', ''));
    const number = numerals(part[1]!.replaceAll(',', ''));
    const said = whole
      ? numeralSound(number + multiplier[0])
      : partSound(part[1]!, part[2]) + numeralSound(multiplier[0]);
    sound = part === first ? said : sound + said;
    end += multiplier[0].length;
    const next = matchAt(NUMBER, text, end);
    if (!next) break;
    const follows = matchAt(MULTIPLIER, text, end + next[0].length);
    end += next[0].length;
    if (!follows) sound += partSound(next[1]!.replaceAll(',', ''), next[2]);
    part = next;
    multiplier = follows;
  }
  return { number: undefined, sound, end };
}

const isPlain = (digits: string): boolean => digits.length <= LONGEST && !/^0\d/.test(digits);

function partSound(digits: string, decimals: string | undefined): string {
  const plain = digits.replaceAll(',', '');
  if (decimals !== undefined) return decimalSound(plain, decimals);
  return isPlain(plain) ? integerSound(plain) : digitNames(plain);
}

/** What counts or measures behind the number, said with it; the number alone where nothing does. */
function withCounter(scan: Scan, quantity: Quantity): { said: string; end: number } {
  const { text } = scan;
  const { number, sound, end } = quantity;
  const parts = /分の(?=[\d一二三四五六七八九十])/y;
  if (matchAt(parts, text, end)) return { said: `${sound}ブン ノ`, end: end + 2 };
  const counter = matchAt(COUNTER, text, end);
  if (counter) {
    const written = counter[0];
    const after = end + written.length;
    const code = written === '番' ? EMERGENCY[text.slice(end - 3, end)] : undefined;
    if (code && !/\d/.test(text[end - 4] ?? '')) return { said: code, end: after };
    const first =
      written === '日' && number === '一' && (/月$/.test(text.slice(0, end - 1)) || matchAt(FIRST_DAY, text, after));
    if (first) return { said: 'ツイタチ', end: after };
    return { said: number === undefined ? countedSound(sound, written) : counted(number, written), end: after };
  }
  const unit = matchAt(UNIT, text, end);
  if (unit) {
    const after = end + unit[0].length;
    const speed = SPEEDS[unit[1]!];
    if (speed) return { said: `${speed[0]} ${beforeLoan(sound, speed[1])}`, end: after };
    return { said: beforeLoan(sound, unitName(unit[1]!)!), end: after };
  }
  const loan = matchAt(/[ァ-ヺー]{2,20}/y, text, end);
  if (loan) return { said: beforeLoan(sound, loan[0]), end: end + loan[0].length };
  return { said: sound, end };
}

export const quantityRule: Rule = {
  name: 'number',
  begins: { digits: 'any digits', inside: true },
  apply(scan, at) {
    const quantity = quantityAt(scan.text, at);
    if (!quantity) return at;
    const { said, end } = withCounter(scan, quantity);
    scan.out.say(said, at, end);
    scan.remember(scan.text.slice(at, end).slice(0, 40));
    return end;
  },
};

/** "-5", "−12": behind a digit or a word it is no sign of a number. */
export const negativeRule: Rule = {
  name: 'negative number',
  begins: { signs: '-−' },
  apply(scan, at) {
    const before = scan.text[at - 1] ?? ' ';
    if (!/\d/.test(scan.text[at + 1] ?? '') || (scan.text[at] === '-' && /[\p{L}\p{N})]/u.test(before))) return at;
    scan.out.say('マイナス', at, at + 1);
    return at + 1;
  },
};

export const currencyRule: Rule = {
  name: 'currency',
  begins: { signs: '¥￥$€£₩' },
  apply(scan, at) {
    const { text } = scan;
    const [whole, hundredth] = CURRENCIES[text[at]!]!;
    const begin = text[at + 1] === ' ' ? at + 2 : at + 1;
    const cents =
      hundredth === undefined
        ? null
        : matchAt(/(\d{1,3}(?:,\d{3})+|\d+)\.(\d\d)(?![\d万億兆]| ?[mbt]r?illion)/y, text, begin);
    const named = (sound: string) => (whole === '円' ? countedSound(sound, '円') : beforeLoan(sound, whole));
    if (cents) {
      const end = begin + cents[0].length;
      const rest = cents[2] === '00' ? '' : ` ${beforeLoan(integerSound(String(Number(cents[2]))), hundredth!)}`;
      scan.out.say(named(integerSound(cents[1]!.replaceAll(',', ''))) + rest, at, end);
      return end;
    }
    const quantity = quantityAt(text, begin);
    if (!quantity) return at;
    scan.out.say(named(quantity.sound), at, quantity.end);
    return quantity.end;
  },
};

/** "1/2" is two parts' one. */
export const fractionRule = form(
  'fraction',
  { digits: { next: /\// } },
  /(\d{1,3})\/(\d{1,3})(?![\d/])/y,
  ([, part, of]) => (Number(of) > 1 ? `${integerSound(of!)}ブン ノ ${integerSound(part!)}` : undefined),
);

const VULGAR: Readonly<Record<string, readonly [string, string]>> = {
  '½': ['1', '2'],
  '⅓': ['1', '3'],
  '⅔': ['2', '3'],
  '¼': ['1', '4'],
  '¾': ['3', '4'],
  '⅕': ['1', '5'],
  '⅛': ['1', '8'],
};
export const vulgarFractionRule = form(
  'vulgar fraction',
  { signs: Object.keys(VULGAR).join('') },
  /[½⅓⅔¼¾⅕⅛]/y,
  ([sign]) => {
    const [part, of] = VULGAR[sign!]!;
    return `${integerSound(of)}ブン ノ ${integerSound(part)}`;
  },
);

const OPERATORS: Readonly<Record<string, string>> = {
  '+': 'タス',
  '-': 'ヒク',
  '−': 'ヒク',
  '×': 'カケル',
  '*': 'カケル',
  x: 'カケル',
  '÷': 'ワル',
  '=': 'ワ',
};

/** "3×4=12": a sign of arithmetic between two numbers, the hyphen only where the whole is a sum. */
export const operatorRule: Rule = {
  name: 'arithmetic',
  begins: { signs: '+-−×*÷=' },
  apply(scan, at) {
    const { text } = scan;
    const next = matchAt(/.\s?[-−]?\d/y, text, at);
    if (!next || !/\d\s?$/.test(text.slice(Math.max(0, at - 2), at))) return at;
    const sign = text[at]!;
    if (sign === '-' && !matchAt(/-\s?\d+(?:\.\d+)?\s?=/y, text, at)) return at;
    scan.out.say(OPERATORS[sign]!, at, at + 1);
    return at + 1;
  },
};

/** "10〜20人", "3-5日", "東京〜大阪". */
export const rangeRule: Rule = {
  name: 'range',
  begins: { signs: '〜～~-–—' },
  apply(scan, at) {
    const { text } = scan;
    const [before, after] = [text[at - 1] ?? ' ', text[at + 1] ?? ' '];
    const wave = /[〜～~]/.test(text[at]!);
    const numbers = /[\d%℃円年月日時分秒人個]/.test(before) && /\d/.test(after);
    const names = wave && /\p{Script=Han}/u.test(before) && /\p{Script=Han}/u.test(after);
    if (!numbers && !names) return at;
    scan.out.say('カラ', at, at + 1);
    return at + 1;
  },
};
