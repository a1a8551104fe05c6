/** What rules about words written alike are made of: their place in a clause, and tests of it. */
import { isPast } from './past.js';
import { MARK, type Tag, tagAt } from './tagger.js';

/** The words of a segment in small letters, with the marks that stand between them. */
export class Clause {
  readonly words: readonly string[];
  readonly #isFollowed: (index: number) => boolean;
  #marked: { readonly words: readonly string[]; readonly places: readonly number[] } | undefined;

  constructor(words: readonly string[], isFollowed: (index: number) => boolean) {
    this.words = words;
    this.#isFollowed = isFollowed;
  }

  /** The word's part of speech; `among` lists the candidates, all of the lexicon's if absent. */
  tag(index: number, among?: string): Tag {
    this.#marked ??= this.#withMarks();
    return tagAt(this.#marked.words, this.#marked.places[index]!, among);
  }

  #withMarks() {
    const words: string[] = [];
    const places: number[] = [];
    for (const [index, word] of this.words.entries()) {
      places.push(words.length);
      words.push(word);
      if (!this.#isFollowed(index) && index < this.words.length - 1) words.push(MARK);
    }
    return { words, places };
  }
}

/** A word of a clause that is asked about. */
export class WordPlace {
  readonly words: readonly string[];
  readonly index: number;
  /** The word as written. */
  readonly written: string;
  readonly #clause: Clause;

  constructor(clause: Clause, index: number, written: string) {
    this.#clause = clause;
    this.words = clause.words;
    this.index = index;
    this.written = written;
  }

  /** What it is, out of what it can be. */
  get tag(): Tag {
    return this.#clause.tag(this.index);
  }

  /** What it is, if it is one of these. */
  tagAmong(tags: string): Tag {
    return this.#clause.tag(this.index, tags);
  }

  /** The tag of a word beside it, or '' where there is none. */
  tagBeside(by: number): Tag | '' {
    const at = this.index + by;
    return at < 0 || at >= this.words.length ? '' : this.#clause.tag(at);
  }

  beside(by: number): string {
    return this.words[this.index + by] ?? '';
  }
}

export type Rule = (place: WordPlace) => boolean;

const set = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

export function before(list: string): Rule {
  const words = set(list);
  return (place) => words.has(place.beside(-1));
}
export function after(list: string): Rule {
  const words = set(list);
  return (place) => words.has(place.beside(1));
}
/** One of the words stands anywhere in the clause. */
export function has(list: string): Rule {
  const wanted = set(list);
  return ({ words }) => words.some((word) => wanted.has(word.endsWith("'s") ? word.slice(0, -2) : word));
}
export const any =
  (...rules: readonly Rule[]): Rule =>
  (place) =>
    rules.some((rule) => rule(place));
export const all =
  (...rules: readonly Rule[]): Rule =>
  (place) =>
    rules.every((rule) => rule(place));
export const not =
  (rule: Rule): Rule =>
  (place) =>
    !rule(place);

/** The word has one of the `tags`, chosen from the candidates `among`. */
export const is =
  (tags: string, among: string): Rule =>
  (place) =>
    tags.includes(place.tagAmong(among));
export const past: Rule = isPast;
/** A capital letter where no sentence begins. */
export const named: Rule = ({ written, index }) => index > 0 && /^[A-Z][a-z]/.test(written);
/** A noun or an adjective follows: the word describes it. */
export const beforeNoun: Rule = (place) => 'NSA'.includes(place.tagBeside(1) || '-');
