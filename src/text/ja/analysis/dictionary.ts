/**
 * The Japanese dictionary (IPADIC as the npm package kuromoji carries it): a trie of written forms,
 * what each form can be, what it costs to say two kinds of words in a row, and how characters
 * without an entry are grouped. The files are data; nothing of the package is run.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

const unzip = promisify(gunzip);

/** What the dictionary says of a word; '*' where it says nothing. */
export interface Entry {
  /** 名詞, 動詞, 助詞 … */
  readonly kind: string;
  /** 数, 接尾, 係助詞 … */
  readonly detail: string;
  /** The third level: 助数詞, 人名 … */
  readonly subdetail: string;
  /** The form it is conjugated into: 連用形, 連用タ接続 … */
  readonly form: string;
  readonly base: string;
  /**
   * How it sounds, in katakana, long vowels as ー and particles as they are said. Empty for what is
   * not known.
   */
  readonly sound: string;
}

/** How a class of characters is treated where the dictionary has no entry. */
interface CharacterClass {
  /** An unknown word is proposed even where the dictionary knows one. */
  readonly always: boolean;
  /** Characters of the class in a row make one word. */
  readonly groups: boolean;
  /** Places of the words such a row can be. */
  words: readonly number[];
}

const RECORD_UNITS = 5;
const RECORD_BYTES = 2 * RECORD_UNITS;
const MOST_CACHED = 20_000;

/**
 * Records of words: left id, right id and cost as 16-bit numbers, then the place of the
 * description, 32 bits.
 */
interface Table {
  readonly records: Int16Array;
  readonly descriptions: Buffer;
}

export class Dictionary {
  readonly #base: Int32Array;
  readonly #check: Int32Array;
  readonly #known: Table;
  readonly #unknown: Table;
  /**
   * For each leaf of the trie where its list begins in `#lists`: the number of words, then their
   * records' places.
   */
  readonly #places: Int32Array;
  readonly #lists: Int32Array;
  readonly #classOf: Uint8Array;
  readonly #classes: readonly CharacterClass[];
  /** Cost of a word with a left id behind one with a right id: `costs[right * width + left]`. */
  readonly costs: Int16Array;
  readonly width: number;
  readonly #entries = new Map<number, Entry>();
  /** The nodes behind the root, by character, as far as they were asked for; 0 elsewhere. */
  readonly #firsts = new Int32Array(1 << 16);

  constructor(files: Readonly<Record<FileName, Buffer>>) {
    this.#base = int32(files.base);
    this.#check = int32(files.check);
    this.#known = { records: int16(files.tid), descriptions: files.tid_pos };
    this.#unknown = { records: int16(files.unk), descriptions: files.unk_pos };
    this.#lists = int32(files.tid_map);
    this.#places = listPlaces(this.#lists);
    this.#classOf = files.unk_char;
    this.#classes = classesIn(files.unk_invoke);
    for (const [id, words] of unknownWords(int32(files.unk_map))) this.#classes[id]!.words = words;
    const costs = int16(files.cc);
    this.width = costs[1]!;
    this.costs = costs.subarray(2);
  }

  /**
   * Steps of the trie: the node behind `node` over one character, or -1. Characters are stored as
   * UTF-8.
   */
  step(node: number, code: number): number {
    if (node !== 0) return this.#walk(node, code);
    let first = this.#firsts[code]!;
    if (first === 0) {
      first = this.#walk(0, code);
      this.#firsts[code] = first;
    }
    return first;
  }

