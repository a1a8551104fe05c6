/**
 * A segment's spans as words, signs and silences, each with the characters of the segment it stands
 * for.
 */
import { countChars, isWhiteSpace, trimEnd, trimStart } from '../protocol/characters.js';
import type { Language, Segment, SegmentSpan } from '../protocol/job.js';
import type { FrontEnd, PhonemeAlphabet } from './front-end.js';
import { frontEnd } from './languages.js';
import type { Lexicon } from './lexicon.js';
import { formulasOf } from './normalize/formula-span.js';
import { normalize } from './normalize.js';
import { collect, type Item, markSymbols, type Range } from './reading-pieces.js';
import { seenText } from './ssml/markup.js';
import type { Normalized } from './types.js';

export interface Items {
  readonly items: readonly Item[];
  readonly normalized: string;
  readonly skipped: Record<string, number>;
}

/** Marks that belong to a word whose sounds were given, and in some languages a possessive. */
const JOINED = /^[,.;:!?…)”"、。，！？；：」』）।]+/u;
const JOINED_OR_OWNED = /^(?:['’]s(?!\p{L})|[,.;:!?…)”"]+)/u;

/** `placed` false leaves the places out, for callers that only count. */
export function itemsOf(segment: Segment, own: FrontEnd, lexicon?: Lexicon, placed = true): Items {
  const reading = new ItemReading(own, lexicon, placed);
  for (const span of segment.spans) reading.addSpan(span, segment.text);
  return reading;
}

class ItemReading implements Items {
  readonly items: Item[] = [];
  readonly skipped: Record<string, number> = {};
  normalized = '';
  readonly #own: FrontEnd;
  readonly #lexicon: Lexicon | undefined;
  readonly #placed: boolean;
  /** The front end that reads the span at hand. */
  #front: FrontEnd;

  constructor(own: FrontEnd, lexicon: Lexicon | undefined, placed: boolean) {
    this.#own = own;
    this.#front = own;
    this.#lexicon = lexicon;
    this.#placed = placed;
  }

  addSpan(span: SegmentSpan, source: string): void {
    const { items } = this;
    if (span.kind === 'break') {
      items.push({ kind: 'silence', ms: span.ms, start: span.start, end: span.end });
      return;
    }
    const seen = positions(span, source);
    this.#front = span.language === undefined ? this.#own : frontEnd(span.language);
    const { language, alphabet } = this.#front;
    const from = items.length;
    const inner = { start: seen.start(0), end: seen.end(Number.POSITIVE_INFINITY) };
    if (span.kind === 'phoneme') {
      items.push({ kind: 'word', text: span.text, phonemes: alphabet.fromIpa(span.ipa), ...inner });
      this.#show(span.text);
    } else if (span.kind === 'sub') {
      this.#add(normalize(span.alias, { language }), () => inner);
    } else if (span.kind === 'say-as') {
      if (items.at(-1)?.kind === 'word') this.#space(inner.start);
      this.#add(normalize(span.text, { sayAs: span.as, language }), (start, end) => between(seen, start, end));
    } else this.#addPlain(span.text, seen);
    if (this.#front !== this.#own) nameLanguage(items, from, language);
  }

  /** What the lexicon has of a text, formulas left out: they are read as a whole. */
  #entries(text: string): ReturnType<Lexicon['find']> {
    const found = this.#lexicon?.find(text) ?? [];
    if (found.length === 0 || !this.#front.characters.formulas) return found;
    const formulas = formulasOf(text);
    if (formulas.length === 0) return found;
    return found.filter(({ index }) => !formulas.some(({ from, end }) => index >= from && index < end));
  }

  /** A span without markup, in which the words of the lexicon are read its way. */
  #addPlain(all: string, seen: Seen): void {
    let from = 0;
    let offset = 0;
    for (const { index, length, entry } of this.#entries(all)) {
      const plain = all.slice(from, index);
      if (plain !== '') this.#addText(plain, seen, offset);
      offset += countChars(plain);
      const text = all.slice(index, index + length);
      const chars = countChars(text);
      const range = between(seen, offset, offset + chars);
      const first = this.items.length;
      const by = entry.language === undefined ? this.#front : frontEnd(entry.language);
      if (entry.kind === 'respelling') this.#add(normalize(entry.text, { language: by.language }), () => range);
      else {
        if (this.#front.words && this.items.at(-1)?.kind === 'word') this.#space(range.start);
        this.items.push({ kind: 'word', text, phonemes: by.alphabet.fromIpa(entry.ipa), ...range });
        this.#show(text);
      }
      if (by !== this.#front) nameLanguage(this.items, first, by.language);
      offset += chars;
      from = index + length;
    }
    const rest = all.slice(from);
    if (rest !== '') this.#addText(rest, seen, offset);
  }

  /**
   * Adds a stretch of text that may continue what was said before it. Spaces at its edges part
   * words.
   */
  #addText(text: string, seen: Seen, base: number): void {
    const { language, alphabet } = this.#front;
    const lead = text.slice(0, text.length - trimStart(text).length);
    if (lead !== '') this.#space(seen.start(base));
    const joined =
      lead === '' && this.items.at(-1)?.kind === 'word'
        ? ((alphabet.possessive ? JOINED_OR_OWNED : JOINED).exec(text)?.[0] ?? '')
        : '';
    if (joined !== '') {
      addJoined(joined, (start, end) => between(seen, base + start, base + end), this.items, alphabet);
      this.normalized += joined;
    }
    const after = text.slice(lead.length + joined.length);
    const inner = after.slice(0, after.length - trimStart(after).length);
    if (joined !== '' && inner !== '') this.#space(seen.start(base + joined.length));
    const head = lead + joined + inner;
    const rest = trimEnd(text.slice(head.length));
    const from = base + countChars(head);
    if (rest !== '') this.#add(normalize(rest, { language }), (start, end) => between(seen, from + start, from + end));
    if (text.length > lead.length && isWhiteSpace(text.charCodeAt(text.length - 1)))
      this.#space(seen.start(base + countChars(text) - 1));
  }

  /**
   * Adds a normalised text; `range` tells the characters of the segment behind those of what was
   * normalised.
   */
  #add(text: Normalized, range: (start: number, end: number) => Range): void {
    const { items, skipped } = this;
    this.#show(text.text);
    for (const [kind, chars] of Object.entries(text.skipped)) skipped[kind] = (skipped[kind] ?? 0) + chars;
    collect(text, this.#placed ? range : nowhere, { items, skipped, front: this.#front });
  }

  #show(text: string): void {
    this.normalized += `${this.normalized === '' || /\s$/.test(this.normalized) ? '' : ' '}${text}`;
  }

  #space(at: number): void {
    const last = this.items.at(-1);
    if (last && !(last.kind === 'sign' && last.symbol === ' '))
      this.items.push({ kind: 'sign', symbol: ' ', start: at, end: at });
  }
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
  for (const [index, mark] of [...text].entries()) {
    const where = range(index, index + 1);
    for (const symbol of mark === '"' ? '”' : markSymbols(mark)) items.push({ kind: 'sign', symbol, ...where });
  }
}

const NOWHERE: Range = { start: 0, end: 0 };
const nowhere = () => NOWHERE;

/** Where the character of a span with this number begins and ends in the segment. */
interface Seen {
  start(index: number): number;
  end(index: number): number;
}

export const between = (seen: Seen, start: number, end: number): Range => ({
  start: seen.start(start),
  end: end > start ? seen.end(end - 1) : seen.start(start),
});

/**
 * Where the characters of a span lie in the segment: one by one, unless the span holds tags or
 * references.
 */
export function positions(span: SegmentSpan, source: string): Seen {
  const { start: first, end: last } = span;
  const size = span.kind === 'text' ? countChars(span.text) : -1;
  if (size === last - first) {
    return {
      start: (index) => Math.min(first + index, last),
      end: (index) => Math.min(first + index + 1, last),
    };
  }
  const { starts, ends } = seenText([...source].slice(first, last).join(''));
  if (starts.length === 0) return { start: () => first, end: () => last };
  const most = starts.length - 1;
  return {
    start: (index) => first + starts[Math.min(index, most)]!,
    end: (index) => first + ends[Math.min(index, most)]!,
  };
}
