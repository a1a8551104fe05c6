/**
 * The first pass: one alphabet, one kind of quote, dash and space; no marks of Markdown or HTML;
 * lines turned into pauses. What it leaves over is ASCII, Latin letters and the signs the second
 * pass can say.
 */
import { characterIs, IS } from '../character-kinds.js';
import { type LineKind, type LineStart, lineStart } from '../line-marks.js';
import { type Characters, isGreek } from './characters.js';
import { characterReference } from './entities.js';
import { FORMULA_CLOSES, FORMULA_OPENS, FORMULA_SIGNS, findFormula } from './formula-span.js';
import { markRun } from './mark-runs.js';
import {
  autolinkEnd,
  htmlTag,
  isCrumb,
  isDialled,
  isEmphasis,
  isWordUnit,
  linkTailEnd,
  opensLink,
  pointerEnd,
} from './markdown.js';
import { isDigit } from './scan.js';
import { type Mapped, Room, Spoken } from './spoken.js';
import { matchAt, runLength } from './sticky.js';

/** A line this long was wrapped by its author, not ended. */
const WRAPPED_AT = 50;

const ESCAPED = /[_`#[\](){}<>~|!+-]/;
const ANSI = /\x1b(?:\[[0-9;?]{0,30}[A-Za-z]|[()][A-Z0-9])/y;
const EMOJI =
  /(?:\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier})(?:\ufe0e|\ufe0f|\u200d|\u20e3|\p{Emoji_Modifier}|\p{Regional_Indicator}|\p{Extended_Pictographic}|[\u{e0020}-\u{e007f}]){0,30}/uy;
const EMOTICON = /(?:[:;=8][-^o']?[)(DPpO|*3\]]|<3|\^_?\^|[xX]D|:'\()(?=[\s.,!?]|$)/y;
const LATIN_CLUSTER = /\p{Script=Latin}\p{M}{0,40}/uy;
const PAIR = /[\ud800-\udbff][\udc00-\udfff]/;
const SUPERSCRIPT_ENDING = /(?:ˢᵗ|ⁿᵈ|ʳᵈ|ᵗʰ)/y;
const SUPERSCRIPT_STARTS = 'ˢⁿʳᵗ';
const SUPERSCRIPT_ENDINGS: Readonly<Record<string, string>> = { ˢᵗ: 'st', ⁿᵈ: 'nd', ʳᵈ: 'rd', ᵗʰ: 'th' };
/** Above the letter of a quantity: "x̄" is its mean. */
const ACCENTS: Readonly<Record<string, string>> = {
  '\u0302': 'hat',
  '\u0303': 'tilde',
  '\u0304': 'bar',
  '\u0305': 'bar',
  '\u0307': 'dot',
  '\u20d7': 'vector',
};

/**
 * Told of every mark that is markup and no text, in UTF-16 units, and of what may be shown in its
 * place.
 */
type OnMarkup = (from: number, to: number, shown: string) => void;

export interface CleanOptions {
  /** Where the text is collected. What comes back lies in it. */
  readonly room?: Room;
  readonly onMarkup?: OnMarkup;
}

export function clean(input: string, characters: Characters, options: CleanOptions = {}): Mapped {
  return new Cleaner(input, characters, options).run();
}

/**
 * For each UTF-16 unit the number of the code point it belongs to, and for the end how many there
 * are; undefined where all are units themselves.
 */
function codePoints(input: string): Int32Array | undefined {
  if (!PAIR.test(input)) return undefined;
  const { length } = input;
  const points = new Int32Array(length + 1);
  let point = 0;
  for (let i = 0; i < length; i++) {
    points[i] = point;
    if ((input.charCodeAt(i) & 0xfc00) === 0xd800 && i + 1 < length && (input.charCodeAt(i + 1) & 0xfc00) === 0xdc00)
      points[++i] = point;
    point++;
  }
  points[length] = point;
  return points;
}

class Cleaner {
  readonly #input: string;
  readonly #points: Int32Array | undefined;
  readonly #out: Spoken;
  readonly #characters: Characters;
  readonly #onMarkup: OnMarkup | undefined;
  #line: LineKind = 'plain';
  #lineBegan = 0;
  #inLink = false;
  #commentsEnd = true;

  constructor(input: string, characters: Characters, { room = new Room(), onMarkup }: CleanOptions) {
    this.#input = input;
    this.#characters = characters;
    this.#onMarkup = onMarkup;
    this.#out = new Spoken(room);
    this.#points = codePoints(input);
  }

  run(): Mapped {
    const text = this.#input;
    let at = this.#beginLine(0, lineStart(text, 0));
    while (at < text.length) {
      const code = text.charCodeAt(at);
      if (isPlain(code)) at = this.#plain(at);
      else at = code < 0x80 ? this.#ascii(at, code) : this.#beyond(at);
    }
    if (this.#line !== 'plain' && this.#line !== 'rule') this.#endOfBlock(text.length, text.length);
    return this.#out.finish();
  }

  #point(at: number): number {
    return this.#points ? this.#points[at]! : at;
  }

  #put(piece: string, from: number, to: number): number {
    if (piece === ' ') this.#out.space(this.#point(from), this.#point(to));
    else this.#out.put(piece, this.#point(from), this.#point(to));
    return to;
  }

  #skip(kind: string, from: number, to: number): number {
    this.#out.skip(kind, this.#point(to) - this.#point(from));
    return to;
  }

  #pause(mark: string, from: number, to: number): number {
    this.#out.pause(mark, this.#point(from), this.#point(to));
    return to;
  }

  /** Passes over what is markup and no text. */
  #markup(from: number, to: number, shown = ''): number {
    this.#onMarkup?.(from, to, shown);
    return to;
  }

  #beginLine(at: number, { kind, end }: LineStart): number {
    this.#line = kind;
    this.#lineBegan = end;
    return this.#markup(at, end);
  }

  /**
   * A heading, an item or a row has ended; a closing quote or bracket does not hide the mark before
   * it.
   */
  #endOfBlock(from: number, to: number): void {
    this.#pause(this.#line === 'table' ? ';' : '.', from, to);
  }

  #newline(at: number): number {
    const text = this.#input;
    let end = at;
    let lines = 0;
    while (end < text.length) {
      const code = text.charCodeAt(end);
      if (code === 10 || (code === 13 && text.charCodeAt(end + 1) !== 10)) lines++;
      else if (code !== 13 && code !== 32 && code !== 9) break;
      end++;
    }
    // What indents the next line belongs to it: its marks are recognised from its beginning.
    while (end > at && (text[end - 1] === ' ' || text[end - 1] === '\t')) end--;
    const length = at - this.#lineBegan;
    const next = lineStart(text, end);
    if (this.#line === 'rule') this.#put(' ', at, end);
    else if (this.#line !== 'plain' || lines > 1 || next.kind !== 'plain') this.#endOfBlock(at, end);
    else if (length >= WRAPPED_AT || (end < text.length && characterIs(text.charCodeAt(end)) & IS.lower))
      this.#put(' ', at, end);
    else this.#pause(',', at, end);
    return this.#beginLine(end, next);
  }

  /**
   * ASCII letters and digits stay as they are; only an accent that follows the last one belongs to
   * it.
   */
  #plain(at: number): number {
    const text = this.#input;
    let end = at + 1;
    while (end < text.length && isPlain(text.charCodeAt(end))) end++;
    if (end - at === 3 && text[end] === '_' && text.startsWith('lim', at)) {
      const formula = this.#formula(at);
      if (formula !== undefined) return formula;
    }
    const cluster = isExtended(text, end) ? matchAt(LATIN_CLUSTER, text, end - 1) : null;
    const accented = cluster !== null && cluster[0].length > 1;
    this.#out.copy(text.slice(at, accented ? end - 1 : end), this.#point(at));
    return accented ? this.#letter(cluster[0], end - 1) : end;
  }

  #ascii(at: number, code: number): number {
    const text = this.#input;
    const char = text[at]!;
    switch (code) {
      case 0x20 /* space */:
      case 0x9 /* tab */:
      case 0xb /* vertical tab */:
      case 0xc /* form feed */:
        return this.#put(' ', at, at + 1);
      case 0xa /* line feed */:
      case 0xd /* carriage return */:
        return this.#newline(at);
      case 0x26 /* & */:
        {
          const reference = characterReference(text, at);
          if (!reference) return this.#put('&', at, at + 1);
          this.#markup(at, reference.end, reference.char);
          return this.#substitute(reference.char, at, reference.end);
        }
      case 0x60 /* ` */:
        return this.#markup(at, at + runLength(text, at));
      case 0x2a /* asterisk */:
        {
          const end = at + runLength(text, at);
          if (this.#characters.formulas && isDialled(text, at)) return this.#put('*', at, at + 1);
          if (isEmphasis(text, at, end)) return this.#markup(at, end);
          return this.#put(end - at > 1 ? '^' : '*', at, end);
        }
      case 0x5f /* _ */:
        return this.#formula(at) ?? this.#underscore(at);
      case 0x5b /* [ */:
      case 0x5d /* ] */:
      case 0x21 /* ! */:
        return this.#bracket(at, char);
      case 0x3c /* < */:
        return this.#angle(at);
      case 0x5c /* \ */:
        return this.#formula(at) ?? this.#backslash(at);
      case 0x24 /* $ */:
      case 0x5e /* ^ */:
        return this.#formula(at) ?? this.#punctuation(at);
      case 0x7c /* | */:
        return this.#pipe(at);
      case 0x1b /* escape */:
        {
          const match = matchAt(ANSI, text, at);
          if (match) return this.#markup(at, at + match[0].length);
          this.#markup(at, at + 1);
          return this.#skip('control', at, at + 1);
        }
    }
    if (code < 32 || code === 127) {
      this.#markup(at, at + 1);
      return this.#skip('control', at, at + 1);
    }
    return this.#punctuation(at);
  }

  /** A formula is left as it is written, between two marks, for the language's own rules. */
  #formula(at: number): number | undefined {
    const text = this.#input;
    const span = this.#characters.formulas ? findFormula(text, at) : undefined;
    if (!span) return undefined;
    const { from, to, end } = span;
    this.#out.put(FORMULA_OPENS, this.#point(at), this.#point(from));
    for (let i = from; i < to; ) {
      const length = text.codePointAt(i)! > 0xffff ? 2 : 1;
      this.#out.put(text.slice(i, i + length), this.#point(i), this.#point(i + length));
      i += length;
    }
    this.#out.put(FORMULA_CLOSES, this.#point(to), this.#point(end));
    return end;
  }

  /** Escapes of Markdown lose their backslash; others may be a path or a formula. */
  #backslash(at: number): number {
    const text = this.#input;
    const run = runLength(text, at);
    if (run > 1) return run > 3 ? at + run : this.#put('\\', at, at + 1);
    const next = text.charAt(at + 1);
    if (next === '*') {
      this.#markup(at, at + 1);
      const factor = isWordUnit(text.charCodeAt(at - 1)) && isWordUnit(text.charCodeAt(at + 2));
      return factor ? this.#put('*', at, at + 2) : at + 2;
    }
    const escapes = ESCAPED.test(next) || (next === '.' && /\d/.test(text.charAt(at - 1)));
    if (!escapes) return this.#put('\\', at, at + 1);
    this.#markup(at, at + 1);
    return this.#put(next, at, at + 2);
  }

  #underscore(at: number): number {
    const end = at + runLength(this.#input, at);
    const inside = isWordUnit(this.#input.charCodeAt(at - 1)) && isWordUnit(this.#input.charCodeAt(end));
    return inside ? this.#put('_', at, end) : this.#markup(at, end);
  }

  #bracket(at: number, char: string): number {
    const text = this.#input;
    if (char === '!') {
      if (text[at + 1] === '[' && opensLink(text, at + 1)) return this.#markup(at, at + 1);
      return this.#punctuation(at);
    }
    if (char === '[') {
      const pointer = pointerEnd(text, at);
      if (pointer !== undefined) return this.#markup(at, pointer);
      this.#inLink = opensLink(text, at);
      return this.#inLink ? this.#markup(at, at + 1) : this.#put('[', at, at + 1);
    }
    const tail = linkTailEnd(text, at, this.#inLink);
    if (tail === undefined) return this.#put(']', at, at + 1);
    this.#inLink = false;
    return this.#markup(at, tail);
  }

  #angle(at: number): number {
    const text = this.#input;
    if (this.#commentsEnd && text.startsWith('<!--', at)) {
      const end = text.indexOf('-->', at + 4);
      if (end >= 0) return this.#markup(at, end + 3);
      // There is none further on either: looking again at every comment would take quadratic time.
      this.#commentsEnd = false;
    }
    const tag = htmlTag(text, at);
    if (tag) {
      // What is raised behind a word is a power.
      const power = /^<sup>$/i.test(text.slice(at, tag.end)) && isWordUnit(text.charCodeAt(at - 1));
      this.#markup(at, tag.end, tag.breaks ? ' ' : '');
      if (power) return this.#put('^', at, tag.end);
      return tag.breaks ? this.#pause(',', at, tag.end) : tag.end;
    }
    const emoticon = this.#emoticon(at);
    if (emoticon !== undefined) return emoticon;
    const link = autolinkEnd(text, at);
    if (link === undefined) return this.#put('<', at, at + 1);
    this.#markup(at, at + 1);
    for (let i = at + 1; i < link - 1; i++) this.#put(text[i]!, i, i + 1);
    return this.#markup(link - 1, link);
  }

  #pipe(at: number): number {
    const text = this.#input;
    if (text[at + 1] === '|' && this.#line !== 'table') return this.#put('||', at, at + 2);
    if (this.#line !== 'table' && this.#isAbsolute(at)) return this.#put('|', at, at + 1);
    const alone = this.#line === 'table' || text[at - 1] === ' ' || text[at + 1] === ' ';
    if (!alone) return this.#put('|', at, at + 1);
    if (this.#line !== 'table') return this.#pause(',', at, at + 1);
    this.#markup(at, at + 1, ' ');
    const rest = matchAt(/[ \t]*(?=[\r\n]|$)/y, text, at + 1);
    return rest ? at + 1 : this.#pause(',', at, at + 1);
  }

  /** "|x|": a bar that opens or closes something short, and stands apart from what is outside. */
  #isAbsolute(at: number): boolean {
    const text = this.#input;
    const opens = matchAt(/\|[^|\s](?:[^|\n]{0,14}[^|\s])?\|/y, text, at);
    if (opens) return true;
    const from = text.lastIndexOf('|', at - 1);
    return from >= 0 && at - from < 18 && text[from + 1] !== ' ' && text[at - 1] !== ' ';
  }

  #emoticon(at: number): number | undefined {
    if (at > 0 && (isPlain(this.#input.charCodeAt(at - 1)) || !/\s/.test(this.#input[at - 1]!))) return undefined;
    const match = matchAt(EMOTICON, this.#input, at);
    return match ? this.#skip('emoji', at, at + match[0].length) : undefined;
  }

  #punctuation(at: number): number {
    const code = this.#input.charCodeAt(at);
    if (code === 0x3a /* : */ || code === 0x3b /* ; */ || code === 0x3d /* = */ || code === 0x5e /* ^ */) {
      const emoticon = this.#emoticon(at);
      if (emoticon !== undefined) return emoticon;
    }
    if (code === 0x23 /* # */ && this.#characters.formulas && isDialled(this.#input, at))
      return this.#put('#', at, at + 1);
    const { piece, end } = markRun(this.#input, at);
    if (piece === undefined || piece === '') this.#markup(at, end);
    if (piece === undefined) return this.#pause(',', at, end);
    if (piece.length === end - at && piece.length > 1) this.#out.copy(piece, this.#point(at));
    else if (piece !== '') this.#put(piece, at, end);
    return end;
  }

  /** Writes what a character stands for; a line break among it ends the line. */
  #substitute(piece: string, from: number, to: number): number {
    if (piece === '' || piece === '\n') return piece === '' ? to : this.#pause('.', from, to);
    const code = piece.codePointAt(0)!;
    if (code < 0x80) {
      if (code < 32 && code !== 9) return this.#put(' ', from, to);
      return this.#put(piece, from, to);
    }
    const { form } = this.#characters.of(code);
    if (form !== undefined) return this.#write(form, from, to);
    return this.#skip('symbol', from, to);
  }

  #write(piece: string, from: number, to: number): number {
    if (piece.length === 1 && piece > ' ') return this.#put(piece, from, to);
    if (piece.startsWith('\n')) return this.#pause('.', from, to);
    const body = piece.trim();
    if (piece.startsWith(' ')) this.#put(' ', from, from);
    if (body !== '') this.#put(body, from, to);
    // A mark of an alphabet that writes no spaces still ends a word, unless it stands inside a
    // number.
    if (piece.endsWith(' ') && !isDigit(this.#input.charCodeAt(to))) this.#put(' ', to, to);
    return to;
  }

  #beyond(at: number): number {
    const text = this.#input;
    const code = text.codePointAt(at)!;
    if (code === 0xfffd) return this.#skip('replacement', at, at + runLength(text, at));
    const char = code > 0xffff ? String.fromCodePoint(code) : text[at]!;
    const end = at + char.length;
    if (code >= 0xd800 && code <= 0xdfff) return this.#skip('surrogate', at, end);
    const ending = code > 0x2b0 && SUPERSCRIPT_STARTS.includes(char) ? matchAt(SUPERSCRIPT_ENDING, text, at) : null;
    if (ending) return this.#put(SUPERSCRIPT_ENDINGS[ending[0]]!, at, at + ending[0].length);
    // A thin space groups digits: "1 000 000".
    if ((code === 0x202f || code === 0x2009 || code === 0xa0) && /^\d\d\d(?!\d)/.test(text.slice(end, end + 4))) {
      if (/\d/.test(text.charAt(at - 1))) return this.#put(this.#characters.groupMark, at, end);
    }
    if (code > 0x21ff && code < 0x2230 && FORMULA_SIGNS.includes(char)) {
      const formula = this.#formula(at);
      if (formula !== undefined) return formula;
    }
    if ((char === '»' || char === '›') && this.#characters.formulas && isCrumb(text, at))
      return this.#pause(',', at, end);
    const cluster = isExtended(text, end) ? matchAt(LATIN_CLUSTER, text, at) : null;
    if (cluster && cluster[0].length > char.length) return this.#letter(cluster[0], at);
    const character = this.#characters.of(code);
    if (isGreek(code) && (isGreek(text.charCodeAt(at - 1)) || isGreek(text.charCodeAt(end)))) {
      if (character.sound !== undefined) return this.#put(character.sound, at, end);
      return this.#skip(character.skippedInGreek, at, end);
    }
    const { form, skipped } = character;
    if (form !== undefined) {
      const drawable = text[end] === char && !isWordUnit(form.charCodeAt(0)) && char !== '★' && char !== '☆';
      const run = drawable ? runLength(text, at) : 1;
      if (run > 3) return this.#drawn(at, at + run);
      return this.#write(form, at, end);
    }
    if (skipped === '') return end;
    if (skipped === 'emoji') return this.#skip('emoji', at, at + matchAt(EMOJI, text, at)![0].length);
    if (character.sound !== undefined) return this.#put(character.sound, at, end);
    return this.#skip(skipped, at, end);
  }

  /** A row of the same sign is drawn, not written. */
  #drawn(from: number, to: number): number {
    this.#skip('symbol', from, to);
    return this.#pause(',', from, to);
  }

  /** A letter and the accents behind it. */
  #letter(cluster: string, at: number): number {
    const end = at + cluster.length;
    const mark = this.#characters.formulas ? ACCENTS[cluster.slice(1)] : undefined;
    if (mark !== undefined && this.#isAlone(at, end) && cluster.normalize('NFC').length > 1)
      return this.#put(`${cluster[0]} ${mark}`, at, end);
    const composed = cluster.normalize('NFC');
    const form = composed.length === 1 ? this.#formOf(composed) : undefined;
    return this.#put(form ?? this.#formOf(cluster) ?? cluster.charAt(0), at, end);
  }

  /** Neither a letter nor a digit stands beside it. */
  #isAlone(from: number, to: number): boolean {
    return !isWordUnit(this.#input.charCodeAt(from - 1)) && !isWordUnit(this.#input.charCodeAt(to));
  }

  /** The form of the character a text begins with. */
  #formOf(text: string): string | undefined {
    return this.#characters.of(text.charCodeAt(0)).form;
  }
}

/** Whether what stands at `at` may belong to the character before it. */
const isExtended = (text: string, at: number) =>
  text.charCodeAt(at) >= 0x300 && (characterIs(text.codePointAt(at)!) & IS.extending) !== 0;

/** ASCII letters and digits. */
const isPlain = (code: number) => code < 0x80 && isWordUnit(code);
