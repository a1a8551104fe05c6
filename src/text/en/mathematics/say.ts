/** A formula in words, as a teacher at the board reads it. */
import { amount, cardinal, ordinal } from '../numbers/numbers.js';
import { unit } from '../numbers/units.js';
import { ACCENTS, PREFIXES, RELATIONS, WIDE } from './commands.js';
import { bare, isCompound, isMinus, isOperator, isRelation, isSimple, isSum, numberOf, only } from './forms.js';
import type { Node, Of, Row } from './nodes.js';
import {
  type Context,
  type Owed,
  type Speaker,
  sayBig,
  sayFraction,
  sayFunction,
  sayRoot,
  saySet,
  sayTable,
} from './say-applied.js';
import {
  FENCES,
  isBar,
  isFactor,
  isFunctionOf,
  lettersOf,
  letterWords,
  nameOf,
  nthDerivative,
  operatorWords,
  scaleOf,
  specialPower,
  wordOf,
} from './words.js';

/** Where the words go; places are those of the formula's text. */
export interface Sink {
  say(words: string, from: number, to: number): void;
  pause(mark: string, at: number): void;
}

export class Sayer implements Speaker {
  readonly #sink: Sink;
  #owed: Owed = 'none';
  #bound = false;
  /** "Let x be in": the first relation behind a "let". */
  #let: boolean;
  readonly #modular: boolean;

