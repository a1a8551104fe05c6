/**
 * Reads visible characters once, left to right, and names every place where a segment could end,
 * with its rank.
 */
import { DEFAULT_LANGUAGE, type Language, type PauseKind } from '../../protocol/job.js';
import { codeOf } from '../../protocol/languages.js';
import { characterIs, IS, IS_MARK } from '../character-kinds.js';
import { type LineKind, type LineMarker, lineMarker, NO_MARKER } from '../line-marks.js';
import { type FormulaSpan, formulaAt } from '../normalize/formula-span.js';
import { closesQuote, footnote, nextKind, nextWord } from './segment-lookahead.js';
import {
  type Clause,
  clauseAt,
  clauseBeginnings,
  ITEM_WORDS,
  looksAhead,
  type Mark,
  markAfter,
  markIs,
  type Next,
  RANK,
  type Rank,
  rankOf,
  type SentenceWords,
} from './sentence-ends.js';
import { sentenceWords } from './sentence-words.js';

export interface Boundary {
  readonly rank: Rank;
  readonly pause: PauseKind;
  /** Whether a clause ended here, so that it may be the first thing heard. */
  readonly clause: Clause;
}

/** Running totals from the very start; differences of two give those of a stretch. */
export interface Totals {
  letters: number;
  words: number;
  /** A guess at the tokens: exact counts are asked for only where it comes near the limit. */
  weight: number;
}

type Found = (index: number, boundary: Boundary) => void;

/**
 * A silence that the text asks for, at the white space that stands for it, with the tokens of
 * speech as long.
 */
export interface Rest {
  readonly index: number;
  readonly tokens: number;
}

const WORD: Boundary = { rank: RANK.word, pause: 'none', clause: 'no' };
const INSIDE: Boundary = { rank: RANK.inside, pause: 'none', clause: 'no' };
/** A silence the text asks for: a good place where a cut is needed, but no reason for one. */
const REST: Boundary = { rank: RANK.strong, pause: 'none', clause: 'no' };
const PARAGRAPH: Boundary = { rank: RANK.paragraph, pause: 'paragraph', clause: 'no' };
const HEADING: Boundary = { rank: RANK.paragraph, pause: 'heading', clause: 'no' };
const NO_RESTS: readonly Rest[] = [];
const JOINER = 0x200d;
const VOWELS = (1 << 0) | (1 << 4) | (1 << 8) | (1 << 14) | (1 << 20) | (1 << 24);
/** What a letter said by its name, a digit or a sign may make. */
const HEAVY = 8;
/** Tokens that a character of a formula makes, at most by far: "x_1^2" is "x sub one squared". */
const FORMULA_WEIGHT = 6;
/** A word heavier than this may be cut inside, every few characters. */
const LONG_WORD = 200;
const INSIDE_STEP = 8;
const WORD_KEPT = 40;
const SHORT_LINE = 55;
/** Scripts from here on write a syllable with one character. */
const WIDE_FROM = 0x2e80;

export class BoundaryScanner {
  readonly #words: SentenceWords;
  /** Formulas are known in English. */
  readonly #formulas: boolean;
  /** The last character that was scanned. */
  #last = '';
  readonly totals: Totals = { letters: 0, words: 0, weight: 0 };
  #text = '';
  #rests: readonly Rest[] = NO_RESTS;
  #rested = 0;
  /** Where the open word begins in `#text`, and what an earlier push held of it. */
  #wordFrom = 0;
  #carried = '';
  #inWord = false;
  #wordChars = 0;
  #wordWeight = 0;
  #sinceInside = 0;
  #vowel = false;
  #joined = false;
  #previous = '';
  /** The word before the previous one. */
  #earlier = '';
  #mark: Mark | null = null;
  #newlines = 0;
  #lineStart = true;
  #lineKind: LineKind = 'plain';
  #lineChars = 0;
  #indent = 0;
  #sentenceWords = 0;
  /** The first word of the sentence, the commas since, and what stood between them. */
  #opening = '';
  #commas = 0;
  #listed = false;
  #sinceComma = 0;
  /** Nothing but white space and markers since the last paragraph. */
  #blank = true;

  constructor(language: Language = DEFAULT_LANGUAGE) {
    this.#words = sentenceWords(language);
    this.#formulas = codeOf(language) === 'en';
  }

