/**
 * Whether the mark behind a word ends a sentence, a clause or nothing, judged by the words around
 * it.
 */

import { characterIs, IS, IS_MARK } from '../character-kinds.js';

/** How good a place is for a cut. */
export const RANK = { inside: 0, word: 1, weak: 2, strong: 3, sentence: 4, paragraph: 5 } as const;
export type Rank = (typeof RANK)[keyof typeof RANK];

/** What the next word begins with. */
export type Next = 'upper' | 'lower' | 'digit' | 'other' | 'label' | 'capitals' | 'opener';

export interface Mark {
  /** The code point. */
  code: number;
  /** The word in front of it. */
  readonly word: string;
  dots: number;
  closed: boolean;
  quoted: boolean;
}

/** What the stops behind words mean in a language. All in small letters, without the final stop. */
export interface SentenceWords {
  /** A name or a continuation follows: never a sentence end. */
  readonly leading: ReadonlySet<string>;
  /** No sentence end before a digit, nor before a small letter. */
  readonly beforeNumber: ReadonlySet<string>;
  /** No sentence end before a small letter. */
  readonly beforeSmall: ReadonlySet<string>;
  /** A comma before one of these parts two clauses. */
  readonly clauseStarts: ReadonlySet<string>;
  /** The same, unless they end a list. */
  readonly joining: ReadonlySet<string>;
  /** What they begin belongs to the words before: no rest there. */
  readonly relative: ReadonlySet<string>;
  /** A sentence that begins so has its first comma where its main clause begins. */
  readonly introducing: ReadonlySet<string>;
  /**
   * One who draws breath without a mark does so before one of these: best where a clause begins,
   * else where a phrase does.
   */
  readonly clauseOpeners: ReadonlySet<string>;
  readonly phraseOpeners: ReadonlySet<string>;
  /** No breath is drawn behind these, nor behind those that call for a "to" before it. */
  readonly clinging: ReadonlySet<string>;
  readonly leadingTo: ReadonlySet<string>;
  /** What a "to" is that `leadingTo` speaks of. */
  readonly ledTo: ReadonlySet<string>;
  /** A single letter behind one of these is a label ("vitamin C."), not the initial of a name. */
  readonly labelled: ReadonlySet<string>;
  /**
   * Behind these a single capital letter is a label ("App. B"), and two of them a time zone ("5
   * p.m. EST").
   */
  readonly labelling?: RegExp;
  /**
   * Words behind those that are no beginning of a sentence though they have a capital ("9 a.m.
   * Sat.").
   */
  readonly labels?: RegExp;
  /**
   * Capital letters that are words where a sentence ends ("It is I."), and those that are where one
   * begins.
   */
  readonly letterWords: ReadonlySet<string>;
  readonly letterStarts: ReadonlySet<string>;
  /**
   * Rows of letters with stops between them that may end a sentence where a capital follows: "a.m".
   */
  readonly dottedEnds: ReadonlySet<string>;
  /**
   * Words that open sentences and are no names: a stop before one of them, with its capital, is a
   * full stop also behind an abbreviation ("in the U.S. In May they married").
   */
  readonly starters?: ReadonlySet<string>;
  /** Abbreviations whose stop is never a full stop, whatever follows: "Mr", "vs". */
  readonly strict?: ReadonlySet<string>;
  /** An abbreviation and the word behind it that belong together: "Ford Corp. President". */
  readonly pairs?: RegExp;
  /** Behind these also a letter that may be a word is a label: "Fig. A". */
  readonly lettered?: RegExp;
  /** Names of zones behind a time of day ("5 p.m. London time"), and what may become one. */
  readonly zones?: { readonly whole: RegExp; readonly begun: RegExp };
  /** A first word that introduces by its form ("Suddenly, …"). */
  readonly introducingForm?: RegExp;
}

/** Words parted by white space. */
const wordsOf = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/).filter((word) => word !== ''));

type Lists = {
  readonly [K in keyof SentenceWords as SentenceWords[K] extends ReadonlySet<string> ? K : never]?: string;
};

/**
 * The sentence words of a language from lists of words parted by white space; what is left out is
 * empty.
 */
