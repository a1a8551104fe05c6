/**
 * Parts of speech, as far as words written alike need them: an averaged perceptron that goes from
 * left to right. Its weights were learnt from sentences that Link Grammar had parsed
 * (scripts/tagger).
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SortedLines } from './sorted-lines.js';

const FILE = fileURLToPath(new URL('../../../../pronunciations/tagger.txt', import.meta.url));

/**
 * Noun, plural noun, verb, verb in the third person, past or participle, -ing form, adjective,
 * adverb, and everything else.
 */
export type Tag = 'N' | 'S' | 'V' | 'Z' | 'D' | 'G' | 'A' | 'R' | 'O';
/** @public for scripts/tagger, as all that is so marked here. */
export const TAGS = 'NSVZDGARO';
/** Stands in a list of words where the text has a mark. */
export const MARK = ',';
/** Words further to the left than this are not looked at. */
const REACH = 4;

/** Words that are no noun, verb, adjective or adverb. @public */
export const CLOSED: ReadonlySet<string> = new Set(
  `a an the this that these those my your his her its our their some any no each every another either neither both all
   many few several much more most less such what which whose of in for with from on at by as about into over under
   between through during before after against among without within around across behind beyond near despite like upon
   toward towards per via onto off out until since than above below beneath beside besides except inside outside
   throughout to up down will would can could should may might must shall do does did don't doesn't didn't cannot can't
   won't wouldn't couldn't shouldn't have has had having is are was were be been being am i we you he she it they me him
   us them who whom myself himself herself itself themselves and or but nor yet so because if when while although though
   unless whether where why how not never there here then let let's i'll we'll you'll they'll i've you've we've they've
   i'm he's she's it's that's there's we're they're you're isn't aren't wasn't weren't haven't hasn't hadn't
   please everything nothing something anything everyone everybody nobody somebody someone anyone anybody none one two
   three four five six seven eight nine ten hundred thousand million he'll she'll it'll i'd we'd you'd they'd he'd she'd
   mustn't needn't who's what's`.split(/\s+/),
);

/** What a word may be by its ending, where the list does not have it. */
const ENDINGS: readonly (readonly [RegExp, string])[] = [
  [/ing$/, 'G'],
  [/ed$/, 'D'],
  [/ly$/, 'R'],
  [/(?:ous|ful|ive|able|ible|ic|al|less|ish|ary)$/, 'A'],
  [/(?:tion|ment|ness|ity|ism|er|or|ist|ship|hood|ance|ence|age)$/, 'N'],
  [/(?:ize|ise|ify)$/, 'V'],
  [/[^su]s$/, 'SZ'],
];

/** What listed words may be, as the letters of their tags. */
type Classes = Pick<ReadonlyMap<string, string>, 'get' | 'has'>;

interface Model {
  readonly classes: Classes;
  /** Weights such as "N12 V-9" by their feature. */
  readonly weights: SortedLines;
  /** The features looked up so far, with a weight for each tag; null for an unlisted feature. */
  readonly known: Map<string, Float64Array | null>;
}

const MOST_KNOWN = 20_000;

let loaded: Model | undefined;

/** The file has two lists, with an empty line between them. */
function model(): Model {
  if (loaded) return loaded;
  const bytes = readFileSync(FILE);
  const end = bytes.indexOf('\n\n') + 1;
  loaded = {
    classes: new SortedLines(bytes, ' ', 0, end),
    weights: new SortedLines(bytes, '\t', end + 1),
    known: new Map(),
  };
  return loaded;
}

function weightsOf({ weights, known }: Model, feature: string): Float64Array | null {
  const before = known.get(feature);
  if (before !== undefined) return before;
  const line = weights.get(feature);
  const parsed = line === undefined ? null : new Float64Array(TAGS.length);
  for (const weight of line?.split(' ') ?? []) parsed![TAGS.indexOf(weight[0]!)] = Number(weight.slice(1));
  if (known.size === MOST_KNOWN) known.clear();
  known.set(feature, parsed);
  return parsed;
}

/** @public */
export const classByEnding = (word: string): string => ENDINGS.find(([ending]) => ending.test(word))?.[1] ?? 'N';

function classOf(classes: Classes, word: string): string {
  if (word === '' || word === MARK) return '_';
  if (CLOSED.has(word)) return 'O';
  return classes.get(word) ?? classByEnding(word);
}

/** What may be told from a place: the words around it and the tags to its left. @public */
export function featuresAt(
  classes: Classes,
  words: readonly string[],
  at: number,
  last: string,
  before: string,
): string[] {
  const word = words[at]!;
  const name = (by: number) => words[at + by] || '^';
  const own = classOf(classes, word);
  const next = classOf(classes, words[at + 1] ?? '');
  const kind = own.includes('N') && own.includes('V') ? 'x' : 'y';
  const left = name(-1);
  const right = name(1);
  return [
    'b',
    `a${own}`,
    classes.has(word) ? 's' : `s${word.slice(-3)}`,
    `w${word}`,
    `1${last}`,
    `2${before}${last}`,
    `3${last}${own}`,
    `p${left}`,
    `q${name(-2)} ${left}`,
    `r${left} ${own}`,
    `n${right}`,
    `m${right} ${own}`,
    `o${next}`,
    `c${next} ${own}`,
    `d${next}${classOf(classes, words[at + 2] ?? '')} ${own}`,
    `e${last} ${next} ${own}`,
    `f${left} ${next}`,
    `g${left} ${right}`,
    `h${before}${last} ${own}`,
    `i${last} ${right} ${own}`,
    `j${name(-2)} ${last} ${own}`,
    `k${name(2)} ${next}`,
    `R${left} ${kind}`,
    `T${last}${kind}`,
    `U${last} ${next} ${kind}`,
  ];
}

/** What was found by the words around, as a text is looked at more than once. */
const found = new Map<string, Tag>();
const MOST_FOUND = 2_000;

/**
 * The tag of the word at a place. `words` are in small letters, with a MARK where the text has one.
 * `among` are the tags that the word can have, all of them where nothing is said.
 */
export function tagAt(words: readonly string[], at: number, among?: string): Tag {
  const from = Math.max(0, at - REACH);
  // Every word that a feature of any of these places looks at.
  const first = Math.max(0, from - 2);
  const around = `${among ?? ''} ${at - first} ${words.slice(first, at + 3).join(' ')}`;
  const known = found.get(around);
  if (known !== undefined) return known;
  const the = model();
  let last = '^';
  let before = '^';
  for (let place = from; place < at; place += 1) {
    const tag = tagOne(the, words, place, last, before, undefined);
    before = last;
    last = tag;
  }
  const tag = tagOne(the, words, at, last, before, among);
  if (found.size === MOST_FOUND) found.clear();
  found.set(around, tag);
  return tag;
}

function tagOne(
  the: Model,
  words: readonly string[],
  at: number,
  last: string,
  before: string,
  among: string | undefined,
): Tag {
  const word = words[at]!;
  if (among === undefined && (word === MARK || CLOSED.has(word))) return 'O';
  const allowed = among ?? the.classes.get(word) ?? TAGS;
  if (allowed.length === 1) return allowed as Tag;
  const scores = new Float64Array(TAGS.length);
  for (const feature of featuresAt(the.classes, words, at, last, before)) {
    const weights = weightsOf(the, feature);
    if (weights) for (let tag = 0; tag < scores.length; tag += 1) scores[tag]! += weights[tag]!;
  }
  let best = allowed[0]!;
  for (const tag of allowed) if (scores[TAGS.indexOf(tag)]! > scores[TAGS.indexOf(best)]!) best = tag;
  return best as Tag;
}
