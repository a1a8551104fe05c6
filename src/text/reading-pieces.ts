/** A normalised text as words and signs, each with the characters it stands for. */
import type { Language } from '../protocol/job.js';
import type { FrontEnd } from './front-end.js';
import type { Normalized } from './types.js';

export interface Range {
  readonly start: number;
  readonly end: number;
}

export type Item = Range &
  (
    | {
        readonly kind: 'word';
        readonly text: string;
        readonly phonemes?: string | undefined;
        readonly language?: Language;
      }
    | { readonly kind: 'sign'; readonly symbol: string }
    | { readonly kind: 'silence'; readonly ms: number }
  );

/** Rows of letters, words, white space, runs of dots, and whatever else stands there. */
const PIECES =
  /([A-Z](?:\.[A-Z])+(?:['’]?s)?(?![\p{L}\p{N}])|[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*)|(\s+)|(\.{2,}|([!?])\4*|[-–—]+|[\s\S])/gu;
/** White space, runs of dots and marks, and whatever else stands between words. */
const MARKS = /(\s+)|\.{2,}|([!?])\2*|[-–—]+|[\s\S]/gu;
/** What makes a piece of normalised text a word that can be said. */
export const READABLE = /[\p{Script=Latin}\p{N}]/u;
const ASCII = /^[\x20-\x7e]*$/;
const LETTERS_AT_ONCE = 12;

/**
 * Marks of other kinds and the ones of the model's alphabet they stand for. Empty: heard in nothing
 * but the words. A wide mark brings the space that Latin text writes beside its own.
 */
const SIGNS: Readonly<Record<string, string>> = {
  '-': '',
  "'": '',
  '‘': '',
  '’': '',
  '*': '',
  _: '',
  '`': '',
  '~': '',
  '|': ',',
  '[': '(',
  ']': ')',
  '{': '(',
  '}': ')',
  '«': '“',
  '»': '”',
  '‹': '“',
  '›': '”',
  '„': '“',
  '‟': '“',
  '。': '. ',
  '、': ', ',
  '，': ', ',
  '！': '! ',
  '？': '? ',
  '；': '; ',
  '：': ': ',
  '।': '.',
  '؟': '?',
  '،': ',',
  '¿': '',
  '¡': '',
  '「': ' “',
  '」': '” ',
  '『': ' “',
  '』': '” ',
  '《': ' “',
  '》': '” ',
  '（': ' (',
  '）': ') ',
  '【': ' “',
  '】': '” ',
  '〈': ' “',
  '〉': '” ',
  '〔': ' (',
  '〕': ') ',
  '॥': '.',
  '\u00ad': '',
  '\u200b': '',
  '\u200d': '',
  '\ufeff': '',
};

/** The symbols of the model's alphabet that a mark stands for. */
export const markSymbols = (mark: string): string => SIGNS[mark] ?? mark;

interface Collected {
  readonly items: Item[];
  readonly skipped: Record<string, number>;
  readonly front: FrontEnd;
}

/** Words as the front end finds them, and the marks between them. */
function collectFound(
  { text, starts, ends }: Normalized,
  range: (start: number, end: number) => Range,
  { items, front }: Collected,
): void {
  const stretch = (from: number, to: number) => range(starts[from]!, ends[to - 1]!);
  const marks = (from: number, to: number) => {
    if (from === to) return;
    for (const { 0: piece, 1: space, index } of text.slice(from, to).matchAll(MARKS)) {
      const where = stretch(from + index, from + index + piece.length);
      if (space !== undefined) items.push({ kind: 'sign', symbol: ' ', start: where.start, end: where.end });
      else {
        for (const symbol of signOf(piece, items))
          items.push({ kind: 'sign', symbol, start: where.start, end: where.end });
      }
    }
  };
  let at = 0;
  for (const { start, end, phonemes, joined } of front.words!(text)) {
    marks(at, start);
    const where = stretch(start, end);
    if (!joined && items.at(-1)?.kind === 'word')
      items.push({ kind: 'sign', symbol: ' ', start: where.start, end: where.start });
    items.push({ kind: 'word', text: text.slice(start, end), phonemes, start: where.start, end: where.end });
    at = end;
  }
  marks(at, text.length);
}

/**
 * Adds the words and signs of a normalised text; `range` tells the characters of the segment behind
 * those of the text.
 */
export function collect(
  normalized: Normalized,
  range: (start: number, end: number) => Range,
  { items, skipped, front }: Collected,
): void {
  if (front.words) {
    collectFound(normalized, range, { items, skipped, front });
    return;
  }
  const { text, starts, ends } = normalized;
  const { readable = READABLE, joinLetters } = front;
  const joined = joinLetters ? partedLetters(text, joinLetters(text), starts, ends) : text;
  for (const match of joined.matchAll(PIECES)) {
    const { index } = match;
    const [piece, word, space] = match;
    const where = range(starts[index]!, ends[index + piece.length - 1]!);
    if (word !== undefined) {
      for (const part of wordParts(word)) {
        if (readable.test(part)) items.push({ kind: 'word', text: part, start: where.start, end: where.end });
        else skipped.script = (skipped.script ?? 0) + [...part].length;
      }
    } else if (space !== undefined) {
      items.push({ kind: 'sign', symbol: ' ', start: where.start, end: where.end });
    } else {
      for (const symbol of signOf(piece, items)) items.push({ kind: 'sign', symbol, ...where });
    }
  }
}

/** Rows of letters joined, each for itself: between those of "SQL API" the source shows a gap. */
function partedLetters(text: string, joined: string, starts: readonly number[], ends: readonly number[]): string {
  let out = joined;
  for (const { index } of out.matchAll(/(?<=\b[A-Z])\.(?=[A-Z](?![a-z]))/g)) {
    if (text[index] !== ' ' || starts[index + 1]! <= ends[index - 1]!) continue;
    out = `${out.slice(0, index)} ${out.slice(index + 1)}`;
  }
  return out;
}

/** A long row of letters is said in breaths. */
function wordParts(word: string): string[] {
  const plain = ASCII.test(word) ? word : word.normalize('NFC').replace(/’/g, "'");
  if (!plain.includes('.') || plain.length < LETTERS_AT_ONCE * 2) return [plain];
  const letters = plain.split('.');
  const parts: string[] = [];
  for (let i = 0; i < letters.length; i += LETTERS_AT_ONCE) parts.push(letters.slice(i, i + LETTERS_AT_ONCE).join('.'));
  return parts;
}

function signOf(piece: string, items: readonly Item[]): string {
  if (/^\.{2,}$/.test(piece)) return '…';
  if (/^[!?]+$/.test(piece)) return piece[0]!;
  if (/^[-–—]+$/.test(piece)) {
    if (piece !== '-') return '—';
    // A hyphen that stands alone is a dash; one at the edge of a word is nothing.
    return items.at(-1)?.kind === 'sign' ? '—' : '';
  }
  if (piece === '"') {
    const last = items.at(-1);
    return last === undefined || last.kind === 'silence' || (last.kind === 'sign' && /[ (“—]/u.test(last.symbol))
      ? '“'
      : '”';
  }
  return markSymbols(piece);
}
