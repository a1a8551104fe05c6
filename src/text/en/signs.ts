/** Signs that are said by themselves, and the last rule, for those that nobody knows. */
import type { Rule } from '../normalize/rule.js';
import { isAlphanumeric, isLetter } from '../normalize/scan.js';
import { partOfHour } from './numbers/fractions.js';
import { fraction } from './numbers/numbers.js';
import { FRACTION_SIGNS, fractionOf, signWords } from './symbols.js';

export const degreesRule: Rule = {
  name: 'degrees',
  begins: { signs: '°' },
  apply(scan, at) {
    const { text, out } = scan;
    if (text[at] !== '°' || !/^[CF](?![A-Za-z])/.test(text.slice(at + 1, at + 3))) return at;
    out.say(text[at + 1] === 'C' ? 'degrees Celsius' : 'degrees Fahrenheit', at, at + 2);
    return at + 2;
  },
};

export const fractionSignRule: Rule = {
  name: 'sign of a fraction',
  begins: { signs: FRACTION_SIGNS },
  apply(scan, at) {
    const part = fractionOf(scan.text[at]!);
    if (!part) return at;
    const hour = partOfHour(scan, part[0], part[1], at + 1);
    scan.out.say(hour ?? fraction(String(part[0]), String(part[1])), at, at + 1);
    return at + 1;
  },
};

/** An arrow that begins a line only points at it. */
export const pointerRule: Rule = {
  name: 'arrow before a line',
  begins: { signs: '→' },
  apply: (scan, at) => (scan.text[at] === '→' && scan.out.length === 0 ? at + 1 : at),
};

export const heartRule: Rule = {
  name: 'heart',
  begins: { signs: '❤' },
  apply(scan, at) {
    if (scan.text[at] !== '❤') return at;
    if (/^(?:I|we|you|they)$/i.test(scan.previous)) scan.out.say('love', at, at + 1);
    else scan.out.skip('emoji', 1);
    return at + 1;
  },
};

/** A dollar sign around a formula, not before an amount, is not said. */
export const formulaDollarRule: Rule = {
  name: 'dollar sign of a formula',
  begins: { signs: '$' },
  apply(scan, at) {
    const { text } = scan;
    const next = text.charCodeAt(at + 1);
    const formula = isLetter(next) || next === 92 /* \ */ || (at > 0 && text.charCodeAt(at - 1) !== 32);
    return text[at] === '$' && formula ? at + 1 : at;
  },
};

const ASCII_SIGNS: ReadonlyMap<string, string> = new Map([
  ['+', 'plus'],
  ['=', 'equals'],
  ['<', 'less than'],
  ['>', 'greater than'],
  ['%', 'percent'],
  ['#', 'hash'],
  ['@', 'at'],
  ['*', 'times'],
  ['~', 'tilde'],
  ['\\', 'backslash'],
  ['$', 'dollars'],
  ['&', 'and'],
]);

/** The last rule for signs: it always applies. */
export const signRule: Rule = {
  name: 'sign',
  begins: { signs: 'any sign' },
  apply(scan, at) {
    const sign = scan.text[at]!;
    if (isAlphanumeric(sign.charCodeAt(0))) return at;
    const words = ASCII_SIGNS.get(sign) ?? signWords(sign);
    if (words === undefined || words === '') scan.out.skip('symbol', 1);
    else scan.out.say(words, at, at + 1);
    return at + 1;
  },
};
