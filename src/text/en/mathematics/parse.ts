/** A formula's tokens as a tree: fractions, roots, scripts, brackets, rows of matrices. */
import { ACCENTS, BIG, DROPPED, FUNCTIONS, SILENT, STYLES, TEXTS } from './commands.js';
import type { Node, Place, Row } from './nodes.js';
import { slashed } from './slashes.js';
import { type Token, tokensOf } from './tokens.js';

const ROOTS = '√∛∜';

/** Deeper than this, braces and commands are read as if they were not there. */
const DEEPEST = 24;

/** The tree of `text[from, to)`. Each character is looked at once, whatever the formula is. */
export function parseFormula(text: string, from: number, to: number): Row {
  return new Parser(text, tokensOf(text, from, to)).row();
}

class Parser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(text: string, tokens: readonly Token[]) {
    this.#text = text;
    this.#tokens = tokens;
  }

  row(end = this.#tokens.length): Row {
    const nodes: Node[] = [];
    while (this.#at < end) {
      const node = this.#scripted(end);
      if (node) nodes.push(node);
    }
    return slashed(nodes);
  }

  /** One node with what stands raised and lowered behind it. */
  #scripted(end: number): Node | undefined {
    const first = this.#tokens[this.#at]!;
    const base = first.kind === 'script' || first.kind === 'prime' ? undefined : this.#one(end);
    if (base === undefined && first.kind !== 'script' && first.kind !== 'prime') return undefined;
    const sub: Node[] = [];
    const sup: Node[] = [];
    let primes = 0;
    while (this.#at < end) {
      const token = this.#tokens[this.#at]!;
      const placing = token.kind === 'command' && /^(?:no)?limits$/.test(token.text);
      if (token.kind === 'prime') primes++;
      else if (token.kind !== 'script' && !placing) break;
      this.#at++;
      if (token.kind !== 'script') continue;
      const row = token.inner ? new Parser(this.#text, token.inner).row() : this.#argument(end);
      if (token.text === '^') {
        const marks = row.filter((node) => node.kind === 'symbol' && node.text === 'prime').length;
        if (marks > 0 && marks === row.length) primes += marks;
        else sup.push(...row);
      } else sub.push(...row);
    }
    if (sub.length === 0 && sup.length === 0 && primes === 0) return base;
    const last = this.#tokens[this.#at - 1]!;
    return {
      kind: 'script',
      base,
      primes,
      ...(sub.length > 0 && { sub }),
      ...(sup.length > 0 && { sup }),
      from: first.from,
      to: last.to,
    };
  }

  /** What a command or a script is applied to: braces, or one node. */
  #argument(end: number): Row {
    const token = this.#tokens[this.#at];
    if (!token || this.#at >= end) return [];
    if (token.kind === 'open' && token.text === '{' && this.#inside(token, end)) return this.#body(token);
    if (token.kind === 'number' && token.text.length > 1 && !token.text.includes('.')) return this.#digit(token);
    const node = this.#one(end);
    return node ? [node] : [];
  }

  /** `x^10`: LaTeX takes only the first digit, and people mean all of them. */
  #digit(token: Token): Row {
    this.#at++;
    return [{ kind: 'number', text: token.text, from: token.from, to: token.to }];
  }

  #inside(token: Token, end: number): boolean {
    return token.partner > 0 && token.partner < end && this.#depth < DEEPEST;
  }

  /** The row between an opening token and its partner. */
  #body(token: Token): Row {
    this.#at++;
    this.#depth++;
    const row = this.row(token.partner);
    this.#depth--;
    this.#at = token.partner + 1;
    return row;
  }

  #one(end: number): Node | undefined {
    const token = this.#tokens[this.#at]!;
    const { kind, text, from, to } = token;
    if ((kind === 'open' || kind === 'bar') && this.#inside(token, end)) return this.#fenced(token);
    this.#at++;
    switch (kind) {
      case 'number':
      case 'letter':
        return { kind, text, from, to };
      case 'command':
        return this.#depth < DEEPEST ? this.#command(token, end) : { kind: 'symbol', text, command: true, from, to };
      case 'sign':
        if (ROOTS.includes(text)) return this.#rootSign(token, end);
        return BIG.has(text) ? { kind: 'big', text, from, to } : { kind: 'symbol', text, command: false, from, to };
      case 'bar':
        return { kind: 'symbol', text, command: false, from, to };
      case 'row':
      case 'column':
        return { kind: 'break', text: kind === 'row' ? ';' : ',', from, to };
      default:
        // What opens or closes nothing.
        return undefined;
    }
  }

  /** "√(x + 1)", "∛8". */
  #rootSign({ text, from }: Token, end: number): Node {
    const next = this.#tokens[this.#at];
    const body = next?.kind === 'open' && this.#inside(next, end) ? this.#body(next) : this.#argument(end);
    const degree = ROOTS.indexOf(text) + 2;
    const number: Node = { kind: 'number', text: String(degree), from, to: from + 1 };
    return {
      kind: 'root',
      degree: degree === 2 ? undefined : [number],
      body,
      from,
      to: this.#tokens[this.#at - 1]!.to,
    };
  }

  #fenced(token: Token): Node {
    const close = this.#tokens[token.partner]!;
    const place = { from: token.from, to: close.to };
    if (token.text.startsWith('env:')) return this.#environment(token, place);
    const body = this.#body(token);
    if (token.text === '{') return { kind: 'group', body, ...place };
    return { kind: 'fenced', open: token.text, close: close.text, body, ...place };
  }

  #environment(token: Token, place: Place): Node {
    const end = token.partner;
    this.#at++;
    this.#depth++;
    // The columns of an array, `{cc|c}`, are not said.
    const first = this.#tokens[this.#at];
    if (/array/.test(token.text) && first?.text === '{' && first.partner > 0) this.#at = first.partner + 1;
    const rows: Row[][] = [[]];
    let nodes: Node[] = [];
    const closeCell = () => {
      rows.at(-1)!.push(slashed(nodes));
      nodes = [];
    };
    while (this.#at < end) {
      const { kind } = this.#tokens[this.#at]!;
      if (kind === 'column' || kind === 'row') {
        closeCell();
        if (kind === 'row') rows.push([]);
        this.#at++;
        continue;
      }
      const node = this.#scripted(end);
      if (node) nodes.push(node);
    }
    closeCell();
    this.#depth--;
    this.#at = end + 1;
    const filled = rows.filter((row) => row.some((cell) => cell.length > 0));
    return { kind: 'table', name: token.text.slice(4), rows: filled, ...place };
  }

  #command({ text, from, to }: Token, end: number): Node | undefined {
    this.#depth++;
    const node = this.#applied(text, from, to, end);
    this.#depth--;
    return node;
  }

  #applied(text: string, from: number, to: number, end: number): Node | undefined {
    const until = () => this.#tokens[this.#at - 1]!.to;
    if (/^[dtc]?frac$|^[dt]?binom$/.test(text)) {
      const top = this.#argument(end);
      const bottom = this.#argument(end);
      return { kind: 'fraction', top, bottom, binomial: text.endsWith('binom'), from, to: until() };
    }
    if (text === 'sqrt') {
      const token = this.#tokens[this.#at];
      const degree = token?.text === '[' && this.#inside(token, end) ? this.#body(token) : undefined;
      return { kind: 'root', degree, body: this.#argument(end), from, to: until() };
    }
    if (ACCENTS.has(text)) return { kind: 'accent', text, body: this.#argument(end), from, to: until() };
    if (text === 'mathbb' || text === 'Bbb') {
      const written = this.#raw(end);
      return { kind: 'set', text: written, from, to: until() };
    }
    if (TEXTS.has(text) && !this.#isFormula(text, end)) return this.#words(from, end);
    if (STYLES.has(text) || TEXTS.has(text)) {
      const body = this.#argument(end);
      return { kind: 'group', body, from, to: until() };
    }
    if (DROPPED.has(text)) {
      this.#argument(end);
      return undefined;
    }
    if (text === 'overset' || text === 'stackrel' || text === 'underset') {
      this.#argument(end);
      return { kind: 'group', body: this.#argument(end), from, to: until() };
    }
    if (text === 'pmod' || text === 'pod') {
      const body = this.#argument(end);
      const mod: Node = { kind: 'symbol', text: 'bmod', command: true, from, to };
      return { kind: 'group', body: [mod, ...body], from, to: until() };
    }
    return this.#named(text, from, to, end);
  }

  #named(text: string, from: number, to: number, end: number): Node | undefined {
    if (SILENT.has(text)) return undefined;
    const next = this.#tokens[this.#at];
    if (text === 'arg' && this.#at < end && next?.kind === 'command' && /^(?:max|min)$/.test(next.text)) {
      this.#at++;
      return { kind: 'big', text: `arg${next.text}`, from, to: next.to };
    }
    if (BIG.has(text)) return { kind: 'big', text, from, to };
    if (FUNCTIONS.has(text)) return { kind: 'function', text, from, to };
    if (text === 'not' && this.#at < end && next) {
      this.#at++;
      const negated = { '=': 'neq', in: 'notin', '∈': 'notin', mid: 'nmid' }[next.text];
      if (negated) return { kind: 'symbol', text: negated, command: true, from, to: next.to };
      return { kind: 'symbol', text: 'neg', command: true, from, to };
    }
    return { kind: 'symbol', text, command: true, from, to };
  }

  /** `\\mathrm{CO_2}`: upright letters that are no word. */
  #isFormula(text: string, end: number): boolean {
    const token = this.#tokens[this.#at];
    if (text !== 'mathrm' || token?.text !== '{' || !this.#inside(token, end)) return false;
    return this.#tokens
      .slice(this.#at + 1, token.partner)
      .some(({ kind, from }) => kind === 'script' || (kind === 'command' && this.#text[from] === '\\'));
  }

  /** The characters of an argument as they are written. */
  #raw(end: number): string {
    const token = this.#tokens[this.#at];
    if (!token || this.#at >= end) return '';
    if (token.text !== '{' || !this.#inside(token, end)) {
      this.#at++;
      return token.text;
    }
    this.#at = token.partner + 1;
    return this.#text.slice(token.to, this.#tokens[token.partner]!.from);
  }

  #words(from: number, end: number): Node {
    const text = this.#raw(end)
      .trim()
      .replace(/\\[,;: !]/g, ' ');
    const to = this.#tokens[this.#at - 1]!.to;
    const name = text.replace(/\s/g, '');
    if (BIG.has(name)) return { kind: 'big', text: name, from, to };
    if (FUNCTIONS.has(name)) return { kind: 'function', text: name, from, to };
    if (text.length === 1) return { kind: 'letter', text, from, to };
    return { kind: 'text', text, from, to };
  }
}