  /** `previous` is the word before the formula. */
  constructor(sink: Sink, row: Row, previous: string) {
    this.#sink = sink;
    this.#let = /^let$/i.test(previous);
    this.#bound = /^(?:for|all|every|each|any|some|where|with|fix|given|no)$/i.test(previous);
    this.#modular = row.some(
      (node) => node.kind === 'group' && node.body[0]?.kind === 'symbol' && node.body[0].text === 'bmod',
    );
  }

  row(row: Row, context: Context = {}): void {
    for (let i = 0; i < row.length; i++) i = this.#node(row, i, context);
  }

  say(words: string, { from, to }: { from: number; to: number }, operator = false): void {
    if (words === '') return;
    if (this.#owed === 'before anything' || (this.#owed === 'before an operator' && operator))
      this.#sink.pause(',', from);
    this.#owed = 'none';
    this.#sink.say(words, from, to);
  }

  owe(owed: Owed): void {
    this.#owed = owed;
  }

  pause(mark: string, at: number): void {
    this.#owed = 'none';
    this.#sink.pause(mark, at);
  }

  /** Says the node at `index` and returns the index of the last one that it took. */
  #node(row: Row, index: number, context: Context): number {
    const node = row[index]!;
    switch (node.kind) {
      case 'number':
        this.say(amount(node.text), node);
        return index;
      case 'letter':
        this.say(scaleOf(node, row[index - 1]) ?? letterWords(node.text), node);
        return this.#called(row, index, context);
      case 'symbol':
        return this.#symbol(row, index, context);
      case 'big':
        return index + sayBig(this, node, {}, row[index + 1]);
      case 'function':
        return index + sayFunction(this, node, {}, row[index + 1]);
      case 'script':
        return this.#script(node, row, index, context);
      case 'fraction':
        sayFraction(this, node);
        return index;
      case 'root':
        sayRoot(this, node);
        return index;
      case 'accent':
        this.#accent(node);
        return index;
      case 'set':
        return index + saySet(this, node, undefined, row[index + 1]);
      case 'text':
        this.#text(node, row[index - 1]);
        return this.#called(row, index, context);
      case 'group':
        this.row(node.body, context);
        return this.#called(row, index, context);
      case 'fenced':
        this.#fenced(node, row[index - 1], false);
        return index;
      case 'table':
        sayTable(this, node);
        return index;
      case 'break':
        if (node.text === ';') this.pause(';', node.from);
        return index;
    }
  }

  #symbol(row: Row, index: number, context: Context): number {
    const node = row[index] as Of<'symbol'>;
    const { text } = node;
    if (WIDE.has(text)) this.pause(',', node.from);
    else if (text === ',' || text === ';') this.pause(text, node.from);
    else if (text === '.') this.pause('.', node.from);
    else if (text === '|' || text === '‖' || text === 'mid') this.say(context.bar ?? 'divides', node);
    else if (text === ':') {
      if (context.bar) this.say(context.bar, node);
      else if (
        row
          .slice(index + 1, index + 4)
          .some((other) => other.kind === 'symbol' && /^(?:to|rightarrow|→)$/.test(other.text))
      )
        this.say('from', node);
      else this.pause(',', node.from);
    } else if (text === '!') this.say('factorial', node);
    else if (text === 'nabla' || text === '∇') return this.#nabla(node, row, index);
    else if (isRelation(node)) this.#relation(node, row, index, context);
    else if (isOperator(node)) this.say(operatorWords(row, index), node, true);
    else if (PREFIXES.has(text)) {
      this.say(PREFIXES.get(text)!, node);
      if (/^(?:forall|exists|nexists|∀|∃|∄)$/.test(text)) this.#bound = true;
    } else if (text === '$' && row[index + 1]?.kind === 'number') {
      this.#node(row, index + 1, context);
      this.say('dollars', node);
      return index + 1;
    } else {
      this.say(nameOf(node), node);
      return this.#called(row, index, context);
    }
    return index;
  }

  #relation(node: Of<'symbol'>, row: Row, index: number, context: Context): void {
    let words = RELATIONS.get(node.text)!;
    const next = bare(row[index + 1]);
    if (this.#modular && words === 'is identical to') words = 'is congruent to';
    if (words === 'is similar to' && next && /^[NUBPE]$/.test(lettersOf(next))) words = 'is distributed as';
    if (words === 'to' && context.limit) words = 'approaches';
    if (this.#let) words = words === 'equals' ? 'equal' : words.replace(/^is /, 'be ');
    else if (this.#bound || context.bound) words = words.replace(/^is /, '');
    this.#let = false;
    this.#bound = false;
    this.say(words, node, false);
  }

  /** "the gradient of f", "the divergence of F", "the curl of F". */
  #nabla(node: Node, row: Row, index: number): number {
    const next = row[index + 1];
    if (next?.kind === 'symbol' && /^(?:cdot|·|times|×)$/.test(next.text)) {
      this.say(/^(?:cdot|·)$/.test(next.text) ? 'the divergence of' : 'the curl of', { from: node.from, to: next.to });
      return index + 1;
    }
    this.say(next && !isRelation(next) && !isOperator(next) ? 'the gradient of' : 'nabla', node);
    return index;
  }

  /** A letter with brackets behind it is a function of what they hold, or a factor before it. */
  #called(row: Row, index: number, context: Context): number {
    const fence = row[index + 1];
    const name = bare(row[index]);
    if (fence?.kind !== 'fenced' || !/^[([]$/.test(fence.open) || !name) return index;
    if (name.kind !== 'text' && !isFunctionOf(lettersOf(name), fence.body)) return index;
    this.say('of', { from: fence.from, to: fence.from + 1 });
    this.row(fence.body, { ...context, bar: 'given' });
    this.#owed = isSum(fence.body) ? 'before an operator' : 'none';
    return index + 1;
  }

  #script(node: Of<'script'>, row: Row, index: number, context: Context): number {
    const { base, sub, sup, primes } = node;
    const scripts = { ...(sub && { sub }), ...(sup && { sup }) };
    if (base?.kind === 'big') return index + sayBig(this, base, scripts, row[index + 1]);
    if (base?.kind === 'function') return index + sayFunction(this, base, scripts, row[index + 1]);
    if (base?.kind === 'set') return index + saySet(this, base, node, row[index + 1]);
    if (base?.kind === 'symbol' && (base.text === 'nabla' || base.text === '∇') && numberOf(sup) === '2') {
      this.say('the Laplacian of', node);
      return index;
    }
    const nth = base && sup && nthDerivative(base, sup);
    if (nth) this.say(nth, node);
    if (base) this.#base(base, row[index - 1], context);
    if (primes > 0)
      this.say(['prime', 'double prime', 'triple prime'][primes - 1] ?? `${cardinal(primes)} primes`, node);
    if (sub) {
      this.say('sub', sub[0]!);
      this.row(sub);
      if (isSum(sub) || sub.some(isRelation)) this.#owed = 'before anything';
    }
    if (sup && !nth) this.power(base, sup);
    return base?.kind === 'letter' || base?.kind === 'group' ? this.#called(row, index, context) : index;
  }

  #base(base: Node, previous: Node | undefined, context: Context): void {
    if (base.kind === 'fenced') this.#fenced(base, previous, true);
    else if (base.kind === 'group' && isSum(base.body)) {
      this.say('the quantity', base);
      this.row(base.body, context);
      this.#owed = 'before anything';
    } else this.#node([base], 0, context);
  }

  power(base: Node | undefined, sup: Row): void {
    const single = only(sup);
    const place = { from: sup[0]!.from, to: sup.at(-1)!.to };
    const special = base && specialPower(base, sup, single);
    if (special !== undefined) {
      this.say(special, place);
      return;
    }
    const number = numberOf(sup);
    if (number !== undefined && !number.includes('.')) {
      this.say(number === '2' ? 'squared' : number === '3' ? 'cubed' : `to the ${ordinal(number)}`, place);
      return;
    }
    this.say('to the', { from: place.from, to: place.from });
    this.row(sup);
    if (!isSimple(sup)) this.#owed = 'before anything';
  }

  #accent({ text, body, from, to }: Of<'accent'>): void {
    const words = ACCENTS.get(text)!;
    if (words === 'vector') this.say(words, { from, to: body[0]?.from ?? to });
    this.row(body);
    if (words !== 'vector') this.say(words, { from, to });
  }

  #text({ text, from, to }: Of<'text'>, previous: Node | undefined): void {
    const measured = previous?.kind === 'number' ? unit(text) : undefined;
    if (measured) {
      this.say((previous as Of<'number'>).text === '1' ? measured.one : measured.many, { from, to });
      return;
    }
    this.#bound = this.#bound || /\bfor (?:all|every|each|any)$/.test(text);
    const words = text.split(/\s+/).map((word) => wordOf(word));
    this.say(words.join(' '), { from, to });
  }

  /** `raised`: a power belongs to all of it. */
  #fenced(node: Of<'fenced'>, previous: Node | undefined, raised: boolean): void {
    const { open, body, from } = node;
    const place = { from, to: from + 1 };
    const said = FENCES[open];
    if (said !== undefined) {
      const bar = open === '\\{' ? body.findIndex(isBar) : -1;
      const pairing = open === '⟨' && body.some((part) => part.kind === 'symbol' && part.text === ',');
      const state = node.close === '⟩' && open === '|' ? 'ket' : undefined;
      this.say(state ?? (bar > 0 ? 'the set of' : pairing ? 'the inner product of' : said), place);
      if (bar > 0) {
        this.row(body.slice(0, bar), { bound: true });
        this.say('such that', body[bar]!);
      }
      this.row(body.slice(bar > 0 ? bar + 1 : 0));
      this.#owed = isCompound(body)
        ? open === '|' || open === '‖'
          ? 'before an operator'
          : 'before anything'
        : 'none';
      return;
    }
    const list = body.findIndex((part) => part.kind === 'symbol' && part.text === ',');
    const times = previous !== undefined && isFactor(previous);
    if (times) this.say('times', place, false);
    if (
      list > 0 &&
      (open === '[' || node.close === ']' || isRelation(previous)) &&
      !body.slice(list + 1).some((part) => part.kind === 'symbol' && part.text === ',')
    ) {
      this.say('the interval from', place);
      this.row(body.slice(0, list));
      this.say('to', body[list]!);
      this.row(body.slice(list + 1));
      return;
    }
    const sum = list < 0 && (isSum(body) || (raised && body.length > 1 && !isMinus(body[0])));
    if (sum) this.say('the quantity', place);
    this.row(body);
    this.#owed = sum || list > 0 ? 'before anything' : 'none';
  }
}
