/** Signs between operands: operators, powers, slashes. */
import type { Rule } from '../../normalize/rule.js';
import { isAlphanumeric, isDigit, isLetter, type Scan } from '../../normalize/scan.js';
import { matchAt } from '../../normalize/sticky.js';
import { LOWERED_SIGNS, RAISED_SIGNS, unraise } from '../symbols.js';
import { cardinal, ordinal } from './numbers.js';

const OPERATOR = /(?:===?|!==?|<=>|<=|>=|=>|->|<-|<->|&&|\|\||\+=|-=|\+\+|::|:=|\.\.|<<|>>)/y;
const OPERATORS: Readonly<Record<string, string>> = {
  '==': 'equals',
  '===': 'equals',
  '!=': 'is not equal to',
  '!==': 'is not equal to',
  '<=': 'is less than or equal to',
  '>=': 'is greater than or equal to',
  '=>': 'arrow',
  '->': 'to',
  '<-': 'from',
  '<->': 'to and from',
  '&&': 'and',
  '||': 'or',
  '+=': 'plus equals',
  '-=': 'minus equals',
  '++': 'plus plus',
  '::': '',
  ':=': 'equals',
  '<=>': 'if and only if',
  '..': 'to',
  '<<': 'much less than',
  '>>': 'much greater than',
};
/** Only two of these in a row make an operator. */
const OPERATOR_SIGNS = '=!<>-&|+:.';

export const operatorRule: Rule = {
  name: 'operator',
  begins: { signs: OPERATOR_SIGNS },
  apply(scan, at) {
    const { text, out } = scan;
    if (!OPERATOR_SIGNS.includes(text.charAt(at + 1) || ' ')) return at;
    const operator = matchAt(OPERATOR, text, at);
    if (!operator) return at;
    const stop = at + operator[0].length;
    const words = OPERATORS[operator[0]]!;
    if (words === '') out.space(at, stop);
    else out.say(words, at, stop);
    return stop;
  },
};

const RAISED = new RegExp(`[${RAISED_SIGNS}]+`, 'y');
const LOWERED = new RegExp(`[${LOWERED_SIGNS}]+`, 'y');
const CARET = /\^(?:\{([^{}\s]{1,12})\}|([-−+]?\d{1,6}|[A-Za-z]))/y;

/** Powers: "squared", "cubed", "to the sixth", "to the minus three", "to the n". */
function power(exponent: string): string {
  if (exponent === '2') return 'squared';
  if (exponent === '3') return 'cubed';
  if (/^\d+$/.test(exponent)) return `to the ${ordinal(exponent)}`;
  const signed = /^([-−+])(\d*)$/.exec(exponent);
  const charge = /^(\d)([+-])$/.exec(exponent);
  if (charge) return `${cardinal(charge[1]!)} ${charge[2] === '+' ? 'plus' : 'minus'}`;
  if (signed) {
    const word = signed[1] === '+' ? 'plus' : 'minus';
    return signed[2] === '' ? word : `to the ${word} ${cardinal(signed[2]!)}`;
  }
  return `to the ${exponent.replace(/[-−]/g, ' minus ').replace(/\+/g, ' plus ').trim()}`;
}

export const caretRule: Rule = {
  name: 'caret',
  begins: { signs: '^' },
  apply(scan, at) {
    const raised = matchAt(CARET, scan.text, at);
    if (!raised) return at + 1;
    scan.out.say(power(raised[1] ?? raised[2]!), at, at + raised[0].length);
    return at + raised[0].length;
  },
};

export const raisedRule: Rule = {
  name: 'raised or lowered',
  begins: { signs: RAISED_SIGNS + LOWERED_SIGNS },
  apply(scan, at) {
    const raised = matchAt(RAISED, scan.text, at);
    const match = raised ?? matchAt(LOWERED, scan.text, at);
    if (!match) return at;
    const plain = unraise(match[0]);
    const words = raised ? power(plain) : /^\d+$/.test(plain) ? cardinal(plain) : plain;
    scan.out.say(words, at, at + match[0].length);
    return at + match[0].length;
  },
};

/** Whether a number or a single letter stands at `at`, seen in the direction of `step`. */
export function isOperand(text: string, at: number, step: number): boolean {
  const code = text.charCodeAt(at);
  if (isDigit(code) || RAISED_SIGNS.includes(text.charAt(at) || ' ')) return true;
  return isLetter(code) && !isAlphanumeric(text.charCodeAt(at + step)) && text[at + step] !== "'";
}

const PER = /\/(?=(?:second|minute|hour|day|week|month|year|person|user|sec|hr)(?![A-Za-z]))/y;

/** "kWh/100km". */
const PER_HUNDRED = /\/(?=100 ?(?:km|g|ml|mL|miles?|mi|m|kg)(?![A-Za-z]))/y;

function slash(scan: Scan, at: number, before: number, next: number): number {
  const { out } = scan;
  const per = isLetter(before) ? matchAt(PER, scan.text, at) : null;
  if (per) {
    out.say('per', at, at + 1);
    return at + 1;
  }
  if (isLetter(before) && matchAt(PER_HUNDRED, scan.text, at)) {
    out.say('per', at, at + 1);
    return at + 1;
  }
  if (isLetter(before) && isLetter(next)) out.space(at, at + 1);
  else if (before === 32 && next === 32) {
    const over = (scan.text[at - 2] === ')' || isOperand(scan.text, at - 2, -1)) && isOperand(scan.text, at + 2, 1);
    if (over) out.say('over', at, at + 1);
    else out.mark(',', at, at + 1);
  } else out.say('slash', at, at + 1);
  return at + 1;
}

export const slashRule: Rule = {
  name: 'slash',
  begins: { signs: '/' },
  apply: (scan, at) => slash(scan, at, at > 0 ? scan.text.charCodeAt(at - 1) : 32, scan.text.charCodeAt(at + 1)),
};
