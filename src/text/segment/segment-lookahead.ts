/**
 * The few questions that only the characters ahead can answer: the next word's first letter,
 * footnotes.
 */
import { characterIs, IS } from '../character-kinds.js';
import type { Mark, Next, SentenceWords } from './sentence-ends.js';

/**
 * What the next word begins with, behind opening quotes and brackets; null if the text does not
 * show it yet.
 */
export function nextKind(text: string, from: number, final: boolean, further?: Further): Next | null {
  let i = from;
  for (let skipped = 0; skipped < 4 && i < text.length; skipped += 1) {
    const code = text.charCodeAt(i);
    if (code !== 32 && code !== 0xa0 && code !== 0x202f && !(characterIs(code) & IS.opener)) break;
    i += 1;
  }
  if (i >= text.length) return final ? 'other' : null;
  const code = text.charCodeAt(i);
  if (code >= 0xd800 && code < 0xdc00 && i + 1 === text.length && !final) return null;
  const is = characterIs(text.codePointAt(i)!);
  if (is & IS.lower) return 'lower';
  if (is & IS.upper) return further ? capitalKind(text, i, final, further) : 'upper';
  return is & IS.digit ? 'digit' : 'other';
}

/**
 * The next word in small letters, no more of it than tells it from others; null if the text does
 * not show its end yet. Given what the words that matter begin with, one that begins like none of
 * them is told before its end.
 */
export function nextWord(text: string, from: number, final: boolean, beginnings?: ReadonlySet<string>): string | null {
  let end = from;
  const most = Math.min(text.length, from + LONGEST_STARTER);
  while (end < most && (characterIs(text.charCodeAt(end)) & IS.letter || text[end] === "'" || text[end] === '’'))
    end += 1;
  const word = text.slice(from, end).toLowerCase().replace('’', "'");
  const open = end === text.length && !final && end - from < LONGEST_STARTER;
  return open && (beginnings === undefined || beginnings.has(word)) ? null : word;
}

const LONGEST_STARTER = 12;

/** Where more of the next word than its first letter tells what the mark is. */
export interface Further {
  readonly words: SentenceWords;
  readonly mark: Mark;
}

const BEGINNINGS = new WeakMap<SentenceWords, ReadonlySet<string>>();

/** What the words begin with that open sentences, the whole of them included. */
function openerBeginnings(words: SentenceWords): ReadonlySet<string> {
  let known = BEGINNINGS.get(words);
  if (!known) {
    const all = [...(words.starters ?? [])];
    known = new Set(all.flatMap((word) => Array.from({ length: word.length + 1 }, (_, i) => word.slice(0, i))));
    BEGINNINGS.set(words, known);
  }
  return known;
}

/** What a capital letter behind an abbreviation begins. */
function capitalKind(text: string, from: number, final: boolean, { words, mark }: Further): Next | null {
  if (words.starters) {
    const word = nextWord(text, from, final, openerBeginnings(words));
    if (word === null) return null;
    const end = from + word.length;
    const small =
      word.length === 1 ? words.letterStarts.has(text[from]!) : characterIs(text.charCodeAt(from + 1)) & IS.lower;
    if (small && words.starters.has(word) && text[end] !== '-' && text[end] !== '.') return 'opener';
  }
  if (!words.labelling?.test(mark.word)) return 'upper';
  if (words.pairs) {
    if (!final && text.length < from + LONGEST_PAIR) return null;
    if (words.pairs.test(`${mark.word} ${text.slice(from, from + LONGEST_PAIR)}`)) return 'label';
  }
  const kind = labelKind(text, from, final, words);
  const alone = kind === 'upper' && text[from] !== 'I' && !(characterIs(text.charCodeAt(from + 1) || 32) & IS.letter);
  return alone && words.lettered?.test(mark.word) ? 'label' : kind;
}

/** A capital letter that stands alone, the first of two, or that of a word. */
function labelKind(text: string, from: number, final: boolean, words: SentenceWords): Next | null {
  if (from + 1 >= text.length) return final ? 'label' : null;
  const is = characterIs(text.charCodeAt(from + 1));
  if (is & IS.upper) {
    // "Ave. NW"
    if (!final && text.length < from + 3) return null;
    return DIRECTION.test(text.slice(from, from + 3)) ? 'label' : 'capitals';
  }
  if (!final && text.length < from + 4) return null;
  // "9 a.m. Sat.", "5 p.m. Eastern"
  if (words.labels?.test(text.slice(from, from + 4))) return 'capitals';
  const zones = words.zones;
  if (zones) {
    const ahead = text.slice(from, from + LONGEST_ZONE);
    if (zones.whole.test(ahead)) return 'capitals';
    if (!final && ahead.length < LONGEST_ZONE && zones.begun.test(ahead)) return null;
  }
  return is & IS.letter || words.letterStarts.has(text[from]!) ? 'upper' : 'label';
}

const DIRECTION = /^[NS][EW](?![A-Za-z])/;
const LONGEST_ZONE = 32;
/** Characters of the second word that tell a pair. */
const LONGEST_PAIR = 7;

/**
 * Whether "»" behind a space closes what was said, as in French; before a letter it opens. Null if
 * more text is needed.
 */
export function closesQuote(text: string, at: number, final: boolean): boolean | null {
  if (at + 1 >= text.length) return final ? true : null;
  return (characterIs(text.charCodeAt(at + 1)) & IS.letter) === 0;
}

/**
 * Length of a footnote reference such as `[12]` behind an end mark; 0 if it is none, -1 if more
 * text is needed.
 */
export function footnote(text: string, from: number, final: boolean): number {
  const window = text.slice(from, from + 5);
  if (!final && window.length < 5 && /^\[\d{0,3}$/.test(window)) return -1;
  return /^\[\d{1,3}\]/.exec(window)?.[0].length ?? 0;
}
