/** A segment's spans as words, signs and silences, each with the characters of the segment it stands for. */
import { isWhiteSpace, trimEnd, trimStart } from '../protocol/characters.js';
import type { Language, Segment, SegmentSpan } from '../protocol/job.js';
import type { FrontEnd, PhonemeAlphabet } from './front-end.js';
import { frontEnd } from './languages.js';
import type { Lexicon } from './lexicon.js';
import { normalize } from './normalize.js';
import { collect, type Item, type Range } from './reading-pieces.js';
import { seenText } from './ssml/markup.js';
import type { Normalized } from './types.js';

export interface Items {
  readonly items: readonly Item[];
  readonly normalized: string;
  readonly skipped: Record<string, number>;
}

/** Marks that belong to a word whose sounds were given, and in some languages a possessive. */
const JOINED = /^[,.;:!?…)”"]+/u;
const JOINED_OR_OWNED = /^(?:['’]s(?!\p{L})|[,.;:!?…)”"]+)/u;

/** `placed` false leaves the places out, for whoever only counts. */
export function itemsOf(segment: Segment, own: FrontEnd, lexicon?: Lexicon, placed = true): Items {
  /** The front end that reads the span at hand. */
  let front = own;
  let { language, alphabet } = own;
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
    collect(text, placed ? range : nowhere, { items, skipped, front });
  };
  /** Adds a stretch of text that may continue what was said before it. Spaces at its edges part words. */
  const addText = (text: string, seen: Seen, base: number) => {
    const lead = text.slice(0, text.length - trimStart(text).length);
    if (lead !== '') space(seen(base).start);
    const joined =
      lead === '' && items.at(-1)?.kind === 'word'
        ? ((alphabet.possessive ? JOINED_OR_OWNED : JOINED).exec(text)?.[0] ?? '')
        : '';
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
    front = span.language === undefined ? own : frontEnd(span.language);
    ({ language, alphabet } = front);
    const from = items.length;
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
        const first = items.length;
        const by = entry.language === undefined ? front : frontEnd(entry.language);
        if (entry.kind === 'respelling') add(normalize(entry.text, { language: by.language }), () => range);
        else {
          items.push({ kind: 'word', text, phonemes: by.alphabet.fromIpa(entry.ipa), ...range });
          show(text);
        }
        if (by !== front) nameLanguage(items, first, by.language);
        offset += chars;
        from = index + length;
      }
      const rest = span.text.slice(from);
      if (rest !== '') addText(rest, seen, offset);
    }
    if (front !== own) nameLanguage(items, from, front.language);
  }
  return { items, normalized, skipped };
}

/** Words from a place on are said in another language than the segment's. */
function nameLanguage(items: Item[], from: number, language: Language): void {
  for (const [index, item] of items.entries()) {
    if (index >= from && item.kind === 'word') items[index] = { language, ...item };
  }
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
    const phonemes = alphabet.possessive!(last.phonemes ?? '');
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
