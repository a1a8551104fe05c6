/** Rules for signs that languages have in common, with the words of each. */
import type { Rule } from './rule.js';
import { isDigit, isLetter, opensWord } from './scan.js';

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
