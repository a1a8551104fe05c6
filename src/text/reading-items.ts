/** A segment's spans as words, signs and silences, each with the characters of the segment it stands for. */
import { isWhiteSpace, trimEnd, trimStart } from '../protocol/characters.js';
import type { Segment, SegmentSpan } from '../protocol/job.js';
import type { FrontEnd, PhonemeAlphabet } from './front-end.js';
import type { Lexicon } from './lexicon.js';
import { joinLetters, normalize } from './normalize.js';
import { seenText } from './ssml/markup.js';
import type { Normalized } from './types.js';

interface Range {
  readonly start: number;
  readonly end: number;
}

export type Item = Range &
  (
    | { readonly kind: 'word'; readonly text: string; readonly phonemes?: string }
    | { readonly kind: 'sign'; readonly symbol: string }
    | { readonly kind: 'silence'; readonly ms: number }
  );

export interface Items {
  readonly items: readonly Item[];
  readonly normalized: string;
  readonly skipped: Record<string, number>;
}

/** Rows of letters, words, white space, runs of dots, and whatever else stands there. */
const PIECES =
  /([A-Z](?:\.[A-Z])+(?:['’]?s)?(?![\p{L}\p{N}])|[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*)|(\s+)|(\.{2,}|([!?])\4*|[-–—]+|[\s\S])/gu;
/** What makes a piece of normalised text a word that can be said. */
export const READABLE = /[\p{Script=Latin}\p{N}]/u;
const ASCII = /^[\x20-\x7e]*$/;
const LETTERS_AT_ONCE = 12;

/** Marks of other kinds and the ones of the model's alphabet they stand for. Empty: heard in nothing but the words. */
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
  '。': '.',
  '、': ',',
  '，': ',',
  '！': '!',
  '？': '?',
  '；': ';',
  '：': ':',
  '।': '.',
  '؟': '?',
  '،': ',',
  '\u00ad': '',
  '\u200b': '',
  '\u200d': '',
  '\ufeff': '',
};

/** `placed` false leaves the places out, for whoever only counts. */
export function itemsOf(segment: Segment, front: FrontEnd, lexicon?: Lexicon, placed = true): Items {
  const { language, alphabet } = front;
  const items: Item[] = [];
  const skipped: Record<string, number> = {};
  let normalized = '';
  const points = segment.spans.length > 0 ? [...segment.text] : [];

  const show = (text: string) => {
    normalized += `${normalized === '' || /\s$/.test(normalized) ? '' : ' '}${text}`;
  };
  const space = (at: number) => {
    const last = items.at(-1);
    if (last && !(last.kind === 'sign' && last.symbol === ' '))
      items.push({ kind: 'sign', symbol: ' ', start: at, end: at });
  };
  /** Adds a normalised text; `range` tells the characters of the segment behind those of what was normalised. */
  const add = (text: Normalized, range: (start: number, end: number) => Range) => {
    show(text.text);
    for (const [kind, chars] of Object.entries(text.skipped)) skipped[kind] = (skipped[kind] ?? 0) + chars;
    collect(text, placed ? range : nowhere, items, skipped);
  };
  /** Adds a stretch of text that may continue what was said before it. Spaces at its edges part words. */
  const addText = (text: string, seen: Seen, base: number) => {
    const lead = text.slice(0, text.length - trimStart(text).length);
    if (lead !== '') space(seen(base).start);
    const joined =
      lead === '' && items.at(-1)?.kind === 'word' ? (/^(?:['’]s(?!\p{L})|[,.;:!?…)”"]+)/u.exec(text)?.[0] ?? '') : '';
    if (joined !== '') {
      addJoined(joined, (start, end) => between(seen, base + start, base + end), items, alphabet);
      normalized += joined;
    }
    const after = text.slice(lead.length + joined.length);
    const inner = after.slice(0, after.length - trimStart(after).length);
    if (joined !== '' && inner !== '') space(seen(base + joined.length).start);
    const head = lead + joined + inner;
    const rest = trimEnd(text.slice(head.length));
    const from = base + [...head].length;
    if (rest !== '') add(normalize(rest, { language }), (start, end) => between(seen, from + start, from + end));
    if (text.length > lead.length && isWhiteSpace(text.charCodeAt(text.length - 1)))
      space(seen(base + [...text].length - 1).start);
  };

  for (const span of segment.spans) {
    const whole = { start: span.start, end: span.end };
    if (span.kind === 'break') {
      items.push({ kind: 'silence', ms: span.ms, ...whole });
      continue;
    }
    const seen = positions(span, points);
    const inner = { start: seen(0).start, end: seen(Number.POSITIVE_INFINITY).end };
    if (span.kind === 'phoneme') {
      items.push({ kind: 'word', text: span.text, phonemes: alphabet.fromIpa(span.ipa), ...inner });
      show(span.text);
    } else if (span.kind === 'sub') {
      add(normalize(span.alias, { language }), () => inner);
    } else if (span.kind === 'say-as') {
      if (items.at(-1)?.kind === 'word') space(inner.start);
      add(normalize(span.text, { sayAs: span.as, language }), (start, end) => between(seen, start, end));
    } else {
      let from = 0;
      let offset = 0;
      for (const { index, length, entry } of lexicon?.find(span.text) ?? []) {
        const plain = span.text.slice(from, index);
        if (plain !== '') addText(plain, seen, offset);
        offset += [...plain].length;
        const text = span.text.slice(index, index + length);
        const chars = [...text].length;
        const range = between(seen, offset, offset + chars);
        if (entry.kind === 'respelling') add(normalize(entry.text, { language }), () => range);
        else {
          items.push({ kind: 'word', text, phonemes: alphabet.fromIpa(entry.ipa), ...range });
          show(text);
        }
        offset += chars;
        from = index + length;
      }
      const rest = span.text.slice(from);
      if (rest !== '') addText(rest, seen, offset);
    }
  }
  return { items, normalized, skipped };
}

/** A possessive or a mark right behind a word whose sounds were given. */
function addJoined(
  text: string,
  range: (start: number, end: number) => Range,
  items: Item[],
  alphabet: PhonemeAlphabet,
): void {
  const last = items.at(-1);
  if (/^['’]s$/.test(text) && last?.kind === 'word') {
    const phonemes = alphabet.possessive(last.phonemes ?? '');
    items.push({ kind: 'word', text: "'s", phonemes, ...range(0, 2) });
    return;
  }
  for (const [index, symbol] of [...text].entries()) {
    items.push({ kind: 'sign', symbol: symbol === '"' ? '”' : symbol, ...range(index, index + 1) });
  }
}

const NOWHERE: Range = { start: 0, end: 0 };
const nowhere = () => NOWHERE;

type Seen = (index: number) => Range;

const between = (seen: Seen, start: number, end: number): Range => ({
  start: seen(start).start,
  end: end > start ? seen(end - 1).end : seen(start).start,
});

/** Where the characters of a span lie in the segment: one by one, unless the span holds tags or references. */
function positions(span: SegmentSpan, points: readonly string[]): Seen {
  const size = span.kind === 'text' ? [...span.text].length : -1;
  if (size === span.end - span.start) {
    return (index) => {
      const start = Math.min(span.start + index, span.end);
      return { start, end: Math.min(start + 1, span.end) };
    };
  }
  const { starts, ends } = seenText(points.slice(span.start, span.end).join(''));
  if (starts.length === 0) return () => ({ start: span.start, end: span.end });
  return (index) => {
    const at = Math.min(index, starts.length - 1);
    return { start: span.start + starts[at]!, end: span.start + ends[at]! };
  };
}

function collect(
  { text, starts, ends }: Normalized,
  range: (start: number, end: number) => Range,
  items: Item[],
  skipped: Record<string, number>,
): void {
  for (const match of partedLetters(text, starts, ends).matchAll(PIECES)) {
    const { index } = match;
    const [piece, word, space] = match;
    const where = range(starts[index]!, ends[index + piece.length - 1]!);
    if (word !== undefined) {
      for (const part of wordParts(word)) {
        if (READABLE.test(part)) items.push({ kind: 'word', text: part, start: where.start, end: where.end });
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
function partedLetters(text: string, starts: readonly number[], ends: readonly number[]): string {
  let out = joinLetters(text);
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
  return SIGNS[piece] ?? piece;
}
