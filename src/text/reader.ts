/**
 * One segment read: spans → normalised text → words → phonemes → tokens, each with the characters
 * it speaks.
 */
import { DEFAULT_LANGUAGE, type Language, type Segment } from '../protocol/job.js';
import { questionsOf } from './delivery/questions.js';
import { stressedIn } from './delivery/stressed.js';
import type { FrontEnd, LanguageFiles, Phonemizer, Utterance } from './front-end.js';
import { frontEnd, loadFrontEnd } from './languages.js';
import type { Lexicon } from './lexicon.js';
import { createPhonemizer } from './phonemes.js';
import { itemsOf } from './reading-items.js';
import type { Item } from './reading-pieces.js';
import { type Alphabet, createAlphabet } from './tokens.js';
import { MAX_TOKENS, type Reader, type Reading, type ReadingPart, type ReadingToken } from './types.js';

export interface ReaderOptions {
  readonly lexicon?: Lexicon;
  readonly language?: Language;
  /** Where the files of a language lie that are not part of the package. */
  readonly files?: LanguageFiles;
}

const noFiles: LanguageFiles = (language) => {
  throw new Error(`nobody says where the files of ${language} are`);
};

export async function createReader(options: ReaderOptions = {}): Promise<Reader> {
  const { lexicon, language = DEFAULT_LANGUAGE, files = noFiles } = options;
  const front = await loadFrontEnd(language);
  await front.prepare?.(files);
  const others = new Map<Language, Phonemizer>();
  const speaker: Speaker = {
    front,
    phonemizer: await createPhonemizer(language),
    alphabet: createAlphabet(),
    others,
  };
  const learn = async (other: Language) => {
    if (others.has(other)) return;
    await (await loadFrontEnd(other)).prepare?.(files);
    others.set(other, await createPhonemizer(other));
  };
  for (const other of lexicon?.languages ?? []) await learn(other);
  const reader: Reader = {
    async prepare({ spans }) {
      for (const span of spans) if (span.kind !== 'break' && span.language !== undefined) await learn(span.language);
    },
    read: (segment) => readSegment(segment, speaker, lexicon),
    countTokens: (text) => countTokens(text, speaker, lexicon),
    sounds: (text) => sounds(text, speaker, lexicon),
  };
  return reader;
}

/** A reader for each language. */
export type Readers = (language: Language) => Promise<Reader>;

/**
 * The first text that a reader reads takes ten times as long as the next: let it be this one, and
 * not one that is waited for.
 */
export function warmUp(reader: Reader): void {
  reader.countTokens('Dr. Smith read 42 of the books on May 5, 2024, and “paid” $3.50; is that so?');
}

/**
 * The default language's is ready when this is; the others are made when they are first asked for.
 */
export async function createReaders(options: Omit<ReaderOptions, 'language'> = {}): Promise<Readers> {
  const readers = new Map<Language, Promise<Reader>>();
  const open: Readers = (language) => {
    const reader = readers.get(language) ?? createReader({ ...options, language });
    readers.set(language, reader);
    return reader;
  };
  await open(DEFAULT_LANGUAGE);
  return open;
}

/** What turns words into tokens. */
interface Speaker {
  readonly front: FrontEnd;
  readonly phonemizer: Phonemizer;
  readonly alphabet: Alphabet;
  /** Of languages that spans of a segment name, once they are prepared. */
  readonly others: ReadonlyMap<Language, Phonemizer>;
}

/** The place of a token in no segment's text; -1 is a question's "or" in an earlier one. */
const ELSEWHERE = -2;

function readSegment(segment: Segment, speaker: Speaker, lexicon?: Lexicon): Reading {
  const { items, normalized, skipped } = itemsOf(segment, speaker.front, lexicon);
  const parts: ReadingPart[] = [];
  let tokens: ReadingToken[] = [];
  tokenise(items, speaker, {
    token: (id, symbol, { start, end }) => tokens.push({ id, symbol, start, end }),
    takeBack: () => tokens.pop(),
    close(sounds) {
      if (sounds) for (const part of withinLimit(tokens)) parts.push({ kind: 'speech', tokens: part });
      tokens = [];
    },
    silence: ({ ms, start, end }) => parts.push({ kind: 'silence', ms, start, end }),
    skip(kind, chars) {
      skipped[kind] = (skipped[kind] ?? 0) + chars;
    },
  });
  const shown: string[] = [];
  for (const part of parts) {
    if (part.kind !== 'speech') continue;
    let symbols = '';
    for (const { symbol } of part.tokens) symbols += symbol;
    shown.push(symbols);
  }
  const words: Reading['words'][number][] = [];
  for (const item of items) if (item.kind === 'word') words.push({ text: item.text, start: item.start, end: item.end });
  const questions = questionsOf(items, speaker.front, segment.before);
  const stressed = stressedIn(segment, speaker.front);
  const before = segment.follows === undefined ? [] : besideTokens(segment.before, speaker, lexicon).at(-1);
  const ahead = besideTokens(segment.ahead, speaker, lexicon)[0];
  const beside = { before: before ?? [], ahead: ahead ?? [] };
  return { normalized, words, phonemes: shown.join(' '), parts, questions, stressed, ...beside, skipped };
}

