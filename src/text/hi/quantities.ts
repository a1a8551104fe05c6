/** Numbers with what they count: money, percentages, units; ranges, scores and years. */
import type { Rule } from '../normalize/rule.js';
import { isDigit, type Scan } from '../normalize/scan.js';
import { moneyRuleOf, quantityRuleOf } from '../normalize/sign-rules.js';
import { matchAt } from '../normalize/sticky.js';
import { amount, andAHalf, cardinal, digitByDigit, year } from './numbers.js';
import { type Currency, currencyOf, PER, perName, UNIT, unitOf } from './units.js';

/** Groups of two or three digits, a point before decimals. */
const NUMBER = /(\d{1,3}(?:,\d{2,3})*,\d{3}|\d+)(?!\d)(?:\.(\d{1,15})(?!\d|\.\d))?/y;
const RANGE = / ?[-–] ?(?=\d)/y;
const SCALE = / ?((?:हज़ार|हजार|लाख|करोड़|अरब|खरब|million|billion|trillion)(?: करोड़)?)(?![A-Za-z\u0900-\u0963])/y;
const ENGLISH_SCALES: Readonly<Record<string, string>> = { million: 'मिलियन', billion: 'बिलियन', trillion: 'ट्रिलियन' };
const AFTER_MONEY = /\/-|\/(?=[\u0900-\u0963])/y;
const RUPEES_BEHIND = / ?(रु|रू)\.?(?![\u0900-\u0963])/y;
const BEFORE_YEAR =
  /^(?:सन्?|वर्ष|साल|ईस्वी|जनवरी|फ़रवरी|फरवरी|मार्च|अप्रैल|मई|जून|जुलाई|अगस्त|सितंबर|सितम्बर|अक्टूबर|अक्तूबर|नवंबर|नवम्बर|दिसंबर|दिसम्बर|©)$/;
const BEHIND_YEAR = /^(?:में|का|की|के|से|तक|ई|ईस्वी|और|तथा|को|वाला|वाली)$/;
const PIN = /^(?:पिन|पिनकोड|कोड|PIN)$/;

interface Written {
  readonly whole: string;
  readonly fraction: string;
  readonly end: number;
}

function readNumber(text: string, at: number): Written | undefined {
  const match = matchAt(NUMBER, text, at);
  return match ? { whole: match[1]!, fraction: match[2] ?? '', end: at + match[0].length } : undefined;
}

const composed = (text: string): string => text.normalize('NFC');

/** Whether four digits are a year: by the word before or behind, or where nothing is counted. */
function isYear(scan: Scan, { whole, fraction, end }: Written): boolean {
  if (fraction !== '' || !/^[12]\d{3}$/.test(whole)) return false;
  if (BEFORE_YEAR.test(composed(scan.previous))) return true;
  const next = scan.nextWord(end);
  return next === '' ? scan.previous !== '' : BEHIND_YEAR.test(next);
}

/** "बारह रुपये पचास पैसे". */
function money({ whole, fraction }: Written, currency: Currency): string {
  const { one, many, hundredths } = currency;
  if (fraction.length !== 2 || hundredths === undefined)
    return `${amount(whole, fraction)} ${whole === '1' && fraction === '' ? one : many}`;
  const cents = Number(fraction);
  const units = Number(whole) === 0 ? '' : `${cardinal(whole)} ${whole === '1' ? one : many}`;
  return [units, cents > 0 ? `${cardinal(cents)} ${hundredths}` : ''].filter((part) => part !== '').join(' ');
}

/** An amount of money whose sign stands before it: the number, its scale, what is paid for. */
function moneyBehind(scan: Scan, at: number, from: number, currency: Currency): number {
  const { text, out } = scan;
  let number = readNumber(text, from);
  if (!number) return at;
  let lead = '';
  const range = matchAt(RANGE, text, number.end);
  const second = range ? readNumber(text, number.end + range[0].length) : undefined;
  if (second) {
    lead = `${amount(number.whole, number.fraction)} से `;
    number = second;
  }
  let { end } = number;
  const scale = matchAt(SCALE, text, end);
  let words = money(number, currency);
  if (scale) {
    end += scale[0].length;
    words = `${amount(number.whole, number.fraction)} ${ENGLISH_SCALES[scale[1]!] ?? scale[1]!} ${currency.many}`;
  }
  const after = matchAt(AFTER_MONEY, text, end);
  if (after) {
    end += after[0].length;
    if (after[0] === '/') words += ' प्रति';
  }
  out.say(lead + words, at, end);
  scan.remember('रुपये');
  return end;
}

