/**
 * The likeliest row of words that a text is: the cheapest way through all words that begin at each
 * of its places.
 */
import type { Dictionary, Entry } from './dictionary.js';

/**
 * A stretch that is known to be one word, by a rule of writing: a number, an address, a Latin word.
 */
export interface FixedStretch {
  readonly from: number;
  readonly to: number;
  /** The word of the dictionary whose neighbours it has. */
  readonly like: number;
}

/** A word found, with its place in UTF-16 units. */
export interface Morpheme {
  readonly from: number;
  readonly to: number;
  readonly written: string;
  readonly entry: Entry;
  /** The dictionary has this word. */
  readonly known: boolean;
}

/** A row of unknown characters longer than this is parted. */
const LONGEST_UNKNOWN = 24;
const FIRST_NODES = 1024;

/** The nodes of one lattice, in columns; kept from one text to the next. */
class Nodes {
  from = new Int32Array(FIRST_NODES);
  word = new Int32Array(FIRST_NODES);
  right = new Int16Array(FIRST_NODES);
  /** The cost of the cheapest way from the beginning through this node. */
  total = new Int32Array(FIRST_NODES);
  previous = new Int32Array(FIRST_NODES);
  /** The next node that ends at the same place. */
  beside = new Int32Array(FIRST_NODES);
  count = 0;

  grow(): void {
    const size = this.from.length * 2;
    const wider = <T extends Int32Array | Int16Array>(old: T, to: T): T => {
      to.set(old);
      return to;
    };
    this.from = wider(this.from, new Int32Array(size));
    this.word = wider(this.word, new Int32Array(size));
    this.right = wider(this.right, new Int16Array(size));
    this.total = wider(this.total, new Int32Array(size));
    this.previous = wider(this.previous, new Int32Array(size));
    this.beside = wider(this.beside, new Int32Array(size));
  }
}

export class Lattice {
  readonly #dictionary: Dictionary;
  readonly #nodes = new Nodes();
  /** For each place the last node made that ends there; -1 where none does. */
  #ends = new Int32Array(0);
  /**
   * What a left id costs behind the nodes that end at the place in hand; several words share one.
   */
  readonly #cheapest: Int32Array;
  readonly #cheapestAt: Int32Array;
  readonly #behind: Int32Array;
  /** The word that stands for an unknown noun. */
  readonly noun: number;

  constructor(dictionary: Dictionary) {
    this.#dictionary = dictionary;
    this.#cheapest = new Int32Array(dictionary.width);
    this.#behind = new Int32Array(dictionary.width);
    this.#cheapestAt = new Int32Array(dictionary.width).fill(-1);
    const unknown = dictionary.characterClass('ア'.charCodeAt(0)).words;
    const isNoun = (word: number) => dictionary.entry(word).kind === '名詞' && dictionary.entry(word).detail === '一般';
    this.noun = unknown.find(isNoun) ?? unknown[0]!;
  }

  /** The words of a text; `fixed` stretches are words as they are, in order and apart. */
  analyse(text: string, fixed: readonly FixedStretch[] = []): Morpheme[] {
    const { length } = text;
    if (this.#ends.length <= length) this.#ends = new Int32Array(2 * length + 64);
    this.#ends.fill(-1, 0, length + 1);
    this.#cheapestAt.fill(-1);
    const nodes = this.#nodes;
    nodes.count = 1;
    nodes.from[0] = 0;
    nodes.right[0] = 0;
    nodes.total[0] = 0;
    nodes.beside[0] = -1;
    this.#ends[0] = 0;
    let next = 0;
    for (let at = 0; at < length; at++) {
      if (this.#ends[at]! < 0) continue;
      const stretch = fixed[next];
      if (stretch?.from === at) {
        this.#add(stretch.like, at, stretch.to);
        next += 1;
      } else this.#words(text, at, stretch?.from ?? length);
    }
    return this.#best(text);
  }

  /** Adds every word that begins at a place and ends before the next fixed stretch. */
  #words(text: string, at: number, limit: number): void {
    const dictionary = this.#dictionary;
    let known = false;
    for (let end = at, node = 0; end < limit; ) {
      node = dictionary.step(node, text.charCodeAt(end));
      if (node < 0) break;
      end += 1;
      const list = dictionary.listAt(node);
      if (list < 0) continue;
      known = true;
      const count = dictionary.wordsIn(list);
      for (let i = 1; i <= count; i++) this.#add(dictionary.wordIn(list, i), at, end);
    }
    const kind = dictionary.characterClass(text.charCodeAt(at));
    if (known && !kind.always) return;
    let to = at + 1;
    const most = Math.min(limit, at + LONGEST_UNKNOWN);
    if (kind.groups) while (to < most && dictionary.characterClass(text.charCodeAt(to)) === kind) to++;
    else if (to < limit && (text.charCodeAt(at) & 0xfc00) === 0xd800) to++;
    for (const word of kind.words) this.#add(word, at, to);
  }

  #add(word: number, from: number, to: number): void {
    const dictionary = this.#dictionary;
    const nodes = this.#nodes;
    if (nodes.count === nodes.from.length) nodes.grow();
    const node = nodes.count++;
    const left = dictionary.leftId(word);
    if (this.#cheapestAt[left] !== from) this.#findCheapest(left, from);
    nodes.from[node] = from;
    nodes.word[node] = word;
    nodes.right[node] = dictionary.rightId(word);
    nodes.total[node] = this.#cheapest[left]! + dictionary.cost(word);
    nodes.previous[node] = this.#behind[left]!;
    nodes.beside[node] = this.#ends[to]!;
    this.#ends[to] = node;
  }

  #findCheapest(left: number, at: number): void {
    const { costs, width } = this.#dictionary;
    const { right, total, beside } = this.#nodes;
    let least = 0x7fffffff;
    let behind = -1;
    for (let node = this.#ends[at]!; node >= 0; node = beside[node]!) {
      const cost = total[node]! + costs[right[node]! * width + left]!;
      if (cost < least || (cost === least && node < behind)) {
        least = cost;
        behind = node;
      }
    }
    this.#cheapest[left] = least;
    this.#behind[left] = behind;
    this.#cheapestAt[left] = at;
  }

  #best(text: string): Morpheme[] {
    const { from, word, previous } = this.#nodes;
    const found: Morpheme[] = [];
    this.#findCheapest(0, text.length);
    let to = text.length;
    for (let node = this.#behind[0]!; node > 0; node = previous[node]!) {
      const begin = from[node]!;
      const entry = this.#dictionary.entry(word[node]!);
      found.push({ from: begin, to, written: text.slice(begin, to), entry, known: word[node]! >= 0 });
      to = begin;
    }
    return found.reverse();
  }
}
