/** What is said of a chapter, in order: about a sentence each, and the rest behind it. */
import { escapeAttribute } from '../../protocol/characters.js';
import type { DeliveryStyle, SentencePlace } from '../../protocol/delivery/delivery.js';
import { DEFAULT_LANGUAGE, type Language, type PauseKind } from '../../protocol/job.js';
import { codeOf, localeOf } from '../../protocol/languages.js';
import { blockRest, bookRest } from '../../text/delivery/book-rests.js';
import { Segmenter } from '../../text/segment/segment.js';
import { loadSentenceWords } from '../../text/segment/sentence-words.js';
import type { Block, BlockKind, BookChapter } from '../book.js';
import { type PlacedRun, type WordPlace, wordPlaces } from './places.js';

export interface Utterance {
  /** As it is sent: with markup where `ssml` is true. */
  readonly text: string;
  readonly ssml: boolean;
  /** As a person reads it. */
  readonly shown: string;
  /** Silence behind it, at the voice's own pace. */
  readonly restMs: number;
  /** Where it stands in its block; absent where the style is `plain`. */
  readonly place?: SentencePlace;
  /** Who reads it where that is not the narrator, by the id of a voice. */
  readonly voice?: string;
  /** Index into `Book.files`. */
  readonly file: number;
  /** Where its words stand in that file; present where places are asked for. */
  readonly places?: readonly WordPlace[];
}

export interface UtteranceOptions {
  /** They take more memory than the text does: ask for them a chapter at a time. */
  readonly places?: boolean;
  /** What others than the narrator read, by the index of the block. */
  readonly voices?: readonly (Voiced | undefined)[] | undefined;
  /** `plain` where it is left out. */
  readonly style?: DeliveryStyle;
}

/** Stretches of a block's flat text (UTF-16 units) that other voices read, in order. */
type Voiced = readonly { readonly from: number; readonly to: number; readonly voice: string }[];

/** Rests between sentences where the style is `plain`. */
const PLAIN_RESTS: Readonly<Record<PauseKind, number>> = {
  none: 50,
  carried: 120,
  joined: 0,
  clause: 240,
  sentence: 420,
  item: 450,
  paragraph: 800,
  heading: 800,
};
/** Least rests before and behind a block (ms); of two neighbours the longer one counts. */
const BLOCK_RESTS: Readonly<Record<BlockKind, { readonly before: number; readonly behind: number }>> = {
  heading: { before: 1_400, behind: 1_000 },
  paragraph: { before: 0, behind: 800 },
  quote: { before: 900, behind: 900 },
  verse: { before: 0, behind: 350 },
  item: { before: 0, behind: 500 },
  row: { before: 0, behind: 500 },
  caption: { before: 900, behind: 900 },
  note: { before: 900, behind: 900 },
};
const APART_MS = 1_500;
const STANZA_MS = 800;
const CHAPTER_END_MS = 2_000;

/** `language`: what the voice reads in. */
export async function utterancesOf(
  { blocks }: BookChapter,
  language: Language,
  options: UtteranceOptions = {},
): Promise<Utterance[]> {
  await loadSentenceWords(language);
  const { style = 'plain' } = options;
  const all: Utterance[] = [];
  for (const [index, block] of blocks.entries()) {
    const own = sentencesOf(block, language, options, options.voices?.[index] ?? []);
    all.push(...rested(own, restBehindBlock(block, blocks[index + 1]), style));
  }
  return all;
}

/** The sentences of a block with their rests; the last rests `behindMs`. */
function rested(own: readonly Ended[], behindMs: number, style: DeliveryStyle): Utterance[] {
  let sentence = 0;
  return own.map(({ pause, ...utterance }, at): Utterance => {
    const next = own[at + 1];
    if (style === 'plain') return { ...utterance, restMs: next ? PLAIN_RESTS[pause] : behindMs };
    const place = { sentence, last: next === undefined };
    // A sentence that a quotation parts in two is one.
    if (pause !== 'clause' && pause !== 'none') sentence += 1;
    const before = { said: utterance.shown, pause, voice: utterance.voice };
    const restMs = next
      ? bookRest(before, { said: next.shown, voice: next.voice }, style)
      : blockRest(behindMs, utterance.shown, style);
    return { ...utterance, place, restMs };
  });
}

function restBehindBlock(block: Block, next: Block | undefined): number {
  if (next === undefined) return CHAPTER_END_MS;
  const isStanza = block.kind === 'verse' && next.kind === 'verse';
  const apart = next.apart ? (isStanza ? STANZA_MS : APART_MS) : 0;
  // A poem, list or table ends as a paragraph does.
  const kindEnds = block.kind === next.kind ? 0 : BLOCK_RESTS.paragraph.behind;
  return Math.max(BLOCK_RESTS[block.kind].behind, BLOCK_RESTS[next.kind].before, apart, kindEnds);
}

interface Piece {
  /** UTF-16 units into the text of the block. */
  readonly from: number;
  readonly to: number;
  readonly language: Language | undefined;
  readonly alias: string | undefined;
}

