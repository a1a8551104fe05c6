/**
 * What formulas have among words: functions of something, primes, absolute values, factorials,
 * negations.
 */
import type { Rule } from '../../normalize/rule.js';
import { isAlphanumeric, isLetter, type Scan } from '../../normalize/scan.js';
import { matchAt } from '../../normalize/sticky.js';
import { spell } from '../acronyms.js';
import { isOperand } from './operators.js';

/** "f(x)", "f'(x)", "P(A, B)", "f(2)": single letters and numbers between the brackets. */
const FUNCTION = /([A-Za-z])('{0,3})\((?=(?:[A-Za-z]|\d{1,4}(?:\.\d{1,3})?)(?: ?[,+*/|-] ?(?:[A-Za-z]|\d{1,4}))?\))/y;
const PRIMED = /([A-Za-z])('{1,3})(?=[ ,.;:)=]|$)/y;
const PRIMES = ['', ' prime', ' double prime', ' triple prime'];

function functionOf(scan: Scan, at: number): number {
  const { text, out } = scan;
  if (!scan.atBoundary(at) || text[at - 1] === "'") return at;
  const called = matchAt(FUNCTION, text, at);
  const primed = called ?? (scan.quotedSingle ? null : matchAt(PRIMED, text, at));
  if (!primed || (!called && !isFormula(text, at, at + primed[0].length))) return at;
  const [whole, letter, primes] = primed as unknown as [string, string, string];
  out.say(`${spell(letter)}${PRIMES[primes.length]}${called ? ' of' : ''}`, at, at + whole.length);
  scan.remember(letter);
  if (!called) return at + whole.length;
  // What stands between the brackets is read as usual, without them.
  scan.arguments = text.indexOf(')', at);
  return at + whole.length;
}

/** An equals sign or an operator stands beside it: "y' = 2", and not "the letter x'". */
const isFormula = (text: string, at: number, end: number): boolean =>
  /^ ?[=+<>]/.test(text.slice(end, end + 2)) || /[=+<>] ?$/.test(text.slice(Math.max(0, at - 2), at));

export const functionRule: Rule = {
  name: 'function',
  begins: { words: { behind: /[('\0 ,.;:)=]/, when: (word) => word.length === 1 } },
  apply: functionOf,
};

/** The bracket that closes the arguments of a function. */
export const argumentsRule: Rule = {
  name: 'end of arguments',
  begins: { signs: ')' },
  apply(scan, at) {
    if (at !== scan.arguments) return at;
    scan.out.space(at, at + 1);
    return at + 1;
  },
};

const ABSOLUTE = /\|([^|\s][^|]{0,14}[^|\s]|[^|\s])\|(?![A-Za-z0-9|])/y;

export const absoluteRule: Rule = {
  name: 'absolute value',
  begins: { signs: '|' },
  apply(scan, at) {
    if (isAlphanumeric(scan.text.charCodeAt(at - 1)) || !matchAt(ABSOLUTE, scan.text, at)) return at;
    scan.out.say('the absolute value of', at, at + 1);
    return at + 1;
  },
};

const COMPUTED =
  /^(?:compute|calculate|find|evaluate|factorial|simplify|expand|computing|calculating|finding|compare)$/i;

/** "Compute 10! by hand", "4! is 24": the words around it speak of numbers. */
const isComputed = ({ text, previous, beforePrevious }: Scan, at: number): boolean =>
  COMPUTED.test(beforePrevious) ||
  (previous.length < 4 &&
    /^ (?:is (?:\d+|equal|even|divisible|the|larger|greater)|equals|grows|ways|permutations)\b/.test(
      text.slice(at + 1, at + 16),
    ));

/** "5! = 120", "n!/k!", and "!done" in a program. */
export const factorialRule: Rule = {
  name: 'factorial or negation',
  begins: { signs: '!' },
  apply(scan, at) {
    const { text, out } = scan;
    const opens = at === 0 || text[at - 1] === ' ' || text[at - 1] === '(';
    if (opens && isLetter(text.charCodeAt(at + 1))) {
      out.say('not', at, at + 1);
      return at + 1;
    }
    if (opens || !isOperand(text, at - 1, -1)) return at;
    if (!/^ ?[=+*/×÷)<>^-]/.test(text.slice(at + 1, at + 3)) && !isComputed(scan, at)) return at;
    out.say('factorial', at, at + 1);
    return at + 1;
  },
};
