/** One segment read: spans → normalised text → words → phonemes → tokens, each with the characters it speaks. */
import type { Language, Segment } from '../protocol/job.js';
import { pronounce, type Utterance } from './en/pronounce.js';
import type { Lexicon } from './lexicon.js';
import { createPhonemizer, type Phonemizer } from './phonemes.js';
import { type Item, itemsOf } from './reading-items.js';
import { type Alphabet, createAlphabet } from './tokens.js';
import { MAX_TOKENS, type Reader, type Reading, type ReadingPart, type ReadingToken } from './types.js';

export interface ReaderOptions {
  readonly lexicon?: Lexicon;
  readonly language?: Language;
}

export async function createReader(options: ReaderOptions = {}): Promise<Reader> {
  const phonemizer = await createPhonemizer(options.language ?? 'en-US');
  const alphabet = createAlphabet();
  const reader: Reader = {
    read: (segment) => readSegment(segment, phonemizer, alphabet, options.lexicon),
    countTokens(text) {
      const span = { kind: 'text' as const, text, start: 0, end: -1 };
      const segment: Segment = { text: '', offset: 0, spans: [span], pause: 'none' };
      return countTokens(itemsOf(segment, phonemizer.language, options.lexicon, false).items, phonemizer, alphabet);
    },
  };
  // The first text read takes ten times as long as the next: let it be this one, and not the first that is waited for.
  reader.countTokens(WARM_UP);
  return reader;
}

const WARM_UP = 'Dr. Smith read 42 of the books on May 5, 2024, and “paid” $3.50; is that so?';

const CLOSING = new Set(',.;:!?…)”');

function readSegment(segment: Segment, phonemizer: Phonemizer, alphabet: Alphabet, lexicon?: Lexicon): Reading {
  const { items, normalized, skipped } = itemsOf(segment, phonemizer.language, lexicon);
  const said = sayWords(items, phonemizer);
  const parts: ReadingPart[] = [];
  let tokens: ReadingToken[] = [];
  let sounds = false;
  const close = () => {
    while (tokens.at(-1)?.symbol === ' ') tokens.pop();
    // Marks alone make no sound worth hearing.
    if (sounds) for (const part of withinLimit(tokens)) parts.push({ kind: 'speech', tokens: part });
    tokens = [];
    sounds = false;
  };
  const add = (symbol: string, { start, end }: Item) => {
    const id = alphabet.get(symbol);
    const last = tokens.at(-1)?.symbol;
    if (id === undefined) skipped[`symbol:${symbol}`] = (skipped[`symbol:${symbol}`] ?? 0) + 1;
    else if (symbol !== ' ' || (last !== undefined && last !== ' ')) tokens.push({ id, symbol, start, end });
  };
  for (const [index, item] of items.entries()) {
    if (item.kind === 'silence') {
      close();
      parts.push({ kind: 'silence', ms: item.ms, start: item.start, end: item.end });
    } else if (item.kind === 'word') {
      const phonemes = said[index]!;
      if (phonemes === '') skipped.word = (skipped.word ?? 0) + item.end - item.start;
      else sounds = true;
      for (const symbol of phonemes) add(symbol, item);
    } else {
      // No rest before a mark that closes something.
      if (CLOSING.has(item.symbol)) while (tokens.at(-1)?.symbol === ' ') tokens.pop();
      add(item.symbol, item);
    }
  }
  close();
  const shown = parts.flatMap((part) =>
    part.kind === 'speech' ? [part.tokens.map(({ symbol }) => symbol).join('')] : [],
  );
  return { normalized, phonemes: shown.join(' '), parts, skipped };
}

/** As many as `readSegment` makes of a text without markup, without making them. */
function countTokens(items: readonly Item[], phonemizer: Phonemizer, alphabet: Alphabet): number {
  const said = sayWords(items, phonemizer);
  let count = 0;
  let sounds = false;
  let last = '';
  const add = (symbol: string) => {
    if (!alphabet.has(symbol) || (symbol === ' ' && (last === '' || last === ' '))) return;
    count += 1;
    last = symbol;
  };
  for (const [index, item] of items.entries()) {
    if (item.kind === 'word') {
      if (said[index] !== '') sounds = true;
      for (const symbol of said[index]!) add(symbol);
    } else if (item.kind === 'sign') {
      if (last === ' ' && CLOSING.has(item.symbol)) {
        count -= 1;
        last = 'x';
      }
      add(item.symbol);
    }
  }
  if (!sounds) return 0;
  return last === ' ' ? count - 1 : count;
}

/** Phonemes for every word, by its place in `items`, sentence by sentence. */
function sayWords(items: readonly Item[], phonemizer: Phonemizer): string[] {
  const said: string[] = [];
  let places: number[] = [];
  let words: Utterance[] = [];
  const close = () => {
    for (const [at, phonemes] of pronounce(words, phonemizer).entries()) said[places[at]!] = phonemes;
    places = [];
    words = [];
  };
  for (const [index, item] of items.entries()) {
    if (item.kind === 'word') {
      places.push(index);
      const settled = item.phonemes === undefined ? {} : { phonemes: item.phonemes };
      words.push({ text: item.text, followed: isFollowed(items, index), ...settled });
    } else if (item.kind === 'silence' || /[.!?…;:]/u.test(item.symbol)) {
      close();
    }
  }
  close();
  return said;
}

function isFollowed(items: readonly Item[], index: number): boolean {
  const next = items[index + 1];
  if (next?.kind === 'word') return true;
  return next?.kind === 'sign' && next.symbol === ' ' && items[index + 2]?.kind === 'word';
}

/** A stretch beyond the model's limit, which only a single endless word can make, is said in pieces. */
function withinLimit(tokens: readonly ReadingToken[]): ReadingToken[][] {
  const parts: ReadingToken[][] = [];
  let rest = tokens;
  while (rest.length > MAX_TOKENS) {
    const space = rest.slice(0, MAX_TOKENS).findLastIndex(({ symbol }) => symbol === ' ');
    const cut = space > 0 ? space + 1 : MAX_TOKENS;
    parts.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  if (rest.length > 0) parts.push([...rest]);
  return parts;
}
