/** Numbers in digits with what belongs to them. */
import type { Rule } from '../../normalize/rule.js';
import { matchAt } from '../../normalize/sticky.js';
import { codeNames, counting, decimal, digitNames, integer } from '../numbers.js';
import { hanForm } from './han.js';
import { CURRENCIES, UNIT, unitName } from './units.js';

const NUMBER = /(\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.(\d+))?/y;
const LONGEST = 16;
/** Before a number that is said digit by digit, and behind one. */
const CODE_BEFORE =
  /(?:拨打|拨|电话|热线|号码|邮编|密码|账号|帐号|卡号|编号|学号|工号|代码|验证码|QQ号|[京沪粤苏浙川鲁豫冀][A-Z])[:：是为]?\s?$/;
const CODE_AFTER = /^(?:报警|急救|热线|房间|室|航班|教室|病房)/;

interface Quantity {
  readonly said: string;
  readonly end: number;
}

/** The number at a place in words, with a multiplier behind it. */
function numberAt(text: string, at: number): Quantity | undefined {
  const match = matchAt(NUMBER, text, at);
  if (!match) return undefined;
  const [written, grouped, decimals] = match;
  const digits = grouped!.replaceAll(',', '');
  const end = at + written.length;
  const after = text.slice(end, end + 6);
  if (decimals !== undefined) return { said: decimal(digits, decimals), end };
  const before = text.slice(Math.max(0, at - 8), at);
  const coded = CODE_BEFORE.test(before) || (digits.length === 3 && CODE_AFTER.test(after));
  if (coded) return { said: /室|房间|教室|病房/.test(after) ? digitNames(digits) : codeNames(digits), end };
  if (/^0\d/.test(digits) || digits.length > LONGEST) return { said: digitNames(digits), end };
  const said = integer(digits);
  return { said: /第$/.test(before) ? said : counting(said, after), end };
}

export const quantityRule: Rule = {
  name: 'number',
  begins: { digits: 'any digits', inside: true },
  apply(scan, at) {
    const { text, out } = scan;
    const found = numberAt(text, at);
    if (!found) return at;
    let { said, end } = found;
    const percent = matchAt(/ ?([%％‰])/y, text, end);
    const unit = matchAt(UNIT, text, end);
    const power = matchAt(/([⁰¹²³⁴-⁹]+)|\^(\d+)/y, text, end);
    if (percent) {
      said = `${percent[1] === '‰' ? '千分之' : '百分之'}${said === '两' ? '二' : said}`;
      end += percent[0].length;
    } else if (unit) {
      const name = unitName(unit[1]!);
      said = counting(said, name) + name;
      end += unit[0].length;
    } else if (power) {
      said = `${said}的${powerName(power[2] ?? power[1]!.normalize('NFKC'))}`;
      end += power[0].length;
    }
    out.put(said, at, end);
    scan.remember(text.slice(at, end).slice(0, 40));
    return end;
  },
};

const powerName = (power: string): string =>
  power === '2' ? '平方' : power === '3' ? '立方' : `${integer(power)}次方`;

/** "2024年", "1990年代", "95后": a year is said digit by digit, a number of years is not. */
export const yearRule = hanForm(
  'year',
  { digits: { next: /[年后]/ } },
  /(\d{4})(?=年(?!前|后|来|间|多))|(?<=公元前?)\d{1,4}(?=年)|([5-9]\d|0\d)(?=后(?!面|来))/y,
  ([digits]) => (/^1000$/.test(digits!) ? undefined : digitNames(digits!)),
);

/** "'98年" */
export const shortYearRule = hanForm('short year', { signs: "'" }, /'(\d{2})(?=年)/y, ([, digits]) =>
  digitNames(digits!),
);

/** "2023-2024年" */
export const yearRangeRule = hanForm(
  'range of years',
  { digits: { next: /[-–—~～至]/ } },
  /(\d{4})[-–—~～](\d{4})(?=年)/y,
  ([, from, to]) => `${digitNames(from!)}到${digitNames(to!)}`,
);

