/** Sums, functions, fractions, roots, sets of numbers and tables, in words. */
import { spell } from '../acronyms.js';
import { cardinal, fraction, ordinal } from '../numbers/numbers.js';
import { BIG, FUNCTIONS, SETS } from './commands.js';
import { derivative } from './derivatives.js';
import { isCompound, isMinus, isOperator, isRelation, isSum, numberOf } from './forms.js';
import type { Node, Of, Row } from './nodes.js';
import { isSign, lettersOf } from './words.js';

/** What a row is part of. */
export interface Context {
  /** A variable is bound here ("for all x in …"): relations lose their "is". */
  readonly bound?: boolean;
  /** A bar means "given" or "such that". */
  readonly bar?: string;
  /** An arrow means "approaches". */
  readonly limit?: boolean;
}

/** A pause that is said only if something follows, or only before an operator. */
export type Owed = 'none' | 'before an operator' | 'before anything';

interface Place {
  readonly from: number;
  readonly to: number;
}

/** What says the parts of a formula. */
export interface Speaker {
  say(words: string, place: Place, operator?: boolean): void;
  pause(mark: string, at: number): void;
  owe(owed: Owed): void;
  row(row: Row, context?: Context): void;
  power(base: Node | undefined, sup: Row): void;
}

export interface Scripts {
  readonly sub?: Row;
  readonly sup?: Row;
}

/** Sums, integrals, limits: what they range over, then what is summed. */
export function sayBig(
  speaker: Speaker,
  { text, from, to }: Of<'big'>,
  { sub, sup }: Scripts,
  next: Node | undefined,
): number {
  const words = BIG.get(text)!;
  const end = (part: Row) => ({ from: part[0]?.from ?? to, to: part[0]?.from ?? to });
  speaker.say(words, { from, to }, true);
  const lower = sub && sub.length > 0 ? sub : undefined;
  const upper = sup && sup.length > 0 ? sup : undefined;
  if (lower && words.startsWith('the limit')) {
    speaker.say('as', end(lower));
    speaker.row(lower, { limit: true });
  } else if (lower) {
    const ranges = upper !== undefined || lower.some((node) => node.kind === 'symbol' && node.text === '=');
    speaker.say(ranges ? 'from' : 'over', end(lower));
    speaker.row(lower, { bound: true });
  }
  if (upper) {
    speaker.owe('none');
    speaker.say('to', end(upper));
    speaker.row(upper);
  }
  speaker.owe('none');
  if (!next || isRelation(next)) return 0;
  speaker.say('of', { from: next.from, to: next.from });
  if (next.kind !== 'fenced' || !/^(?:max|min|sup|inf|arg)/.test(text)) return 0;
  speaker.row(next.body);
  return 1;
}

/** "sine squared x", "log base two of eight". Returns how many nodes behind it it took. */
export function sayFunction(
  speaker: Speaker,
  { text, from, to }: Of<'function'>,
  { sub, sup }: Scripts,
  next: Node | undefined,
): number {
  const { words, of } = FUNCTIONS.get(text)!;
  const inverse = sup && isMinus(sup[0]) && numberOf(sup.slice(1)) === '1';
  speaker.say(inverse ? `inverse ${words}` : words, { from, to });
  if (sub) {
    speaker.say('base', { from: sub[0]?.from ?? to, to: sub[0]?.from ?? to });
    speaker.row(sub);
  }
  if (sup && !inverse) speaker.power(undefined, sup);
  speaker.owe('none');
  if (!next || isRelation(next) || isOperator(next)) return 0;
  const fenced = next.kind === 'fenced' && next.open !== '|';
  if (of || sub || fenced) speaker.say('of', { from: next.from, to: next.from });
  if (!fenced) return 0;
  speaker.row(next.body, { bar: 'given' });
  speaker.owe(isSum(next.body) ? 'before an operator' : 'none');
  return 1;
}

