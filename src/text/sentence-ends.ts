/** Whether the mark behind a word ends a sentence, a clause or nothing, judged by the words around it. */
import { BEFORE_NUMBER, BEFORE_SMALL, LABELLED, LEADING } from './segment-abbreviations.js';

/** How good a place is for a cut. */
export const RANK = { inside: 0, word: 1, weak: 2, strong: 3, sentence: 4, paragraph: 5 } as const;
export type Rank = (typeof RANK)[keyof typeof RANK];

/** What the next word begins with. */
export type Next = 'upper' | 'lower' | 'digit' | 'other';

export interface Mark {
  char: string;
  /** The word in front of it. */
  readonly word: string;
  dots: number;
  closed: boolean;
  quoted: boolean;
}

export interface MarkContext {
  /** The word before the one that carries the mark. */
  readonly previous: string;
  /** The word that carries the mark is the first of its sentence. */
  readonly first: boolean;
}

export const CLOSERS: ReadonlySet<string> = new Set('"\'”’»)]}*_`~›）」』】〉》');
const QUOTES: ReadonlySet<string> = new Set('"\'”’»›」』');
export const OPENERS: ReadonlySet<string> = new Set('"\'“‘«‹([{*_`~¿¡「『（【<');
/** Ends that need no white space behind them. */
export const WIDE_ENDS: ReadonlySet<string> = new Set('。！？｡।॥።។။');
export const ENDS: ReadonlySet<string> = new Set('.!?…‼⁇⁈⁉؟۔։');
export const STRONG: ReadonlySet<string> = new Set(':;；：؛');
export const WEAK: ReadonlySet<string> = new Set(',—–，、،');
export const WIDE_CLAUSES: ReadonlySet<string> = new Set('；：，、—');

/** The mark that stands after a sign was read: a new one, the same with more to it, or none. */
export function markAfter(mark: Mark | null, char: string, word: () => string, startsWord: boolean): Mark | null {
  const ending = ENDS.has(char);
  if (ending || WIDE_ENDS.has(char) || STRONG.has(char) || WEAK.has(char)) {
    if (mark && !mark.closed && ending && (ENDS.has(mark.char) || WIDE_ENDS.has(mark.char))) {
      if (char === '.' || char === '…') mark.dots += char === '…' ? 3 : 1;
      if (mark.char === '.' || mark.char === '…') mark.char = char;
      return mark;
    }
    const dots = char === '.' ? 1 : char === '…' ? 3 : 0;
    return { char, word: mark?.word ?? word(), dots, closed: false, quoted: false };
  }
  if (mark && CLOSERS.has(char)) {
    mark.closed = true;
    if (QUOTES.has(char)) mark.quoted = true;
    return mark;
  }
  // A dash between spaces parts clauses; one inside a word does not.
  return char === '-' && startsWord ? { char: '–', word: '', dots: 0, closed: false, quoted: false } : null;
}

export function rankOf(mark: Mark, next: Next, context: MarkContext): Rank {
  const { char } = mark;
  if (WEAK.has(char)) return next === 'digit' && char === ',' ? RANK.word : RANK.weak;
  if (STRONG.has(char)) return RANK.strong;
  if (WIDE_ENDS.has(char)) return RANK.sentence;
  // "Really?" she asked.
  if (next === 'lower' && mark.quoted) return RANK.weak;
  if (char === '…' || mark.dots > 1) {
    if (char === '!' || char === '?') return RANK.sentence;
    return next === 'lower' || next === 'digit' ? RANK.weak : RANK.sentence;
  }
  return char === '.' ? rankOfStop(mark, next, context) : RANK.sentence;
}

function rankOfStop(mark: Mark, next: Next, context: MarkContext): Rank {
  const shown = mark.word.replace(/^[^\p{L}\p{N}]+/u, '');
  const word = shown.toLowerCase();
  if (word === '') return RANK.sentence;
  // "1. Open the box", at the head of a sentence or behind a colon
  if (/^\d{1,3}$/.test(word) && (context.first || /[:;]$/.test(context.previous))) return RANK.word;
  if (LEADING.has(word)) return RANK.word;
  if (/^\p{L}$/u.test(word)) return rankOfInitial(shown, next, context);
  const dotted = /^(?:\p{L}{1,3}\.)+\p{L}{1,3}$/u.test(word);
  if (dotted) return (word === 'a.m' || word === 'p.m') && next !== 'lower' ? RANK.sentence : RANK.word;
  if (next === 'digit' && BEFORE_NUMBER.has(word)) return RANK.word;
  if (next === 'lower' && (BEFORE_SMALL.has(word) || BEFORE_NUMBER.has(word))) return RANK.word;
  return RANK.sentence;
}

/** One letter and a stop: an initial of a name, or a label such as "vitamin C". */
function rankOfInitial(letter: string, next: Next, context: MarkContext): Rank {
  const previous = context.previous.replace(/[^\p{L}\p{N}]+/gu, '');
  if (LABELLED.has(previous.toLowerCase())) return RANK.sentence;
  if (next === 'digit') return BEFORE_NUMBER.has(letter) ? RANK.word : RANK.sentence;
  if (letter === 'I' && !/^\p{Lu}/u.test(previous) && !context.first) return RANK.sentence;
  if (/^\p{N}+$/u.test(previous)) return next === 'lower' ? RANK.word : RANK.sentence;
  return RANK.word;
}
