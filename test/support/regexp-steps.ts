/**
 * A backtracking matcher that counts its steps. It walks a pattern as the runtime's own engine
 * does, alternative by alternative, so that work inside a single `exec`, which takes no countable
 * time, becomes a number that is the same on every machine.
 */

type Node =
  | { readonly type: 'char'; readonly test: (char: string) => boolean }
  | { readonly type: 'sequence' | 'choice'; readonly items: readonly Node[] }
  | { readonly type: 'repeat'; readonly item: Node; readonly min: number; readonly max: number; readonly lazy: boolean }
  | { readonly type: 'group'; readonly index: number; readonly item: Node }
  | { readonly type: 'back'; readonly index: number }
  | { readonly type: 'assert'; readonly test: (input: string, at: number) => boolean }
  | { readonly type: 'look'; readonly ahead: boolean; readonly wanted: boolean; readonly item: Node };

const WORD = /\w/;
const isWord = (char: string | undefined): boolean => char !== undefined && WORD.test(char);

class Parser {
  #at = 0;
  #groups = 0;
  readonly #source: string;
  readonly #flags: string;

  constructor({ source, flags }: RegExp) {
    this.#source = source;
    this.#flags = flags.replace(/[gyd]/g, '');
  }

  parse(): Node {
    const node = this.#choice();
    if (this.#at < this.#source.length) throw new Error(`not understood: /${this.#source}/ at ${this.#at}`);
    return node;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = nativeExec.call(pattern, this.#source)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #choice(): Node {
    const items = [this.#sequence()];
    while (this.#take(/\|/y) !== undefined) items.push(this.#sequence());
    return items.length === 1 ? items[0]! : { type: 'choice', items };
  }

  #sequence(): Node {
    const items: Node[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at]!)) items.push(this.#term());
    return { type: 'sequence', items };
  }

  #term(): Node {
    const item = this.#atom();
    const times = this.#take(/[*+?]|\{\d+(?:,\d*)?\}/y);
    if (times === undefined) return item;
    const lazy = this.#take(/\?/y) !== undefined;
    const short: Record<string, [number, number]> = { '*': [0, Infinity], '+': [1, Infinity], '?': [0, 1] };
    const [from, to] = times.slice(1, -1).split(',');
    const written: [number, number] = [
      Number(from),
      to === undefined ? Number(from) : to === '' ? Infinity : Number(to),
    ];
    const [min, max] = short[times] ?? written;
    return { type: 'repeat', item, min, max, lazy };
  }

  #atom(): Node {
    const open = this.#take(/\((?:\?(?:[:=!]|<[=!]|<[A-Za-z]\w*>))?/y);
    if (open !== undefined) return this.#group(open);
    const edge = this.#take(/\\[bB]|[\^$]/y);
    if (edge !== undefined) return { type: 'assert', test: this.#edge(edge) };
    const back = this.#take(/\\[1-9]/y);
    if (back !== undefined) return { type: 'back', index: Number(back[1]) };
    const unit = this.#flags.includes('u') ? /[\s\S]/uy : /[\s\S]/y;
    const escaped = /\\(?:u\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|[pP]\{[^}]*\}|c[A-Za-z]|[\s\S])/y;
    const source = this.#take(/\[(?:\\[\s\S]|[^\]\\])*\]/y) ?? this.#take(escaped) ?? this.#take(unit)!;
    return { type: 'char', test: this.#charTest(source) };
  }

  #group(open: string): Node {
    const isGroup = open === '(' || /^\(\?<[A-Za-z]/.test(open);
    if (isGroup) this.#groups += 1;
    const index = this.#groups;
    const item = this.#choice();
    this.#at += 1;
    if (isGroup) return { type: 'group', index, item };
    if (open === '(?:') return item;
    return { type: 'look', ahead: !open.includes('<'), wanted: open.endsWith('='), item };
  }

  #edge(edge: string): (input: string, at: number) => boolean {
    const lines = this.#flags.includes('m');
    const isBreak = (char: string | undefined) => char !== undefined && '\n\r\u2028\u2029'.includes(char);
    if (edge === '^') return (input, at) => at === 0 || (lines && isBreak(input[at - 1]));
    if (edge === '$') return (input, at) => at === input.length || (lines && isBreak(input[at]));
    return (input, at) => (isWord(input[at - 1]) !== isWord(input[at])) === (edge === '\\b');
  }

  /** One character at a time the runtime is asked, once for each that occurs. */
  #charTest(source: string): (char: string) => boolean {
    const pattern = new RegExp(`^(?:${source})$`, this.#flags.replace('m', ''));
    const known = new Map<string, boolean>();
    return (char) => {
      let answer = known.get(char);
      if (answer === undefined) {
        answer = nativeExec.call(pattern, char) !== null;
        known.set(char, answer);
      }
      return answer;
    };
  }
}

type Next = (at: number) => boolean;

/** One run over one text. A matcher calls `next` with each place it may end at, the first best. */
class Run {
  steps = 0;
  readonly #input: string;
  readonly #unicode: boolean;
  #groups: ([number, number] | undefined)[] = [];

  constructor(input: string, unicode: boolean) {
    this.#input = input;
    this.#unicode = unicode;
  }