/** "the real numbers", "R n", "the expected value of X". */
export function saySet(
  speaker: Speaker,
  node: Of<'set'>,
  script: Of<'script'> | undefined,
  next: Node | undefined,
): number {
  const place = script ?? node;
  const operator = { E: 'the expected value of', P: 'the probability of' }[node.text];
  if (operator && next?.kind === 'fenced') {
    speaker.say(operator, place);
    speaker.row(next.body, { bar: 'given' });
    return 1;
  }
  const known = SETS.get(node.text);
  if (!script) speaker.say(known ?? spell(node.text), place);
  else if (known && script.sup && isSign(script.sup))
    speaker.say(
      `the ${script.sup[0]!.kind === 'symbol' && isMinus(script.sup[0]) ? 'negative' : 'positive'}${known.slice(3)}`,
      place,
    );
  else {
    speaker.say(spell(node.text), node);
    if (script.sub) {
      speaker.say('sub', script.sub[0] ?? place);
      speaker.row(script.sub);
    }
    for (const part of script.sup ?? []) {
      if (part.kind === 'symbol' && /^(?:times|×)$/.test(part.text)) speaker.say('by', part);
      else speaker.row([part]);
    }
  }
  return 0;
}

/** Matrices by their rows; the lines of a system one after another. */
export function sayTable(speaker: Speaker, { name, rows, from, to }: Of<'table'>): void {
  const matrix = /matrix|array/.test(name);
  const columns = Math.max(...rows.map((row) => row.length), 0);
  if (matrix) {
    if (name === 'vmatrix') speaker.say('the determinant of', { from, to: from });
    speaker.say(`the ${cardinal(rows.length)} by ${cardinal(columns)} matrix`, { from, to: from });
    speaker.pause(':', from);
  } else if (name === 'cases') speaker.pause(',', from);
  for (const [index, row] of rows.entries()) {
    const at = row[0]?.[0]?.from ?? to;
    if (index > 0) speaker.pause(';', at);
    if (matrix) {
      speaker.say(`${ordinal(index + 1)} row`, { from: at, to: at });
      speaker.pause(',', at);
    }
    for (const [column, cell] of row.entries()) {
      if (column > 0 && (matrix || name === 'cases') && cell.length > 0) speaker.pause(',', cell[0]!.from);
      speaker.row(cell);
    }
  }
  if (matrix || name === 'cases') speaker.owe('before anything');
}

export function sayFraction(speaker: Speaker, { top, bottom, binomial, from, to }: Of<'fraction'>): void {
  if (binomial) {
    speaker.row(top);
    speaker.say('choose', bottom[0] ?? { from, to });
    speaker.row(bottom);
    return;
  }
  const derived = derivative(top, bottom);
  if (derived) {
    for (const part of derived) {
      if (typeof part === 'string') speaker.say(part, { from, to });
      else speaker.row(part);
    }
    return;
  }
  const [above, below] = [numberOf(top), numberOf(bottom)];
  if (above !== undefined && below !== undefined && /^\d{1,2}$/.test(above) && /^(?:[2-9]|1\d|20|100)$/.test(below)) {
    speaker.say(fraction(above, below), { from, to });
    return;
  }
  speaker.row(top);
  if (isSum(top)) speaker.owe('before anything');
  const place = { from: bottom[0]?.from ?? to, to: bottom[0]?.from ?? to };
  speaker.say(isSum(top) ? 'all over' : 'over', place);
  if (isSum(bottom)) speaker.say('the quantity', place);
  speaker.row(bottom);
  speaker.owe(isSum(bottom) ? 'before anything' : 'before an operator');
}

export function sayRoot(speaker: Speaker, { degree, body, from, to }: Of<'root'>): void {
  const number = degree && numberOf(degree);
  const name =
    !degree || number === '2'
      ? 'square'
      : number === '3'
        ? 'cube'
        : number
          ? ordinal(number)
          : `${degree.map(lettersOf).join(' ')}th`;
  speaker.say(`the ${name} root of`, { from, to: body[0]?.from ?? to });
  speaker.row(body);
  if (isCompound(body)) speaker.owe('before an operator');
}
