/** Rules for signs that languages have in common, with the words of each. */
import type { Rule } from './rule.js';
import { isDigit, isLetter, opensWord, type Scan } from './scan.js';

/** A sign between words that only parts them. */
export const partingRule = (name: string, sign: string): Rule => ({
  name,
  begins: { signs: sign },
  apply(scan, at) {
    scan.out.space(at, at + 1);
    return at + 1;
  },
});

/** "#vacances", "@marie": the word for the sign, and then the name. */
export const tagRuleOf = (words: { readonly hash: string; readonly at: string }): Rule => ({
  name: 'hashtag or handle',
  begins: { signs: '#@' },
  apply(scan, at) {
    const { text, out } = scan;
    if (!isLetter(text.charCodeAt(at + 1)) || (at > 0 && !opensWord(text.charCodeAt(at - 1)))) return at;
    out.say(text[at] === '#' ? words.hash : words.at, at, at + 1);
    return at + 1;
  },
});

/** Numbers, with what is counted behind them. */
export const quantityRuleOf = (apply: Rule['apply']): Rule => ({
  name: 'number',
  begins: { digits: 'any digits', inside: true },
  apply,
});

/** A sign of money before a number, "$100", "€ 15". `read` is told where the number begins. */
export const moneyRuleOf = (signs: string, read: (scan: Scan, at: number, from: number) => number): Rule => ({
  name: 'money',
  begins: { signs },
  apply(scan, at) {
    const from = scan.text[at + 1] === ' ' ? at + 2 : at + 1;
    return isDigit(scan.text.charCodeAt(from)) ? read(scan, at, from) : at;
  },
});

/** The last rule: signs that no other rule has words for are counted, not said. */
export const unknownSignRule: Rule = {
  name: 'unknown sign',
  begins: { signs: 'any sign' },
  apply(scan, at) {
    const code = scan.text.charCodeAt(at);
    if (isLetter(code) || isDigit(code)) return at;
    scan.out.skip('symbol', 1);
    return at + 1;
  },
};