interface Flat {
  readonly text: string;
  readonly pieces: readonly Piece[];
  readonly runs: readonly PlacedRun[];
}

const SPEAKABLE = /[\p{L}\p{N}\p{S}]/u;

/** An utterance whose rest is not known yet. */
interface Ended extends Omit<Utterance, 'restMs'> {
  readonly pause: PauseKind;
}

function sentencesOf(block: Block, language: Language, options: UtteranceOptions, voiced: Voiced): Ended[] {
  const flat = flatten(block, language);
  const stretch = (from: number, to: number, voice?: string) =>
    stretchOf({ block, flat, from, to, language, voice, places: options.places ?? false });
  const out: Ended[] = [];
  let at = 0;
  for (const { from, to, voice } of voiced) {
    out.push(...stretch(at, from), ...stretch(from, to, voice));
    at = to;
  }
  return [...out, ...stretch(at, flat.text.length)];
}

interface Stretch {
  readonly block: Block;
  readonly flat: Flat;
  readonly from: number;
  readonly to: number;
  readonly language: Language;
  readonly voice: string | undefined;
  readonly places: boolean;
}

/** The sentences of a stretch that one voice reads. */
function stretchOf({ block, flat, from: begin, to: end, language, voice, places }: Stretch): Ended[] {
  // Tokens are counted where they are spoken: here sentences are only told apart.
  const segmenter = new Segmenter({ countTokens: () => 0, language, inTimeChars: Number.POSITIVE_INFINITY });
  const out: Ended[] = [];
  let from = begin;
  for (const { text, pause } of [...segmenter.push(flat.text.slice(begin, end)), ...segmenter.end()]) {
    const to = from + text.length;
    const shown = text.trim();
    if (SPEAKABLE.test(shown)) {
      const { sentChars, ...sent } = marked(flat, from, to, places);
      const placed = places && { places: wordPlaces({ ...flat, from, to, sentChars, language }) };
      // One string, not two, of every sentence of a long book.
      const seen = sent.ssml ? shown : sent.text;
      const by = voice === undefined ? {} : { voice };
      out.push({ ...sent, shown: seen, pause, file: block.file, ...placed, ...by });
    }
    from = to;
  }
  return out;
}

/** The text of a block with single spaces, and the pieces that are said in another way. */
function flatten({ runs }: Block, voice: Language): Flat {
  let text = '';
  const pieces: Piece[] = [];
  const placed: PlacedRun[] = [];
  for (const run of runs) {
    const from = text.length;
    const single = run.text.replace(/\s+/g, ' ');
    text += text === '' || text.endsWith(' ') ? single.trimStart() : single;
    const language = otherLanguage(run.language, voice);
    if ((language || run.alias) && text.length > from)
      pieces.push({ from, to: text.length, language, alias: run.alias });
    placed.push({ run, from, to: text.length });
  }
  return { text, pieces, runs: placed };
}

/** The text of a block as stretches of it are counted. */
export const flatText = (block: Block): string => flatten(block, DEFAULT_LANGUAGE).text;

/** The locale to read a tag in, where it is another language than the voice's and one is known. */
function otherLanguage(tag: string | undefined, voice: Language): Language | undefined {
  if (tag === undefined) return undefined;
  const locale = localeOf(tag) ?? localeOf(tag.split('-')[0]!);
  return locale === undefined || codeOf(locale) === codeOf(voice) ? undefined : locale;
}

interface Sent {
  readonly text: string;
  readonly ssml: boolean;
  /** For each unit of the sentence: code points of `text` before it. Empty where not asked for. */
  readonly sentChars: readonly number[];
}

function marked({ text, pieces }: Flat, from: number, to: number, places: boolean): Sent {
  const inside = pieces.filter((piece) => piece.from < to && piece.to > from);
  if (inside.length === 0 && !places) return { text: text.slice(from, to).trim(), ssml: false, sentChars: [] };
  const parts: string[] = [];
  const sentChars: number[] = [];
  let chars = 0;
  const write = (markup: string) => {
    parts.push(markup);
    chars += [...markup].length;
  };
  const say = (begin: number, end: number) => {
    for (const char of text.slice(begin, end)) {
      for (let unit = 0; unit < char.length; unit += 1) sentChars.push(chars);
      write(inside.length > 0 ? escapeAttribute(char) : char);
    }
  };
  let at = from;
  for (const piece of inside) {
    const begin = Math.max(from, piece.from);
    const end = Math.min(to, piece.to);
    say(at, begin);
    if (piece.language !== undefined) write(`<lang xml:lang="${piece.language}">`);
    if (piece.alias !== undefined) write(`<sub alias="${escapeAttribute(piece.alias)}">`);
    say(begin, end);
    if (piece.alias !== undefined) write('</sub>');
    if (piece.language !== undefined) write('</lang>');
    at = end;
  }
  say(at, to);
  const whole = parts.join('');
  // White space at the ends is not sent.
  const led = [...whole].length - [...whole.trimStart()].length;
  return {
    text: whole.trim(),
    ssml: inside.length > 0,
    sentChars: sentChars.map((before) => Math.max(0, before - led)),
  };
}