function measure(scan: Scan, { whole, fraction, end }: Written): { words: string; end: number } | undefined {
  const { text } = scan;
  const match = matchAt(UNIT, text, end);
  if (!match) return undefined;
  let sign = composed(match[2]!);
  let to = end + match[0].length;
  let unit = unitOf(sign);
  // The stop behind the text's last unit ends its sentence.
  if (unit === undefined && sign.endsWith('.')) {
    sign = sign.slice(0, -1);
    unit = unitOf(sign);
    to -= 1;
  }
  if (unit === undefined) return undefined;
  let words = `${amount(whole, fraction)} ${unit}`;
  const per = matchAt(PER, text, to);
  if (per) {
    to += per[0].length;
    words += ` प्रति ${perName(composed(per[1]!))}`;
  }
  return { words, end: to };
}

function quantity(scan: Scan, at: number): number {
  const { text, out } = scan;
  const number = readNumber(text, at);
  if (!number) return at;
  const { whole, fraction, end } = number;
  if (text[end] === '½') {
    out.say(andAHalf(Number(whole)), at, end + 1);
    return end + 1;
  }
  const range = scan.atBoundary(at) ? matchAt(RANGE, text, end) : null;
  const second = range ? readNumber(text, end + range[0].length) : undefined;
  if (range && second) return span(scan, at, number, second, end + range[0].length);
  const rupees = matchAt(RUPEES_BEHIND, text, end);
  const counted = rupees
    ? { words: money(number, currencyOf('₹')!), end: end + rupees[0].length }
    : measure(scan, number);
  if (counted) {
    out.say(counted.words, at, counted.end);
    scan.remember(text.slice(at, end));
    return counted.end;
  }
  if (isYear(scan, number)) out.say(year(whole), at, end);
  else if (PIN.test(scan.previous) && whole.length === 6) out.say(digitByDigit(whole), at, end);
  else out.say(amount(whole, fraction), at, end);
  scan.remember(text.slice(at, end).slice(0, 40));
  return end;
}

/** "10-15 साल" is a range, "3-1 से" a score, "2019-20" a year of accounts. */
function span(scan: Scan, at: number, first: Written, second: Written, to: number): number {
  const { text, out } = scan;
  const short = first.whole.length === 4 && second.whole.length === 2;
  const score = / से(?![\u0900-\u0963])/y;
  const whole = first.whole.length === 4 && (short || second.whole.length === 4) ? year(first.whole) : undefined;
  const words = whole ?? amount(first.whole, first.fraction);
  const joint = short || matchAt(score, text, second.end) ? '' : ' से';
  if (whole !== undefined) {
    out.say(`${words}${joint} ${year(second.whole)}`, at, second.end);
    scan.remember(text.slice(at, second.end));
    return second.end;
  }
  out.say(words + joint, at, to);
  scan.remember('से');
  return to;
}

export const quantityRule = quantityRuleOf(quantity);

export const moneyRule = moneyRuleOf('₹$€£¥', (scan, at, from) =>
  moneyBehind(scan, at, from, currencyOf(scan.text[at]!)!),
);

const RUPEES_BEFORE = /(?:Rs|INR|रु|रू)\.? ?(?=\d)/y;

/** "Rs. 200", "रु 200". */
export const rupeeWordRule: Rule = {
  name: 'rupees before a number',
  begins: { words: { known: ['Rs', 'INR', 'रु', 'रू'] } },
  apply(scan, at) {
    const match = scan.atBoundary(at) ? matchAt(RUPEES_BEFORE, scan.text, at) : null;
    return match ? moneyBehind(scan, at, at + match[0].length, currencyOf('₹')!) : at;
  },
};

/** A sign before a number: "-5", "+2%". */
export const signedRule: Rule = {
  name: 'sign of a number',
  begins: { signs: '-+−±' },
  apply(scan, at) {
    const { text, out } = scan;
    const before = at === 0 ? ' ' : text[at - 1]!;
    const sign = text[at]!;
    const next = text.charCodeAt(text[at + 1] === ' ' && sign === '±' ? at + 2 : at + 1);
    if (!isDigit(next) || ('-+'.includes(sign) && !' (="'.includes(before))) return at;
    out.say(sign === '+' ? 'प्लस' : sign === '±' ? 'प्लस माइनस' : 'माइनस', at, at + 1);
    return at + 1;
  },
};