  /**
   * Consumes `text` as far as decisions can be made and returns how far that was; `found` is told
   * of each boundary, with the index it lies at, after everything before it was consumed. `final`
   * says that nothing follows. `rests` are in order.
   */
  scan(text: string, final: boolean, found: Found, rests: readonly Rest[] = NO_RESTS): number {
    this.#text = text;
    this.#rests = rests;
    this.#rested = 0;
    this.#wordFrom = 0;
    const used = this.#scan(text, final, found);
    if (used > 0) this.#last = text[used - 1]!;
    if (this.#inWord) this.#carried = this.#wordUntil(used);
    return used;
  }

  /** How the text rests where it was cut off by flush or end. */
  restingPause(): PauseKind {
    const mark = this.#mark;
    if (mark === null) return this.#lineKind === 'item' && this.#newlines > 0 ? 'item' : 'none';
    return markIs(mark) & (IS.end | IS.wideEnd) ? 'sentence' : 'clause';
  }

  /** How the text rests where another voice goes on. */
  pauseBeforeVoice(): PauseKind {
    if (this.#newlines >= 2 && !this.#blank) return 'paragraph';
    const pause = this.restingPause();
    return pause === 'none' ? 'carried' : pause;
  }

  /** The guess at the tokens with those of the word that is still open, should it be spelled. */
  get weightSoFar(): number {
    const spelled = this.#inWord && !this.#vowel ? HEAVY * Math.min(this.#wordChars, WORD_KEPT) : 0;
    return this.totals.weight + spelled;
  }

  /** After a cut that the text did not ask for, the next character begins a new text. */
  restart(): void {
    this.#startParagraph();
    this.#inWord = false;
    this.#carried = '';
    this.#previous = '';
    this.#earlier = '';
    this.#last = '';
  }

  #scan(text: string, final: boolean, found: Found): number {
    const { length } = text;
    let i = 0;
    while (i < length) {
      const code = text.charCodeAt(i);
      if (this.#inWord && this.#mark === null && code >= 97 && code <= 122 && this.#wordWeight < LONG_WORD) {
        i = this.#smallLetters(text, i);
        continue;
      }
      const high = code >= 0xd800 && code < 0xdc00;
      if (high && i + 1 === length && !final) return i;
      const point = high ? text.codePointAt(i)! : code;
      const is = characterIs(point);
      if (is & IS.space) {
        this.#space(code, i);
        i += 1;
        const rest = this.#rests[this.#rested];
        if (rest?.index === i - 1) {
          this.#rested += 1;
          this.totals.weight += rest.tokens;
          found(i, REST);
        }
        if (this.#newlines >= 2 && !this.#blank) {
          found(i, this.#lineKind === 'heading' ? HEADING : PARAGRAPH);
          this.#startParagraph();
        }
        continue;
      }
      if (
        !this.#inWord &&
        this.#mark !== null &&
        this.#newlines === 0 &&
        (code === 0xbb || code === 0x203a) /* » › */
      ) {
        const closes = closesQuote(text, i, final);
        if (closes === null) return i;
        if (closes) {
          this.#character(point, is, i);
          i += 1;
          continue;
        }
      }
      // Where a formula ends must be seen before anything behind its beginning is decided.
      const formula = (code === 0x24 || code === 0x5c) && this.#formulas ? this.#formulaAt(text, i, final) : undefined;
      if (formula === null) return i;
      if (!this.#inWord) {
        const step = this.#startWord(text, i, final, found);
        if (step < 0) return i;
        if (step > 0) {
          i += step;
          continue;
        }
      } else {
        const boundary = this.#insideWord(is, i);
        if (boundary) found(i, boundary);
      }
      if (formula) {
        this.#formula(text, i, formula.end);
        i = formula.end;
        continue;
      }
      const note = this.#mark && code === 0x5b /* [ */ ? footnote(text, i, final) : 0;
      if (note < 0) return i;
      if (note === 0) this.#character(point, is, i);
      i += note === 0 ? (point > 0xffff ? 2 : 1) : note;
    }
    return i;
  }

  /** The common case by itself: a run of small letters inside a word. */
  #smallLetters(text: string, from: number): number {
    let i = from;
    let seen = 0;
    const end = Math.min(text.length, from + LONG_WORD);
    for (; i < end; i += 1) {
      const letter = text.charCodeAt(i) - 97;
      if (letter < 0 || letter > 25) break;
      seen |= 1 << letter;
    }
    const run = i - from;
    if (seen & VOWELS) this.#vowel = true;
    this.totals.letters += run;
    this.totals.weight += run;
    this.#wordChars += run;
    this.#wordWeight += run;
    this.#sinceInside += run;
    this.#lineChars += run;
    this.#joined = false;
    return i;
  }

  #formulaAt(text: string, at: number, final: boolean): FormulaSpan | undefined | null {
    return formulaAt(text, at, final, at > 0 ? text[at - 1]! : this.#last);
  }

  /** A formula is a part of its word, and is cut nowhere. */
  #formula(text: string, from: number, end: number): void {
    const units = end - from;
    let letters = 0;
    for (let i = from; i < end; i += 1) if (characterIs(text.charCodeAt(i)) & IS.letter) letters += 1;
    this.#mark = null;
    this.#vowel = true;
    this.#joined = false;
    this.totals.letters += Math.max(letters, 1);
    this.totals.weight += FORMULA_WEIGHT * units;
    this.#wordChars += units;
    this.#lineChars += units;
  }