/** The stretches of a text that another segment says. */
function besideTokens(text: string | undefined, speaker: Speaker, lexicon?: Lexicon): ReadingToken[][] {
  if (text === undefined) return [];
  const stretches: ReadingToken[][] = [];
  let tokens: ReadingToken[] = [];
  tokenise(plainItems(text, speaker, lexicon), speaker, {
    token: (id, symbol) => tokens.push({ id, symbol, start: ELSEWHERE, end: ELSEWHERE }),
    takeBack: () => tokens.pop(),
    close(sounds) {
      if (sounds) stretches.push(tokens);
      tokens = [];
    },
  });
  return stretches;
}

/** The items of a plain text, without their places. */
function plainItems(text: string, { front }: Speaker, lexicon?: Lexicon): readonly Item[] {
  const span = { kind: 'text' as const, text, start: 0, end: -1 };
  return itemsOf({ text: '', offset: 0, spans: [span], pause: 'none' }, front, lexicon, false).items;
}

function sounds(text: string, speaker: Speaker, lexicon?: Lexicon): boolean {
  const { front, phonemizer, alphabet } = speaker;
  return plainItems(text, speaker, lexicon).some((item) => {
    if (item.kind !== 'word') return false;
    const said = item.phonemes ?? front.pronounce([{ text: item.text, followed: false }], phonemizer)[0]!;
    return [...said].some((symbol) => alphabet.has(symbol));
  });
}

function countTokens(text: string, speaker: Speaker, lexicon?: Lexicon): number {
  const items = plainItems(text, speaker, lexicon);
  let open = 0;
  let count = 0;
  tokenise(items, speaker, {
    token: () => open++,
    takeBack: () => open--,
    close(sounds) {
      if (sounds) count += open;
      open = 0;
    },
  });
  return count;
}

const CLOSING = new Set(',.;:!?…)”');
/** Marks that part what is pronounced in one go. */
const PARTS = new Set('.!?…;:');

/** Told of the tokens of a segment as they are made. */
interface TokenSink {
  token(id: number, symbol: string, item: Item): void;
  /** The last token, a space, is none after all. */
  takeBack(): void;
  /** A stretch of speech ends; marks alone make no sound worth hearing. */
  close(sounds: boolean): void;
  silence?(item: Item & { readonly kind: 'silence' }): void;
  skip?(kind: string, chars: number): void;
}

function tokenise(items: readonly Item[], speaker: Speaker, sink: TokenSink): void {
  const { alphabet } = speaker;
  const said = sayWords(items, speaker);
  let last = '';
  let sounds = false;
  const add = (symbol: string, item: Item) => {
    const id = alphabet.get(symbol);
    if (id === undefined) sink.skip?.(`symbol:${symbol}`, 1);
    else if (symbol !== ' ' || (last !== '' && last !== ' ')) {
      sink.token(id, symbol, item);
      last = symbol;
    }
  };
  const trim = () => {
    if (last !== ' ') return;
    sink.takeBack();
    last = 'x';
  };
  const close = () => {
    trim();
    sink.close(sounds);
    last = '';
    sounds = false;
  };
  for (let index = 0; index < items.length; index++) {
    const item = items[index]!;
    if (item.kind === 'silence') {
      close();
      sink.silence?.(item);
    } else if (item.kind === 'word') {
      const phonemes = said[index]!;
      if (phonemes === '') sink.skip?.('word', item.end - item.start);
      else sounds = true;
      for (const symbol of phonemes) add(symbol, item);
    } else {
      // No rest before a mark that closes something.
      if (CLOSING.has(item.symbol)) trim();
      add(item.symbol, item);
    }
  }
  close();
}

/** Phonemes for every word, by its place in `items`, sentence by sentence. */
function sayWords(items: readonly Item[], { front, phonemizer, others }: Speaker): string[] {
  const said: string[] = [];
  let places: number[] = [];
  let words: Utterance[] = [];
  let language: Language | undefined;
  const close = () => {
    const by = language === undefined ? front : frontEnd(language);
    const sounds = language === undefined ? phonemizer : others.get(language)!;
    const spoken = by.pronounce(words, sounds);
    for (let at = 0; at < spoken.length; at++) said[places[at]!] = spoken[at]!;
    places = [];
    words = [];
  };
  for (let index = 0; index < items.length; index++) {
    const item = items[index]!;
    if (item.kind === 'word') {
      if (item.language !== language) close();
      language = item.language;
      places.push(index);
      words.push({ text: item.text, phonemes: item.phonemes, followed: isFollowed(items, index) });
    } else if (item.kind === 'silence' || PARTS.has(item.symbol)) {
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

/**
 * A stretch beyond the model's limit, which only a single endless word can make, is said in pieces.
 */
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
