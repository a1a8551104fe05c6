/**
 * Marks of punctuation that English says in words of its own: dots, dashes, brackets of formulas.
 */

import { endSentence } from '../normalize/marks.js';
import type { Rule } from '../normalize/rule.js';
import { isAlphanumeric, isDigit, isLetter, type Scan } from '../normalize/scan.js';
import { isOperand } from './numbers/operators.js';

const before = (scan: Scan, at: number): number => (at > 0 ? scan.text.charCodeAt(at - 1) : 32);

export const fullStopRule: Rule = {
  name: 'full stop',
  begins: { signs: '.' },
  apply(scan, at) {
    const { text, out } = scan;
    const next = text.charCodeAt(at + 1);
    if (isAlphanumeric(before(scan, at)) && isAlphanumeric(next)) return inner(scan, at, next);
    // ".5.6" is no number, but its first dot ends nothing.
    if (before(scan, at) === 32 && isDigit(next)) {
      out.say('point', at, at + 1);
      return at + 1;
    }
    return endSentence(scan, at, '.');
  },
};

/** A dot inside: "object.method"; but in "end.Next" only the space is missing. */
function inner(scan: Scan, at: number, next: number): number {
  if (next > 64 && next < 91 && /[a-z]/.test(scan.text[at - 1]!)) {
    endSentence(scan, at, '.');
    scan.out.space(at + 1, at + 1);
  } else scan.out.say(isDigit(next) && isDigit(scan.text.charCodeAt(at - 1)) ? 'point' : 'dot', at, at + 1);
  return at + 1;
}

export const openingBracketRule: Rule = {
  name: 'opening bracket',
  begins: { signs: '([{' },
  apply(scan, at) {
    const { text, out } = scan;
    const round = text[at] === '(';
    if (round && text[at + 1] === ')') return at + 2;
    // The two arguments of a fraction in a formula.
    if (!round && text[at - 1] === '}') {
      out.say('over', at, at);
      out.space(at, at);
    }
    scan.brackets += 1;
    out.open('(', at, at + 1);
    return at + 1;
  },
};

export const dashRule: Rule = {
  name: 'dash',
  begins: { signs: '–—' },
  apply(scan, at) {
    const { text, out } = scan;
    if (text[at] === '–' && before(scan, at) !== 32 && isDigit(text.charCodeAt(at + 1))) {
      out.say('to', at, at + 1);
      return at + 1;
    }
    out.mark('—', at, at + 1);
    out.space(at + 1, at + 1);
    return at + 1;
  },
};

export const hyphenRule: Rule = {
  name: 'hyphen',
  begins: { signs: '-' },
  apply: (scan, at) => hyphen(scan, at, before(scan, at), scan.text.charCodeAt(at + 1)),
};

function hyphen(scan: Scan, at: number, before: number, next: number): number {
  const { text, out } = scan;
  const joins = isAlphanumeric(before) && isAlphanumeric(next);
  if (joins) {
    // "noon-2pm"
    if (isDigit(next) && /^(?:noon|midnight)$/i.test(scan.previous)) {
      out.say('to', at, at + 1);
      return at + 1;
    }
    // What was spelled or respelled stands by itself; only written words keep their hyphen.
    if (isLetter(before) && beginsWord(next, text.charCodeAt(at + 2)) && out.copied) {
      out.copy('-', at);
      return at + 1;
    }
    out.space(at, at + 1);
    return at + 1;
  }
  if (before === 32 && next === 32) {
    if (isOperand(text, at - 2, -1) && isOperand(text, at + 2, 1)) out.say('minus', at, at + 1);
    else out.mark('—', at, at + 1);
    return at + 1;
  }
  if (text[at + 1] === '-') {
    out.say('dash dash', at, at + 2);
    return at + 2;
  }
  if (before === 40 && isOperand(text, at + 1, 1)) out.say('minus', at, at + 1);
  else if (before === 32 && isLetter(next)) out.say('dash', at, at + 1);
  else out.space(at, at + 1);
  return at + 1;
}

/** A small letter, or a capital before one. */
const beginsWord = (code: number, next: number): boolean =>
  isSmall(code) || (code > 0xde && code < 0x250) || (code > 64 && code < 91 && isSmall(next));

const isSmall = (code: number): boolean => code > 96 && code < 123;
