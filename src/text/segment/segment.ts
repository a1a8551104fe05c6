/** Cuts text that arrives in any pieces into segments that depend on the text alone. */

import { countChars, isHighSurrogate, isLowSurrogate } from '../../protocol/characters.js';
import type { TextPart } from '../../protocol/delivery/delivery.js';
import { DEFAULT_LANGUAGE, type Language, type PauseKind, type Segment } from '../../protocol/job.js';
import { MarkupTrack, silentTokens, type Taken } from '../ssml/markup.js';
import type { Piece } from '../ssml/piece.js';
import { SsmlParser } from '../ssml/ssml.js';
import type { Voices } from '../ssml/ssml-tags.js';
import { MAX_TOKENS } from '../types.js';
import { forcedCut } from './forced-cut.js';
import { type Boundary, BoundaryScanner, type Rest, type Totals } from './segment-boundaries.js';
import { SegmentPlaces } from './segment-places.js';
import { RANK, type SentenceWords } from './sentence-ends.js';
import { SentenceSoFar } from './sentence-so-far.js';
import { sentenceWords } from './sentence-words.js';
import { WrittenOpening } from './written-opening.js';

export interface SegmenterOptions {
  /** Tokens of a plain text, without pads. */
  readonly countTokens: (text: string) => number;
  /** The language the text is read in. */
  readonly language?: Language;
  /** Text carries SSML. */
  readonly ssml?: boolean;
  /** The voices that SSML may name; any name where absent. */
  readonly voices?: Voices;
  /**
   * The first sentence is cut at a clause to be heard sooner, at the last one within so many
   * characters; not at all where it ends within them, because a piece of this length is there in
   * time. 0 cuts at the first clause; `Infinity` is for what nobody hears before it is all there.
   */
  readonly inTimeChars?: number;
  /**
   * Somebody hears it while it is written: the first sentence, and the first behind every flush, is
   * cut at its first clause or before a phrase, by the text alone, whatever the machine has in
   * time.
   */
  readonly written?: boolean;
  /** The text is one of several that are heard as one. */
  readonly part?: TextPart;
}

/**
 * A segment holds no more than this even where nothing of it can be spoken, so that a count stays
 * cheap.
 */
const MAX_UNITS = 2000;
/**
 * Up to this guess the tokens need not be counted: no text makes three times as many as it weighs.
 */
const SURELY_FITS = 170;
/** Letters below which a sentence waits for the next one. */
const MIN_LETTERS = 12;
/**
 * The first thing heard may be shorter: nobody should wait for a second sentence to hear "Hello
 * there."
 */
const FIRST_SENTENCE = { letters: 8, words: 2 };
const FIRST_CLAUSE = { letters: 14, words: 3 };
/** Of a comma that ends a clause only likely, this many letters must have been heard. */
const FIRST_CLAUSE_ANY_LETTERS = 48;
/**
 * A segment longer than this share of what was said before it may not be made before that has been
 * heard, where a second of speech takes 0.6 s to make (`base-tts` on two cores).
 */
const AWAITED_SHARE = 0.6;
/** A forced cut need not use the last token. */
const NEAR_LIMIT = 0.93;

interface Candidate extends Boundary, Totals {
  readonly at: number;
}

/**
 * Characters that weigh what they may make: ASCII, letters of the scripts that are read, and marks.
 */
const WEIGHED =
  /^[\0-\x7f\u00a0¡«»¿\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0900-\u0965‐-—‘’“”…、。「」『』（）！，：；？々\u3041-\u3096\u30a1-\u30fe\u4e00-\u9fff]*$/;
const SPEAKABLE = /[\p{L}\p{N}\p{S}]/u;

export class Segmenter {
  readonly #count: (text: string) => number;
  readonly #inTime: number;
  readonly #opening: WrittenOpening | null;
  readonly #scanner: BoundaryScanner;
  readonly #words: SentenceWords;
  readonly #sentence = new SentenceSoFar();
  readonly #markup: { readonly parser: SsmlParser; readonly track: MarkupTrack } | null;
  /** Visible text from the start of the open segment; positions below are absolute. */
  #text = '';
  #tail = '';
  /** The silences in `#tail`. */
  #rests: Rest[] = [];
  #start = 0;
  #scanned = 0;
  #offset = 0;
  #received = 0;
  #lastUnit = 0;
  #first = true;
  /** Letters of the segments so far, behind a flush of a writer from there on. */
  #saidLetters = 0;
  /** White space that the open segment begins with, once a word is there. */
  #lead: number | undefined;
  #base: Totals = { letters: 0, words: 0, weight: 0 };
  /** The last exact count: `tokens` up to `at`, where the running weight was `weight`. */
  #known = { at: 0, tokens: 0, weight: 0, factor: 1 };
  #candidates: Candidate[] = [];
  /** The last clause of the first sentence that ended in time. */
  #held: Candidate | undefined;
  /** What the markup says has ended; a segment begins with the next word. */
  #parts: 'sentence' | 'paragraph' | undefined;
  /** Of the open segment, where the text names one. */
  #voice: string | undefined;
  readonly #places: SegmentPlaces;
  #out: Segment[] = [];

