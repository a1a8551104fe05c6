/** The rule for formulas, which the first pass has left as they are written. */
import { FORMULA_CLOSES, FORMULA_OPENS } from '../../normalize/formula-span.js';
import type { Rule } from '../../normalize/rule.js';
import type { Scan } from '../../normalize/scan.js';
import { matchAt } from '../../normalize/sticky.js';
import { parseFormula } from './parse.js';
import { Sayer } from './say.js';

export const mathematicsRule: Rule = {
  name: 'formula',
  begins: { signs: FORMULA_OPENS },
  apply(scan, at) {
    const { text } = scan;
    const close = text.indexOf(FORMULA_CLOSES, at);
    if (text[at] !== FORMULA_OPENS || close < 0) return at;
    const counted = ordinalOf(scan, at, close);
    if (counted > at) return counted;
    sayFormula(scan, at + 1, close);
    return owned(scan, close + 1);
  },
};

const DIFFERENTIALS = /d[²³]?[a-zA-Z]\/d[a-z][²³]?(?![A-Za-z0-9])/y;

/** "dy/dx" among words. */
export const derivativeRule: Rule = {
  name: 'derivative',
  begins: { words: { first: /d/, behind: /[/²³]/ } },
  apply(scan, at) {
    const match = scan.atBoundary(at) ? matchAt(DIFFERENTIALS, scan.text, at) : null;
    if (!match) return at;
    sayFormula(scan, at, at + match[0].length);
    return at + match[0].length;
  },
};

function sayFormula(scan: Scan, from: number, to: number): void {
  const { out } = scan;
  const row = parseFormula(scan.text, from, to);
  let last = '';
  const sink = {
    say(words: string, at: number, end: number) {
      // A word that nothing is written for stands for the first character of what follows.
      out.say(words, at, Math.max(at + 1, end));
      last = words;
    },
    pause: (mark: string, at: number) => out.mark(mark, at, at),
  };
  new Sayer(sink, row, scan.previous).row(row);
  scan.remember(last.slice(last.lastIndexOf(' ') + 1));
}

const ORDINALS: Readonly<Record<string, string>> = { n: 'nth', k: 'kayth', i: 'eyeth', j: 'jayth', m: 'emth' };

/** "the $k$-th term": a letter that counts. */
function ordinalOf(scan: Scan, at: number, close: number): number {
  const words = close - at === 2 ? ORDINALS[scan.text[at + 1]!] : undefined;
  const ending = words === undefined ? null : /^-?th(?![A-Za-z])/.exec(scan.text.slice(close + 1, close + 5));
  if (!ending) return at;
  const end = close + 1 + ending[0].length;
  scan.out.say(words!, at, end);
  return end;
}

/** "$x$'s". */
function owned(scan: Scan, at: number): number {
  if (!/^'s(?![A-Za-z])/.test(scan.text.slice(at, at + 3))) return at;
  scan.out.suffix("'s", at, at + 2);
  return at + 2;
}
