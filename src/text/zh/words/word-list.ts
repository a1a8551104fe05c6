/**
 * The Chinese words and how often they are used (jieba's dictionary: a word, its count and its part
 * of speech a line). Kept as two hashes a word in one table, which takes a tenth of the memory that
 * a map of strings would.
 */
import { readFile } from 'node:fs/promises';

const FREE = 0;
/** Twice as many places as there are words, so that a chain of taken places stays short. */
const PLACES = 1 << 20;
const MASK = PLACES - 1;
/** No word of the list is longer. */
export const LONGEST_WORD = 12;

/** Two hashes of a word that is read character by character. */
export const FIRST_SEED = 0x811c9dc5;
export const SECOND_SEED = 0x9747b28c;
export const firstHash = (hash: number, code: number): number => Math.imul(hash ^ code, 0x01000193) ^ (hash >>> 15);
export const secondHash = (hash: number, code: number): number => Math.imul(hash + code, 0x85ebca6b) ^ (hash >>> 13);

export class WordList {
  readonly #first = new Int32Array(PLACES);
  readonly #second = new Int32Array(PLACES);
  readonly #costs = new Float32Array(PLACES);
  readonly #tags = new Uint8Array(PLACES);
  readonly #tagNames: string[] = [''];
  /** What a single character costs that is no word. */
  readonly unknownCost: number;

  constructor(text: string) {
    const tags = new Map<string, number>();
    let total = 0;
    for (let at = 0; at < text.length; ) {
      const end = lineEnd(text, at);
      const space = text.indexOf(' ', at);
      const second = text.indexOf(' ', space + 1);
      const count = Number(text.slice(space + 1, second));
      const tag = text.slice(second + 1, end).trimEnd();
      let number = tags.get(tag);
      if (number === undefined) {
        number = this.#tagNames.push(tag) - 1;
        tags.set(tag, number);
      }
      total += count;
      this.#put(text, at, space, count, number);
      at = end + 1;
    }
    const all = Math.log(total);
    for (let place = 0; place < PLACES; place++)
      if (this.#first[place] !== FREE) this.#costs[place] = all - Math.log(this.#costs[place]! || 1);
    this.unknownCost = all;
  }

  #put(text: string, from: number, to: number, count: number, tag: number): void {
    let first = FIRST_SEED;
    let second = SECOND_SEED;
    for (let i = from; i < to; i++) {
      const code = text.charCodeAt(i);
      first = firstHash(first, code);
      second = secondHash(second, code);
    }
    const key = first || 1;
    let place = key & MASK;
    while (this.#first[place] !== FREE) place = (place + 1) & MASK;
    this.#first[place] = key;
    this.#second[place] = second;
    this.#costs[place] = count;
    this.#tags[place] = tag;
  }

  /** Where a word with these hashes lies; -1 where there is none. */
  find(first: number, second: number): number {
    const key = first || 1;
    for (let place = key & MASK; this.#first[place] !== FREE; place = (place + 1) & MASK)
      if (this.#first[place] === key && this.#second[place] === second) return place;
    return -1;
  }

  cost(place: number): number {
    return this.#costs[place]!;
  }

  /** Its part of speech by jieba's letters: n, v, a, r …; empty where the list has no such word. */
  tagOf(word: string): string {
    let first = FIRST_SEED;
    let second = SECOND_SEED;
    for (let i = 0; i < word.length; i++) {
      first = firstHash(first, word.charCodeAt(i));
      second = secondHash(second, word.charCodeAt(i));
    }
    const place = this.find(first, second);
    return place < 0 ? '' : this.#tagNames[this.#tags[place]!]!;
  }
}

const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
};

export const loadWordList = async (file: string): Promise<WordList> => new WordList(await readFile(file, 'utf8'));