export const createSentenceWords = (
  lists: Lists,
  forms: Pick<SentenceWords, 'labelling' | 'labels' | 'introducingForm'> = {},
): SentenceWords => ({
  leading: wordsOf(lists.leading ?? ''),
  beforeNumber: wordsOf(lists.beforeNumber ?? ''),
  beforeSmall: wordsOf(lists.beforeSmall ?? ''),
  clauseStarts: wordsOf(lists.clauseStarts ?? ''),
  joining: wordsOf(lists.joining ?? ''),
  relative: wordsOf(lists.relative ?? ''),
  introducing: wordsOf(lists.introducing ?? ''),
  clauseOpeners: wordsOf(lists.clauseOpeners ?? ''),
  phraseOpeners: wordsOf(lists.phraseOpeners ?? ''),
  clinging: wordsOf(lists.clinging ?? ''),
  leadingTo: wordsOf(lists.leadingTo ?? ''),
  ledTo: wordsOf(lists.ledTo ?? ''),
  labelled: wordsOf(lists.labelled ?? ''),
  letterWords: wordsOf(lists.letterWords ?? ''),
  letterStarts: wordsOf(lists.letterStarts ?? ''),
  dottedEnds: wordsOf(lists.dottedEnds ?? ''),
  ...forms,
});

/** How surely a comma ends a clause, so that what stands before it may be the first thing heard. */
export type Clause = 'surely' | 'likely' | 'no';

export interface CommaContext {
  readonly words: SentenceWords;
  /** The word behind the comma and the first one of the sentence, in small letters. */
  readonly next: string;
  readonly opening: string;
  /** Words since the comma before, or since the sentence began. */
  readonly since: number;
  /**
   * Commas before this one, and whether one of them closed a stretch as short as an item of a list.
   */
  readonly earlier: number;
  readonly listed: boolean;
}

const BEGINNINGS = new WeakMap<SentenceWords, ReadonlySet<string>>();

/**
 * What the words begin with that `clauseAt` looks for behind a comma, the whole of them included.
 */
export function clauseBeginnings(words: SentenceWords): ReadonlySet<string> {
  const known = BEGINNINGS.get(words);
  if (known) return known;
  const all = [...words.relative, ...words.clauseStarts, ...words.joining];
  const found = new Set(all.flatMap((word) => Array.from({ length: word.length + 1 }, (_, i) => word.slice(0, i))));
  BEGINNINGS.set(words, found);
  return found;
}

/** Fewer words than these between two commas may be an item of a list. */
export const ITEM_WORDS = 4;

export function clauseAt({ words, next, opening, since, earlier, listed }: CommaContext): Clause {
  if (words.relative.has(next)) return 'no';
  if (words.clauseStarts.has(next)) return 'surely';
  const item = listed || (earlier > 0 && since < ITEM_WORDS);
  if (words.joining.has(next)) return item || since < ITEM_WORDS ? 'no' : 'surely';
  if (earlier === 0 && (words.introducing.has(opening) || words.introducingForm?.test(opening))) return 'surely';
  return item || since <= ITEM_WORDS ? 'no' : 'likely';
}

export interface MarkContext {
  readonly words: SentenceWords;
  /** The word before the one that carries the mark. */
  readonly previous: string;
  /** The word that carries the mark is the first of its sentence. */
  readonly first: boolean;
}

/**
 * Whether more of the next word than its first letter has to be seen to rank the mark behind a
 * word.
 */
export function looksAhead(mark: Mark, words: SentenceWords): boolean {
  if (mark.code !== STOP) return false;
  if (mark.word.length > LONGEST_SHORTENED && !mark.word.includes('.')) return false;
  if (words.labelling?.test(mark.word)) return true;
  if (words.starters === undefined) return false;
  // Behind an ordinary word a stop ends the sentence, whatever follows.
  const word = wordOf(mark.word).toLowerCase();
  return word.length < 2 || isDotted(word) || words.leading.has(word);
}

/** Letters of the longest abbreviation that has a say, with a mark or two before it. */
const LONGEST_SHORTENED = 8;

/** A word without the marks before it, and without what a slash or a dash parts from it. */
function wordOf(written: string): string {
  if (written === '') return '';
  const begins = characterIs(written.charCodeAt(0)) & (IS.lower | IS.upper | IS.digit);
  const shown = begins ? written : written.replace(/^[^\p{L}\p{N}]+/u, '');
  const parted = Math.max(
    shown.lastIndexOf('/'),
    shown.lastIndexOf('–'),
    /^[\d.,]+-/.exec(shown) ? shown.lastIndexOf('-') : -1,
  );
  return shown.slice(parted + 1);
}

const isDotted = (word: string): boolean =>
  word.includes('.') && /^(?:(?:\p{L}\p{M}*){1,3}\.-?)+(?:\p{L}\p{M}*){1,3}$/u.test(word);