  constructor(options: SegmenterOptions) {
    this.#count = options.countTokens;
    this.#inTime = options.inTimeChars ?? 0;
    this.#places = new SegmentPlaces(options.part);
    const { language = DEFAULT_LANGUAGE } = options;
    this.#scanner = new BoundaryScanner(language);
    this.#words = sentenceWords(language);
    this.#opening = options.written ? new WrittenOpening(this.#words) : null;
    this.#markup = options.ssml
      ? {
          parser: new SsmlParser({ language, voices: options.voices }),
          track: new MarkupTrack(options.countTokens, language),
        }
      : null;
  }

  /** Characters taken in and not yet part of a segment. */
  get pendingChars(): number {
    return Math.max(0, this.#received - this.#offset);
  }

  /**
   * The elements and attributes of SSML met so far that change nothing: `<audio>`, `say-as
   * format`; the first 20.
   */
  get ignoredMarkup(): readonly string[] {
    return this.#markup?.parser.ignored ?? [];
  }

  /** Throws `invalid_ssml` where the markup is wrong. */
  push(text: string): Segment[] {
    this.#received +=
      countChars(text) - (isHighSurrogate(this.#lastUnit) && isLowSurrogate(text.charCodeAt(0)) ? 1 : 0);
    if (text !== '') this.#lastUnit = text.charCodeAt(text.length - 1);
    if (this.#markup) for (const piece of this.#markup.parser.push(text)) this.#see(piece);
    else this.#add(text);
    this.#advance(false);
    return this.#take();
  }

  /**
   * Cuts at once; what follows begins a new segment. A tag or element that is still open waits for
   * its end.
   */
  flush(): Segment[] {
    this.#advance(true);
    const end = this.#start + this.#text.length;
    if (end > this.#start && !this.#surelyFits()) this.#fit(end);
    if (end > this.#start || (this.#markup && !this.#markup.track.isEmpty)) {
      this.#emit(end, this.#scanner.restingPause(), this.#scanner.totals, { all: true });
    }
    this.#scanner.restart();
    this.#places.restart();
    if (this.#opening) {
      this.#first = true;
      this.#saidLetters = 0;
      this.#opening.restart();
    }
    return this.#take();
  }

  /** Throws `invalid_ssml` where a tag or an element was never closed. */
  end(): Segment[] {
    this.#markup?.parser.end();
    return this.flush();
  }

  #add(seen: string): void {
    this.#text += seen;
    this.#tail += seen;
  }

  /**
   * Another voice, and what follows a sentence or paragraph that is marked, begins with its first
   * character that is no white space, so that it does not matter how the text was cut into
   * messages.
   */
  #see(piece: Piece): void {
    if (piece.parts !== undefined && this.#parts !== 'paragraph') this.#parts = piece.parts;
    const isOther = piece.voice !== this.#voice || this.#parts !== undefined;
    const begin = isOther ? piece.visible.search(/\S/) : -1;
    if (begin > 0) {
      const [source, visible] = [piece.source.slice(0, begin), piece.visible.slice(0, begin)];
      this.#track({ ...piece, source, visible });
    }
    if (begin >= 0) this.#beginVoice(piece.voice);
    const rest = { ...piece, source: piece.source.slice(begin), visible: piece.visible.slice(begin) };
    this.#track(begin > 0 ? rest : piece);
  }

  #track(piece: Piece): void {
    if (piece.said?.kind === 'break') {
      this.#rests.push({ index: this.#tail.length, tokens: silentTokens(piece.said.ms) });
    }
    this.#add(this.#markup!.track.add(piece));
  }

  /** What follows begins a segment, said by another voice where that is one. */
  #beginVoice(voice: string | undefined): void {
    this.#advance(true);
    if (this.#text.trim() !== '') {
      const end = this.#start + this.#text.length;
      this.#fit(end);
      const pause = this.#parts ?? this.#scanner.pauseBeforeVoice();
      if (end > this.#start) this.#emit(end, pause, this.#scanner.totals);
    }
    this.#scanner.restart();
    if (voice !== this.#voice) this.#places.turn();
    this.#voice = voice;
    this.#parts = undefined;
  }

  #take(): Segment[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }

  #advance(final: boolean): void {
    const from = this.#scanned;
    const found = (index: number, boundary: Boundary) => this.#found(from + index, boundary);
    const used = this.#scanner.scan(this.#tail, final, found, this.#rests);
    this.#tail = this.#tail.slice(used);
    if (this.#rests.length > 0) {
      this.#rests = this.#rests.flatMap(({ index, tokens }) => (index < used ? [] : [{ index: index - used, tokens }]));
    }
    this.#scanned = from + used;
    this.#cutInTime(this.#scanned);
    this.#cutAtPhrase(this.#scanned);
  }

  #found(at: number, boundary: Boundary): void {
    const { letters, words, weight } = this.#scanner.totals;
    const { rank, pause, clause } = boundary;
    const candidate = { rank, pause, clause, at, letters, words, weight };
    this.#candidates.push(candidate);
    this.#cutInTime(at);
    this.#cutAtPhrase(at);
    const known = this.#known;
    const guess = known.tokens + (weight - known.weight) * known.factor;
    if (guess > MAX_TOKENS || at - this.#start > MAX_UNITS) this.#fit(at);
    if (rank < RANK.weak) return;
    const ends = this.#ends(candidate);
    if (ends && rank < RANK.sentence && at - this.#start <= this.#clauseReach) {
      this.#held = candidate;
      return;
    }
    if (ends) this.#cutAt(candidate);
    // What is too short for a segment has ended the first sentence all the same, where some of it
    // was cut off.
    if (rank >= RANK.sentence && (ends || this.#opening?.begun)) this.#opening?.end();
  }

  #cutAt(place: Candidate, pause = place.pause, ahead?: string): void {
    if (this.#markup || place.weight - this.#base.weight > SURELY_FITS) this.#fit(place.at);
    if (place.at > this.#start) this.#emit(place.at, pause, place, { ahead });
  }

  /** How far the first sentence waits for a later clause. */
  get #clauseReach(): number {
    return this.#opening?.clauseReach ?? this.#inTime;
  }

  /** Whether the text asks for a cut here. */
  #ends({ at, rank, pause, clause }: Candidate): boolean {
    const letters = this.#scanner.totals.letters - this.#base.letters;
    if (letters === 0 || rank < RANK.weak || pause === 'none') return false;
    if (rank === RANK.paragraph || pause === 'paragraph' || pause === 'heading') return true;
    const words = this.#scanner.totals.words - this.#base.words;
    if (rank >= RANK.sentence) {
      if (this.#first) return letters >= FIRST_SENTENCE.letters && words >= FIRST_SENTENCE.words;
      return letters >= MIN_LETTERS;
    }
    if (clause === 'no') return false;
    if (this.#opening) return this.#opening.takesClause(this.#chars(at));
    if (!this.#first || words < FIRST_CLAUSE.words) return false;
    return letters >= (clause === 'surely' ? FIRST_CLAUSE.letters : FIRST_CLAUSE_ANY_LETTERS);
  }

  /**
   * The first sentence has grown beyond what is there in time: it is cut at its last clause that
   * was.
   */
  #cutInTime(at: number): void {
    const held = this.#held;
    if (held !== undefined && at - this.#start > this.#clauseReach) this.#cutAt(held);
  }

  /**
   * The first sentence of a writer, looked at up to `at`, is so long without a clause that it is
   * cut before a phrase.
   */
  #cutAtPhrase(at: number): void {
    if (!this.#opening || this.#held !== undefined || this.#scanner.totals.words === this.#base.words) return;
    this.#lead ??= this.#text.length - this.#text.trimStart().length;
    const text = this.#text.slice(this.#lead, at - this.#start);
    const cut = this.#opening.phraseCut(this.#candidates, text, this.#start + this.#lead);
    if (cut) this.#cutAt(cut.place, 'joined', cut.ahead);
  }

  /** Characters of the open segment up to `at`, without the white space around them. */
  #chars(at: number): number {
    return this.#text.slice(0, at - this.#start).trim().length;
  }

  /**
   * Whether all of the open segment is within the model's limit without a count. "¼" and its like
   * say more than they weigh.
   */
  #surelyFits(): boolean {
    return !this.#markup && this.#scanner.weightSoFar - this.#base.weight <= SURELY_FITS && WEIGHED.test(this.#text);
  }

  /** Cuts until what lies between the start and `end` is within the model's limit. */
  #fit(end: number): void {
    for (;;) {
      let failed = Number.POSITIVE_INFINITY;
      const units = end - this.#start;
      if (units <= MAX_UNITS) {
        const tokens = this.#tokens(end);
        if (tokens <= MAX_TOKENS) {
          const { weight } = this.#scanner.totals;
          // Text that makes fewer tokens than it weighs need not be counted again soon; text that
          // makes more, sooner.
          const ratio = tokens / Math.max(1, weight - this.#base.weight);
          this.#known = { at: end, tokens, weight, factor: Math.min(8, Math.max(0.02, ratio * 1.5)) };
          return;
        }
        failed = tokens;
      }
      const cut = this.#bestCut(end, failed);
      // Nothing divides it: the reader parts such a word when it speaks it.
      if (!cut) return;
      this.#emit(cut.at, cut.pause === 'none' ? 'carried' : cut.pause, cut);
    }
  }

  #bestCut(end: number, tokens: number): Candidate | undefined {
    const places = this.#candidates.filter(({ at }) => at > this.#start && at < end);
    let high = places.length;
    let fits = { at: this.#known.at, tokens: this.#known.tokens };
    let low = lastAtMost(places, fits.at);
    let fails = { at: Math.min(end, this.#start + MAX_UNITS + 1), tokens: Math.min(tokens, MAX_TOKENS * 8) };
    // Between a place that fits and one that does not, the next to try is where the limit should
    // lie.
    for (let tries = 0; high - low > 1 && fits.tokens < MAX_TOKENS * NEAR_LIMIT; tries += 1) {
      const share = (MAX_TOKENS * NEAR_LIMIT - fits.tokens) / (fails.tokens - fits.tokens);
      const wanted = fits.at + (fails.at - fits.at) * share;
      const middle = tries < 4 ? Math.min(high - 1, Math.max(low + 1, lastAtMost(places, wanted))) : (low + high) >> 1;
      const { at } = places[middle]!;
      const counted = at - this.#start <= MAX_UNITS ? this.#tokens(at) : Number.POSITIVE_INFINITY;
      if (counted <= MAX_TOKENS) {
        low = middle;
        fits = { at, tokens: counted };
      } else {
        high = middle;
        fails = { at, tokens: Math.min(counted, MAX_TOKENS * 8) };
      }
    }
    // Not even the first stretch fits: cut it off alone.
    if (low < 0) return places[0];
    return forcedCut(places.slice(0, low + 1), { text: this.#text, start: this.#start }, this.#words);
  }

  #tokens(end: number): number {
    const units = end - this.#start;
    return this.#markup ? this.#markup.track.tokens(units) : this.#count(this.#text.slice(0, units));
  }

  /** `all`: nothing follows, or a flush. `ahead`: words behind it that it goes on to. */
  #emit(
    at: number,
    pause: PauseKind,
    totals: Totals,
    { all = false, ahead }: { all?: boolean; ahead?: string | undefined } = {},
  ): void {
    this.#opening?.cut(this.#chars(at));
    const { source, spans } = this.#read(at - this.#start, all);
    const [voice, { before, isWhole }] = [this.#voice, this.#sentence];
    const letters = totals.letters - this.#base.letters;
    const place = this.#places.take({ text: source, pause, spans }, letters, all);
    const follows = before !== undefined && isWhole && !place?.turn ? place?.after : undefined;
    this.#out.push({
      text: source,
      offset: this.#offset,
      spans,
      pause,
      ...(before !== undefined && { before }),
      ...(follows !== undefined && { follows }),
      ...(ahead !== undefined && { ahead }),
      ...(this.#isAwaited(letters) && { awaited: true }),
      ...(voice !== undefined && { voice }),
      ...(place && { place }),
    });
    this.#sentence.cut(this.#text.slice(0, at - this.#start), pause);
    this.#text = this.#text.slice(at - this.#start);
    this.#start = at;
    this.#offset += countChars(source);
    this.#first = false;
    this.#saidLetters += letters;
    this.#lead = undefined;
    this.#held = undefined;
    this.#base = { letters: totals.letters, words: totals.words, weight: totals.weight };
    this.#known = { at, tokens: 0, weight: totals.weight, factor: 1 };
    this.#candidates = this.#candidates.filter((candidate) => candidate.at > at);
  }

  /** Whether a listener waits for a segment of `letters`, with `base-tts` on two cores. */
  #isAwaited(letters: number): boolean {
    return letters > AWAITED_SHARE * this.#saidLetters && this.#inTime !== Number.POSITIVE_INFINITY;
  }

  #read(units: number, all: boolean): Taken {
    if (this.#markup) return this.#markup.track.take(all ? 'all' : units);
    const source = this.#text.slice(0, units);
    const spans = SPEAKABLE.test(source)
      ? [{ kind: 'text' as const, text: source, start: 0, end: countChars(source) }]
      : [];
    return { source, spans };
  }
}

/** The segments of a whole text. */
export function segmentText(text: string, options: SegmenterOptions): Segment[] {
  const segmenter = new Segmenter(options);
  return [...segmenter.push(text), ...segmenter.end()];
}

/** Index of the last place not beyond `at`. */
function lastAtMost(places: readonly Candidate[], at: number): number {
  let low = -1;
  let high = places.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (places[middle]!.at <= at) low = middle;
    else high = middle;
  }
  return low;
}
