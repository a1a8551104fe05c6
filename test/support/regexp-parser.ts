/** The parts of a regular expression, as far as this program uses them. */

/** Taken before a test replaces it, to count what it does. */
export const nativeExec = RegExp.prototype.exec;

export type Node =
  | { readonly type: 'char'; readonly test: (char: string) => boolean }
  | { readonly type: 'sequence'; readonly items: readonly Node[] }
  | { readonly type: 'choice'; readonly items: readonly Node[] }
  | { readonly type: 'repeat'; readonly item: Node; readonly min: number; readonly max: number; readonly lazy: boolean }
  | { readonly type: 'group'; readonly index: number; readonly item: Node }
  | { readonly type: 'back'; readonly index: number }
  | { readonly type: 'assert'; readonly test: (input: string, at: number) => boolean }
  | { readonly type: 'look'; readonly ahead: boolean; readonly wanted: boolean; readonly item: Node };

const WORD = /\w/;
const isWord = (char: string | undefined): boolean => char !== undefined && WORD.test(char);

export class Parser {
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