  #walk(node: number, code: number): number {
    if (code < 0x80) return this.#byte(node, code);
    if (code < 0x800) return this.#byte(this.#byte(node, 0xc0 | (code >> 6)), 0x80 | (code & 63));
    const first = this.#byte(node, 0xe0 | (code >> 12));
    return this.#byte(this.#byte(first, 0x80 | ((code >> 6) & 63)), 0x80 | (code & 63));
  }

  #byte(node: number, byte: number): number {
    if (node < 0) return -1;
    const child = this.#base[node]! + byte;
    return this.#check[child] === node ? child : -1;
  }

  /** Where the list of words lies that the path to `node` writes; -1 where it writes none. */
  listAt(node: number): number {
    const leaf = this.#byte(node, 0);
    return leaf < 0 ? -1 : this.#places[-this.#base[leaf]! - 1]!;
  }

  /** How many words a list has. */
  wordsIn(list: number): number {
    return this.#lists[list]!;
  }

  /** The word of a list with a number from 1 on. */
  wordIn(list: number, number: number): number {
    return this.#lists[list + number]! / RECORD_BYTES;
  }

  characterClass(code: number): CharacterClass {
    return this.#classes[this.#classOf[code]!] ?? this.#classes[0]!;
  }

  /**
   * Words are numbers: those the dictionary knows from 0 on, what stands for unknown ones below.
   */
  leftId(word: number): number {
    return word < 0 ? this.#unknown.records[~word * RECORD_UNITS]! : this.#known.records[word * RECORD_UNITS]!;
  }

  rightId(word: number): number {
    return word < 0 ? this.#unknown.records[~word * RECORD_UNITS + 1]! : this.#known.records[word * RECORD_UNITS + 1]!;
  }

  cost(word: number): number {
    return word < 0 ? this.#unknown.records[~word * RECORD_UNITS + 2]! : this.#known.records[word * RECORD_UNITS + 2]!;
  }

  entry(word: number): Entry {
    let entry = this.#entries.get(word);
    if (entry === undefined) {
      const { records, descriptions } = word < 0 ? this.#unknown : this.#known;
      const at = (word < 0 ? ~word : word) * RECORD_UNITS + 3;
      const from = (records[at]! & 0xffff) | (records[at + 1]! << 16);
      const fields = descriptions.toString('utf8', from, descriptions.indexOf(0, from)).split(',');
      const [, kind = '*', detail = '*', subdetail = '*', , , form = '*', base = '*', , sound = ''] = fields;
      entry = { kind, detail, subdetail, form, base, sound: sound === '*' ? '' : sound };
      if (this.#entries.size === MOST_CACHED) this.#entries.clear();
      this.#entries.set(word, entry);
    }
    return entry;
  }
}

const FILES = [
  'base',
  'check',
  'tid',
  'tid_pos',
  'tid_map',
  'cc',
  'unk',
  'unk_pos',
  'unk_map',
  'unk_char',
  'unk_invoke',
] as const;
type FileName = (typeof FILES)[number];

/** Reads the dictionary from its folder. Rejects as `readFile` does where a file is not there. */
export async function loadDictionary(folder: string): Promise<Dictionary> {
  const read = async (name: FileName) => {
    const bytes = await unzip(await readFile(path.join(folder, `${name}.dat.gz`)));
    return [name, withoutPadding(bytes)] as const;
  };
  return new Dictionary(Object.fromEntries(await Promise.all(FILES.map(read))) as Record<FileName, Buffer>);
}

/** Tables were written with room to spare, megabytes of zeros. */
function withoutPadding(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  // A last number may itself end in zeros.
  const size = Math.min(bytes.length, (end + 16) & ~7);
  return size < bytes.length * 0.9 ? Buffer.from(bytes.subarray(0, size)) : bytes;
}

const int32 = ({ buffer, byteOffset, length }: Buffer): Int32Array => new Int32Array(buffer, byteOffset, length >> 2);
const int16 = ({ buffer, byteOffset, length }: Buffer): Int16Array => new Int16Array(buffer, byteOffset, length >> 1);

/**
 * The map's file is a count, then for each leaf its number, how many words it has, and their
 * places.
 */
function listPlaces(map: Int32Array): Int32Array {
  const leaves = map[0]!;
  let last = 1;
  for (let at = 1, i = 0; i < leaves; i++) {
    last = at;
    at += 2 + map[at + 1]!;
  }
  // Leaves are numbered with gaps, in rising order.
  const places = new Int32Array(map[last]! + 1);
  for (let at = 1; at <= last; at += 2 + map[at + 1]!) places[map[at]!] = at + 1;
  return places;
}

function unknownWords(map: Int32Array): [number, number[]][] {
  const found: [number, number[]][] = [];
  for (let at = 1, i = 0; i < map[0]!; i++) {
    const words = Array.from(map.subarray(at + 2, at + 2 + map[at + 1]!), (place) => ~(place / RECORD_BYTES));
    found.push([map[at]!, words]);
    at += 2 + map[at + 1]!;
  }
  return found;
}

/** Two flags of a byte, the longest word as 32 bits (unused), the name of the class and a zero. */
function classesIn(bytes: Buffer): CharacterClass[] {
  const classes: CharacterClass[] = [];
  for (let at = 0; at + 6 < bytes.length; ) {
    const end = bytes.indexOf(0, at + 6);
    if (end <= at + 6) break;
    classes.push({ always: bytes[at] === 1, groups: bytes[at + 1] === 1, words: [] });
    at = end + 1;
  }
  return classes;
}
