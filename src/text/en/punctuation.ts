/** Marks of punctuation, and the signs that are said. */

import { isAlphanumeric, isDigit, isLetter, type Scan } from '../normalize/scan.js';
import { matchAt } from '../normalize/sticky.js';
import { cardinal, fraction, ordinal } from './numbers.js';
import { fractionOf, LOWERED_SIGNS, RAISED_SIGNS, signWords, unraise } from './symbols.js';

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
/** Only two of `=!<>-&|+:.` in a row make an operator. */
function isOperatorSign(code: number): boolean {
  switch (code) {
    case 0x21:
    case 0x26:
    case 0x2b:
    case 0x2d:
    case 0x2e:
    case 0x3a:
    case 0x3c:
    case 0x3d:
    case 0x3e:
    case 0x7c:
      return true;
    default:
      return false;
  }
}
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

/** The last rule: it always applies, and moves on by at least one unit. */
export function sign(scan: Scan, at: number): number {
  const { text, out } = scan;
  const char = text[at]!;
  const code = text.charCodeAt(at);
  const next = text.charCodeAt(at + 1);
  const before = at > 0 ? text.charCodeAt(at - 1) : 32;
  const operator = isOperatorSign(code) && isOperatorSign(next) ? matchAt(OPERATOR, text, at) : null;
  if (operator) {
    const stop = at + operator[0].length;
    const words = OPERATORS[operator[0]]!;
    if (words === '') out.space(at, stop);
    else out.say(words, at, stop);
    return stop;
  }
  switch (code) {
    case 0x20 /* space */:
      out.space(at, at + 1);
      return at + 1;
    case 0x2e /* . */:
      if (isAlphanumeric(before) && isAlphanumeric(next)) return inner(scan, at, next);
      // ".5.6" is no number, but its first dot ends nothing.
      if (before === 32 && isDigit(next)) {
        out.say('point', at, at + 1);
        return at + 1;
      }
      return end(scan, at, char);
    case 0x3f /* ? */:
    case 0x21 /* ! */:
      return end(scan, at, char);
    case 0x2026 /* … */:
    case 0x2c /* , */:
    case 0x3b /* ; */:
      out.mark(char, at, at + 1);
      return at + 1;
    case 0x3a /* : */:
      out.mark(':', at, at + 1);
      return at + 1;
    case 0x22 /* " */:
      return quote(scan, at);
    case 0x27 /* ' */:
      return apostrophe(scan, at);
    case 0x28 /* ( */:
      if (text[at + 1] === ')') return at + 2;
      scan.brackets += 1;
      out.open('(', at, at + 1);
      return at + 1;
    case 0x5b /* [ */:
    case 0x7b /* { */:
      if (text[at - 1] === '}') {
        out.say('over', at, at);
        out.space(at, at);
      }
      scan.brackets += 1;
      out.open('(', at, at + 1);
      return at + 1;
    case 0x29 /* ) */:
    case 0x5d /* ] */:
    case 0x7d /* } */:
      // "1) First": what closes nothing only separates.
      if (scan.brackets === 0) out.mark(',', at, at + 1);
      else out.close(')', at, at + 1);
      scan.brackets = Math.max(0, scan.brackets - 1);
      return at + 1;
    case 0x2d /* - */:
      return hyphen(scan, at, before, next);
    case 0x2013 /* – */:
      if (before !== 32 && isDigit(next)) {
        out.say('to', at, at + 1);
        return at + 1;
      }
      out.mark('—', at, at + 1);
      out.space(at + 1, at + 1);
      return at + 1;
    case 0x2014 /* — */:
      out.mark('—', at, at + 1);
      out.space(at + 1, at + 1);
      return at + 1;
    case 0x2022 /* • */:
      if (out.length > 0) out.pause(',', at, at + 1);
      return at + 1;
    case 0x26 /* & */:
      out.say('and', at, at + 1);
      return at + 1;
    case 0x2f /* / */:
      return slash(scan, at, before, next);
    case 0x5e /* ^ */:
      {
        const raised = matchAt(CARET, text, at);
        if (!raised) return at + 1;
        out.say(power(raised[1] ?? raised[2]!), at, at + raised[0].length);
        return at + raised[0].length;
      }
    case 0x5f /* _ */:
    case 0x7c /* | */:
    case 0x60 /* ` */:
      out.space(at, at + 1);
      return at + 1;
  }
  const raised = mayBeRaised(code) ? (matchAt(RAISED, text, at) ?? matchAt(LOWERED, text, at)) : null;
  if (raised) {
    const plain = unraise(raised[0]);
    const low = LOWERED_SIGNS.includes(raised[0][0]!);
    out.say(low ? (/^\d+$/.test(plain) ? cardinal(plain) : plain) : power(plain), at, at + raised[0].length);
    return at + raised[0].length;
  }
  if (char === '°' && /^[CF](?![A-Za-z])/.test(text.slice(at + 1, at + 3))) {
    out.say(text[at + 1] === 'C' ? 'degrees Celsius' : 'degrees Fahrenheit', at, at + 2);
    return at + 2;
  }
  const part = code > 127 ? fractionOf(char) : undefined;
  if (part) {
    out.say(fraction(String(part[0]), String(part[1])), at, at + 1);
    return at + 1;
  }
  // An arrow that begins a line only points at it.
  if (char === '→' && out.length === 0) return at + 1;
  if (char === '❤') {
    if (/^(?:I|we|you|they)$/i.test(scan.previous)) out.say('love', at, at + 1);
    else out.skip('emoji', 1);
    return at + 1;
  }
  // Around a formula, not before an amount.
  if (char === '$' && (isLetter(next) || next === 92 || (before !== 32 && at > 0))) return at + 1;
  const words = ASCII_SIGNS[char] ?? signWords(char);
  if (words === undefined || words === '') out.skip('symbol', 1);
  else out.say(words, at, at + char.length);
  return at + char.length;
}