  /** Where a match from `at` on ends. */
  end(node: Node, at: number): number | undefined {
    this.#groups = [];
    let found: number | undefined;
    this.#match(node, at, true, (end) => {
      found = end;
      return true;
    });
    return found;
  }

  #match(node: Node, at: number, forward: boolean, next: Next): boolean {
    this.steps += 1;
    switch (node.type) {
      case 'char': {
        const to = this.#stepOver(node, at, forward);
        return to !== undefined && next(to);
      }
      case 'assert':
        return node.test(this.#input, at) && next(at);
      case 'choice':
        return node.items.some((item) => this.#match(item, at, forward, next));
      case 'sequence':
        return this.#sequence(forward ? node.items : node.items.toReversed(), 0, at, forward, next);
      case 'repeat':
        return node.item.type === 'char'
          ? this.#repeatChar(node, node.item, at, forward, next)
          : this.#repeat(node, 0, at, forward, next);
      case 'group':
        return this.#group(node, at, forward, next);
      case 'back':
        return this.#back(node.index, at, forward, next);
      case 'look': {
        const before = [...this.#groups];
        const holds = this.#match(node.item, at, node.ahead, () => true);
        if (!holds || !node.wanted) this.#groups = before;
        return holds === node.wanted && next(at);
      }
    }
  }

  #stepOver({ test }: { test: (char: string) => boolean }, at: number, forward: boolean): number | undefined {
    const pair = /[\ud800-\udbff][\udc00-\udfff]/;
    const from = forward ? at : at - 1;
    const two = this.#unicode ? this.#input.slice(forward ? at : Math.max(0, at - 2), forward ? at + 2 : at) : '';
    const char = two.length === 2 && nativeExec.call(pair, two) ? two : this.#input[from];
    if (char === undefined || !test(char)) return undefined;
    return forward ? at + char.length : at - char.length;
  }

  #sequence(items: readonly Node[], from: number, at: number, forward: boolean, next: Next): boolean {
    if (from === items.length) return next(at);
    return this.#match(items[from]!, at, forward, (to) => this.#sequence(items, from + 1, to, forward, next));
  }

  #repeatChar(
    { min, max, lazy }: { min: number; max: number; lazy: boolean },
    item: Node & { type: 'char' },
    at: number,
    forward: boolean,
    next: Next,
  ): boolean {
    const places = [at];
    const longer = (): boolean => {
      const to = places.length > max ? undefined : this.#stepOver(item, places.at(-1)!, forward);
      this.steps += 1;
      if (to !== undefined) places.push(to);
      return to !== undefined;
    };
    while (places.length <= min) if (!longer()) return false;
    if (lazy) {
      do if (next(places.at(-1)!)) return true;
      while (longer());
      return false;
    }
    while (longer());
    for (let count = places.length - 1; count >= min; count -= 1) {
      this.steps += 1;
      if (next(places[count]!)) return true;
    }
    return false;
  }

  #repeat(node: Node & { type: 'repeat' }, count: number, at: number, forward: boolean, next: Next): boolean {
    const again = () =>
      count < node.max &&
      this.#match(node.item, at, forward, (to) =>
        // An empty round beyond those that are needed goes nowhere.
        to === at && count >= node.min ? false : this.#repeat(node, count + 1, to, forward, next),
      );
    if (count < node.min) return again();
    return node.lazy ? next(at) || again() : again() || next(at);
  }

  #group(node: Node & { type: 'group' }, at: number, forward: boolean, next: Next): boolean {
    return this.#match(node.item, at, forward, (to) => {
      const before = this.#groups[node.index];
      this.#groups[node.index] = forward ? [at, to] : [to, at];
      if (next(to)) return true;
      this.#groups[node.index] = before;
      return false;
    });
  }

  #back(index: number, at: number, forward: boolean, next: Next): boolean {
    const group = this.#groups[index];
    const text = group ? this.#input.slice(...group) : '';
    this.steps += text.length;
    const from = forward ? at : at - text.length;
    return from >= 0 && this.#input.startsWith(text, from) && next(forward ? at + text.length : from);
  }
}

export const nativeExec = RegExp.prototype.exec;
const parsed = new Map<string, Node>();

function nodeOf(pattern: RegExp): Node {
  const key = `/${pattern.source}/${pattern.flags}`;
  const known = parsed.get(key);
  if (known) return known;
  const node = new Parser(pattern).parse();
  parsed.set(key, node);
  return node;
}

/**
 * The steps of one `exec` from `lastIndex` on; throws where the runtime's engine found another
 * match.
 */
export function stepsOf(pattern: RegExp, input: string, lastIndex: number, found: RegExpExecArray | null): number {
  const { global, sticky, unicode } = pattern;
  const node = nodeOf(pattern);
  const run = new Run(input, unicode);
  let at = global || sticky ? lastIndex : 0;
  let end: number | undefined;
  while (at <= input.length) {
    end = run.end(node, at);
    if (end !== undefined || sticky) break;
    at += unicode && input.codePointAt(at)! > 0xffff ? 2 : 1;
  }
  const expected = found === null ? undefined : found.index + found[0].length;
  if (end !== expected) throw new Error(`${pattern} ends at ${expected}, not ${end}, in ${JSON.stringify(input)}`);
  return run.steps;
}