const STOP = 0x2e;
const ELLIPSIS = 0x2026;
const EN_DASH = 0x2013;

/** What `characterIs` knows of the sign that a mark is. */
export const markIs = (mark: Mark): number => characterIs(mark.code);

/** The mark that stands after a sign was read: a new one, the same with more to it, or none. */
export function markAfter(mark: Mark | null, code: number, word: () => string, startsWord: boolean): Mark | null {
  const is = characterIs(code);
  if (is & IS_MARK) {
    if (mark && !mark.closed && is & IS.end && markIs(mark) & (IS.end | IS.wideEnd)) {
      if (code === STOP || code === ELLIPSIS) mark.dots += code === ELLIPSIS ? 3 : 1;
      if (mark.code === STOP || mark.code === ELLIPSIS) mark.code = code;
      return mark;
    }
    const dots = code === STOP ? 1 : code === ELLIPSIS ? 3 : 0;
    return { code, word: mark?.word ?? word(), dots, closed: false, quoted: false };
  }
  if (mark && is & IS.closer) {
    mark.closed = true;
    if (is & IS.quote) mark.quoted = true;
    return mark;
  }
  // A dash between spaces parts clauses; one inside a word does not.
  return code === 0x2d /* - */ && startsWord
    ? { code: EN_DASH, word: '', dots: 0, closed: false, quoted: false }
    : null;
}

export function rankOf(mark: Mark, next: Next, context: MarkContext): Rank {
  const { code } = mark;
  const is = markIs(mark);
  if (is & IS.weak) return next === 'digit' && code === 0x2c /* , */ ? RANK.word : RANK.weak;
  if (is & IS.strong) return RANK.strong;
  if (is & IS.wideEnd) return RANK.sentence;
  // "Really?" she asked.
  if (next === 'lower' && mark.quoted) return RANK.weak;
  if (code === ELLIPSIS || mark.dots > 1) {
    if (code === 0x21 /* ! */ || code === 0x3f /* ? */) return RANK.sentence;
    return next === 'lower' || next === 'digit' ? RANK.weak : RANK.sentence;
  }
  return code === STOP ? rankOfStop(mark, next, context) : RANK.sentence;
}

function rankOfStop(mark: Mark, next: Next, context: MarkContext): Rank {
  if (mark.word === '') return RANK.sentence;
  const shown = wordOf(mark.word);
  const word = shown.toLowerCase();
  if (word === '') return RANK.sentence;
  // "1. Open the box", at the head of a sentence or behind a colon
  if (/^\d{1,3}$/.test(word) && (context.first || /[:;]$/.test(context.previous))) return RANK.word;
  if (context.words.leading.has(word)) {
    return next === 'opener' && !context.words.strict?.has(word) ? RANK.sentence : RANK.word;
  }
  if (word.length < 3 && /^\p{L}$/u.test(word)) return rankOfInitial(shown, next, context);
  if (next === 'label') return RANK.word;
  if (isDotted(word)) {
    if (next === 'opener') return RANK.sentence;
    if (next === 'digit' && context.words.beforeNumber.has(word)) return RANK.word;
    return context.words.dottedEnds.has(word) && next !== 'lower' && next !== 'capitals' ? RANK.sentence : RANK.word;
  }
  if (next === 'digit' && context.words.beforeNumber.has(word)) return RANK.word;
  // Without a vowel it is an abbreviation, whether a list has it or not: "5 mg. per day".
  if (next === 'lower' && /^[bcdfghjklmnpqrstvwxz]{2,6}$/.test(word)) return RANK.word;
  if (next === 'lower' && (context.words.beforeSmall.has(word) || context.words.beforeNumber.has(word)))
    return RANK.word;
  return RANK.sentence;
}

/** One letter and a stop: an initial of a name, or a label such as "vitamin C". */
function rankOfInitial(letter: string, next: Next, context: MarkContext): Rank {
  const previous = context.previous.replace(/[^\p{L}\p{N}]+/gu, '');
  if (context.words.labelled.has(previous.toLowerCase())) return RANK.sentence;
  if (next === 'digit') return context.words.beforeNumber.has(letter) ? RANK.word : RANK.sentence;
  if (next === 'opener') return RANK.sentence;
  if (context.words.letterWords.has(letter) && !/^\p{Lu}/u.test(previous) && !context.first) return RANK.sentence;
  if (/^\p{N}+$/u.test(previous)) return next === 'lower' ? RANK.word : RANK.sentence;
  return RANK.word;
}