/** Raised and lowered digits and signs stand close together. */
const mayBeRaised = (code: number): boolean =>
  code === 0xb2 || code === 0xb3 || code === 0xb9 || (code > 0x206f && code < 0x20a0);

const ASCII_SIGNS: Readonly<Record<string, string>> = {
  '+': 'plus',
  '=': 'equals',
  '<': 'less than',
  '>': 'greater than',
  '%': 'percent',
  '#': 'hash',
  '@': 'at',
  '*': 'times',
  '~': 'tilde',
  '\\': 'backslash',
  $: 'dollars',
};

/** A mark that ends a sentence. */
function end(scan: Scan, at: number, mark: string): number {
  scan.remember('');
  scan.remember('');
  scan.out.mark(mark, at, at + 1);
  const next = scan.text.charCodeAt(at + 1);
  if (next > 64 && next < 91) scan.out.space(at + 1, at + 1);
  return at + 1;
}

/** A dot inside: "object.method"; but in "end.Next" only the space is missing. */
function inner(scan: Scan, at: number, next: number): number {
  if (next > 64 && next < 91 && /[a-z]/.test(scan.text[at - 1]!)) {
    end(scan, at, '.');
    scan.out.space(at + 1, at + 1);
  } else scan.out.say(isDigit(next) && isDigit(scan.text.charCodeAt(at - 1)) ? 'point' : 'dot', at, at + 1);
  return at + 1;
}

const ELIDED = /'(?:em|til|cause|tis|twas|bout|round|n|cos|cuz|kay|fraid|nuff)(?![A-Za-z])/iy;

const AND = /'n'(?![A-Za-z])/iy;

function quote(scan: Scan, at: number): number {
  const { text, out } = scan;
  const closes = scan.quoted || at + 1 === text.length || text[at + 1] === ' ' || /\s/.test(text[at + 1]!);
  if (closes) out.close('"', at, at + 1);
  else out.open('"', at, at + 1);
  scan.quoted = !closes;
  return at + 1;
}

/** Elisions and plural possessives keep their apostrophe; pairs of single quotes are quotes. */
function apostrophe(scan: Scan, at: number): number {
  const { text, out } = scan;
  const after = isAlphanumeric(text.charCodeAt(at - 1));
  if (!after && (text[at + 1] === 'n' || text[at + 1] === 'N') && matchAt(AND, text, at)) {
    out.say('and', at, at + 3);
    return at + 3;
  }
  const before = isAlphanumeric(text.charCodeAt(at + 1));
  if (!after && before && !scan.quotedSingle) {
    if (matchAt(ELIDED, text, at)) {
      out.put("'", at, at + 1);
      return at + 1;
    }
    scan.quotedSingle = true;
    out.open('"', at, at + 1);
    return at + 1;
  }
  if (scan.quotedSingle && !before) {
    scan.quotedSingle = false;
    out.close('"', at, at + 1);
  } else if (after && !before && text[at - 1] === 's' && out.copied) out.copy("'", at);
  return at + 1;
}

function hyphen(scan: Scan, at: number, before: number, next: number): number {
  const { text, out } = scan;
  const joins = isAlphanumeric(before) && isAlphanumeric(next);
  if (joins) {
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

/** Whether a number or a single letter stands at `at`, seen in the direction of `step`. */
function isOperand(text: string, at: number, step: number): boolean {
  const code = text.charCodeAt(at);
  if (isDigit(code) || RAISED_SIGNS.includes(text.charAt(at) || ' ')) return true;
  return isLetter(code) && !isAlphanumeric(text.charCodeAt(at + step)) && text[at + step] !== "'";
}

const PER = /\/(?=(?:second|minute|hour|day|week|month|year|person|user|sec|hr)(?![A-Za-z]))/y;

function slash(scan: Scan, at: number, before: number, next: number): number {
  const { out } = scan;
  const per = isLetter(before) ? matchAt(PER, scan.text, at) : null;
  if (per) {
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