export const fractionRule = hanForm(
  'fraction',
  { digits: { next: /\// } },
  /(\d{1,3})\/(\d{1,3})(?![\d/])/y,
  ([, part, of]) => (Number(of) > 1 ? `${integer(of!)}分之${integer(part!)}` : undefined),
);

const VULGAR: Readonly<Record<string, string>> = {
  '½': '二分之一',
  '⅓': '三分之一',
  '⅔': '三分之二',
  '¼': '四分之一',
  '¾': '四分之三',
  '⅕': '五分之一',
  '⅛': '八分之一',
};
export const VULGAR_FRACTIONS = Object.keys(VULGAR).join('');
export const vulgarFractionRule = hanForm(
  'vulgar fraction',
  { signs: VULGAR_FRACTIONS },
  /[½⅓⅔¼¾⅕⅛]/y,
  ([sign]) => VULGAR[sign!],
);

/** "-5", "-3℃", "-2%" */
export const signedRule: Rule = {
  name: 'signed number',
  begins: { signs: '-−+' },
  apply(scan, at) {
    const { text, out } = scan;
    const number = matchAt(/[-−+](\d[\d.,]*)\s?(℃|°C|度)?/y, text, at);
    if (!number || /[\p{L}\p{N})）%％]/u.test(text[at - 1] ?? ' ')) return at;
    const cold = text[at] !== '+' && number[2] !== undefined;
    out.put(cold ? '零下' : text[at] === '+' ? '正' : '负', at, at + 1);
    return at + 1;
  },
};

export const currencyRule: Rule = {
  name: 'currency',
  begins: { signs: '¥￥$€£₩' },
  apply(scan, at) {
    const { text, out } = scan;
    const begin = text[at + 1] === ' ' ? at + 2 : at + 1;
    const number = numberAt(text, begin);
    if (!number) return at;
    const multiplier = matchAt(/[十百千万亿]+/y, text, number.end)?.[0] ?? '';
    const end = number.end + multiplier.length;
    out.put(counting(number.said, multiplier || '元') + multiplier + CURRENCIES[text[at]!]!, at, end);
    return end;
  },
};

const OPERATORS: Readonly<Record<string, string>> = {
  '+': '加',
  '-': '减',
  '−': '减',
  '×': '乘',
  '*': '乘',
  '÷': '除以',
  '=': '等于',
  '<': '小于',
  '>': '大于',
};

/** A sign of arithmetic between two numbers; a hyphen only where the whole is a sum. */
export const operatorRule: Rule = {
  name: 'arithmetic',
  begins: { signs: '+-−×*÷=<>' },
  apply(scan, at) {
    const { text, out } = scan;
    if (!matchAt(/.\s?[-−]?[\dA-Za-z]/y, text, at) || !/[\da-zA-Z²³)]\s?$/.test(text.slice(Math.max(0, at - 2), at)))
      return at;
    const sign = text[at]!;
    if (/[A-Za-z]/.test(text.slice(at - 1, at)) && /[-+*]/.test(sign)) return at;
    if (sign === '-' && !matchAt(/-\s?\d+(?:\.\d+)?\s?=/y, text, at)) return at;
    out.put(OPERATORS[sign]!, at, at + 1);
    return at + 1;
  },
};

/** "10-20", "3～5天", "1月—3月", "10%-20%" */
export const rangeRule: Rule = {
  name: 'range',
  begins: { signs: '-–—~～' },
  apply(scan, at) {
    const { text, out } = scan;
    if (!/[\d%％年月日号点分元天岁℃]/.test(text[at - 1] ?? '') || !/\d/.test(text[at + 1] ?? '')) return at;
    out.put('到', at, at + 1);
    return at + 1;
  },
};

/** "3:2" between numbers that are no time of day. */
export const ratioRule = hanForm(
  'ratio',
  { digits: { next: /[:：]/ } },
  /(\d{1,3})[:：](\d{1,2})(?![\d:：])/y,
  ([, a, b]) => `${integer(a!)}比${integer(b!)}`,
);