  #wordUntil(index: number): string {
    const { length } = this.#carried;
    return this.#carried + this.#text.slice(this.#wordFrom, Math.min(index, this.#wordFrom + WORD_KEPT - length));
  }

  #startParagraph(): void {
    this.#mark = null;
    this.#newlines = 0;
    this.#lineStart = true;
    this.#lineKind = 'plain';
    this.#lineChars = 0;
    this.#indent = 0;
    this.#sentenceWords = 0;
    this.#opening = '';
    this.#commas = 0;
    this.#listed = false;
    this.#sinceComma = 0;
    this.#blank = true;
  }

  #openWord(index: number): void {
    this.#inWord = true;
    this.#wordFrom = index;
    this.#carried = '';
    this.#wordChars = 0;
    this.#wordWeight = 0;
    this.#sinceInside = 0;
    this.#vowel = false;
    this.totals.words += 1;
  }

  #closeWord(index: number): void {
    this.#earlier = this.#previous;
    this.#previous = this.#wordUntil(index);
    if (this.#opening === '') this.#opening = this.#previous.toLowerCase().replace(/[^\p{L}']/gu, '');
    this.#inWord = false;
    this.#carried = '';
    // Without a vowel it will be spelled.
    if (!this.#vowel) this.totals.weight += HEAVY * Math.min(this.#wordChars, WORD_KEPT);
  }

  #space(code: number, index: number): void {
    if (this.#inWord) this.#closeWord(index);
    this.totals.weight += 1;
    if (code === 0xa || code === 0x85 /* next line */ || code === 0x2028 /* line separator */) {
      this.#newlines += 1;
      this.#indent = 0;
    } else if (code === 0x2029 /* paragraph separator */) {
      this.#newlines += 2;
    } else {
      this.#indent += 1;
    }
  }

  /**
   * Returns how many characters of a line's marker were consumed, or -1 if more text is needed to
   * decide.
   */
  #startWord(text: string, i: number, final: boolean, found: Found): number {
    const lineStart = this.#lineStart || this.#newlines > 0;
    let marker = NO_MARKER;
    if (lineStart) {
      const ahead = lineMarker(text, i, final);
      if (ahead === null) return -1;
      marker = ahead;
    }
    const needNext = this.#mark !== null || this.#newlines > 0;
    const next = needNext
      ? nextKind(
          text,
          i + marker.length,
          final,
          this.#mark !== null && looksAhead(this.#mark, this.#words)
            ? { words: this.#words, mark: this.#mark }
            : undefined,
        )
      : 'other';
    if (next === null) return -1;
    const comma = this.#mark !== null && (markIs(this.#mark) & IS.weak) !== 0;
    const word = comma ? nextWord(text, i + marker.length, final, clauseBeginnings(this.#words)) : '';
    if (word === null) return -1;
    if (!this.#blank) found(i, needNext ? this.#between(next, marker, word) : WORD);
    this.#mark = null;
    this.#newlines = 0;
    if (lineStart) {
      this.#lineStart = false;
      this.#lineChars = marker.length;
      this.#lineKind = marker.kind;
    }
    if (marker.length === 0) {
      this.#blank = false;
      this.#sentenceWords += 1;
      this.#sinceComma += 1;
      this.#openWord(i);
      return 0;
    }
    this.#sentenceWords = 0;
    this.totals.weight += marker.length;
    // What follows the marker starts the item's text: no boundary between the two.
    this.#blank = true;
    return marker.length;
  }

  /** Whether the comma just read ends a clause, by the word behind it. */
  #comma(next: string): Clause {
    const context = { words: this.#words, next, opening: this.#opening, since: this.#sinceComma };
    const clause = clauseAt({ ...context, earlier: this.#commas, listed: this.#listed });
    if (this.#commas > 0 && this.#sinceComma < ITEM_WORDS) this.#listed = true;
    this.#commas += 1;
    this.#sinceComma = 0;
    return clause;
  }

  /** The boundary in front of a word that white space separates from the one before. */
  #between(next: Next, marker: LineMarker, word: string): Boundary {
    const broken = this.#newlines > 0;
    const item = this.#lineKind === 'item' || this.#lineKind === 'table';
    if (broken && this.#lineKind === 'heading') return this.#ended('heading');
    if (broken && marker.length > 0) {
      return this.#ended(item ? 'item' : marker.kind === 'heading' ? 'paragraph' : 'sentence');
    }
    if (broken && this.#lineKind === 'table') return this.#ended('item');
    const mark = this.#mark;
    if (mark) {
      const rank = rankOf(mark, next, {
        words: this.#words,
        previous: this.#earlier,
        first: this.#sentenceWords <= 1,
      });
      if (rank === RANK.sentence) return this.#ended(item && broken ? 'item' : 'sentence');
      const comma = markIs(mark) & IS.weak;
      if (rank >= RANK.weak) return { rank, pause: 'clause', clause: comma ? this.#comma(word) : 'surely' };
    }
    const shortLine = broken && this.#lineChars <= SHORT_LINE && this.#indent === 0;
    if (
      shortLine &&
      (!mark || markIs(mark) & IS.strong) &&
      (next === 'upper' || next === 'opener' || next === 'capitals' || next === 'label' || next === 'digit')
    ) {
      return this.#ended('item');
    }
    return WORD;
  }

  #ended(pause: PauseKind): Boundary {
    this.#sentenceWords = 0;
    this.#opening = '';
    this.#commas = 0;
    this.#listed = false;
    this.#sinceComma = 0;
    return { rank: RANK.sentence, pause, clause: 'no' };
  }

  #insideWord(is: number, index: number): Boundary | null {
    const mark = this.#mark;
    const markedAs = mark ? markIs(mark) : 0;
    if (markedAs & IS.wideEnd && !(is & (IS.closer | IS.wideEnd | IS.end))) {
      this.#mark = null;
      this.#closeWord(index);
      this.#openWord(index);
      return this.#ended('sentence');
    }
    if (markedAs & IS.wideClause && is & (IS.letter | IS.opener)) {
      this.#mark = null;
      return { rank: markedAs & IS.strong ? RANK.strong : RANK.weak, pause: 'clause', clause: 'surely' };
    }
    if (this.#wordWeight < LONG_WORD || this.#sinceInside < INSIDE_STEP) return null;
    if (this.#joined || is & IS.extending) return null;
    this.#sinceInside = 0;
    return INSIDE;
  }

  #character(code: number, is: number, index: number): void {
    const { totals } = this;
    let weight = 1;
    if (is & IS.letter) {
      const small = code >= 97 && code <= 122;
      const wide = code >= WIDE_FROM && code < 0xd800;
      totals.letters += wide ? 2 : 1;
      // Scripts without spaces have a word every two characters or so.
      if (wide) totals.words += 0.5;
      weight = small ? 1 : letterWeight(code, is, this.#wordChars > 0);
      if (!small || (VOWELS >> (code - 97)) & 1) this.#vowel = true;
      // "e.g." is said in whole words.
      if (this.#mark) weight += HEAVY;
      this.#mark = null;
    } else {
      if (this.#mark || is & IS_MARK || code === 0x2d /* - */) {
        this.#mark = markAfter(this.#mark, code, () => this.#wordUntil(index), this.#wordChars === 0);
      }
      if (code >= 128) weight = is & (IS_MARK | IS.closer | IS.opener) ? 2 : 2 * HEAVY;
      else if (is & IS.odd) weight = HEAVY;
    }
    totals.weight += weight;
    this.#wordWeight += weight;
    this.#wordChars += 1;
    this.#sinceInside += 1;
    this.#lineChars += 1;
    this.#joined = code === JOINER;
  }
}

/**
 * What a letter weighs that is none of a to z. Of Han one character is up to a dozen tokens, where
 * it is read by a Japanese word; of the other alphabets that are read as they are written, three.
 */
function letterWeight(code: number, is: number, inside: boolean): number {
  if (code < 0x80) return inside || code < 65 ? HEAVY : 2;
  if (is & IS.digit) return HEAVY;
  if (isHan(code)) return 4;
  return isAccented(code) || isDevanagari(code) || isKana(code) ? 2 : HEAVY;
}

const isAccented = (code: number): boolean => code >= 0xc0 && code < 0x250;
const isDevanagari = (code: number): boolean => code >= 0x900 && code < 0x980;
const isKana = (code: number): boolean => code >= 0x3041 && code < 0x30ff;
const isHan = (code: number): boolean => code >= 0x3400 && code < 0xa000;
