/**
 * What the segmenter has taken in of a marked-up text: the source, and how each stretch of it is
 * spoken.
 */
import { TtsError } from '../../protocol/errors.js';
import type { Language, SegmentSpan } from '../../protocol/job.js';
import { frontEnd } from '../front-end.js';
import { normalize } from '../normalize.js';
import { MAX_TOKENS } from '../types.js';
import type { Piece, Said } from './piece.js';
import { decodeEntity, PARTING } from './ssml-tags.js';

export interface Taken {
  readonly source: string;
  readonly spans: readonly SegmentSpan[];
}

/**
 * Pieces of at most so many characters in a spelled-out element, so that a very long one can still
 * be cut.
 */
const SPELLED_CHARS = 6;
const LONG_SPELLING = 24;
/** A token lasts about as long when it is spoken: silence and speech fill a segment alike. */
const TOKEN_MS = 60;

/** How many tokens of speech last as long as a silence. */
export const silentTokens = (ms: number): number => Math.ceil(ms / TOKEN_MS);

export class MarkupTrack {
  readonly #count: (text: string) => number;
  readonly #language: Language;
  #pieces: Piece[] = [];

  constructor(countTokens: (text: string) => number, language: Language) {
    this.#count = countTokens;
    this.#language = language;
  }

  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  /** Adds a piece and returns what the segmenter sees of it. */
  add(piece: Piece): string {
    const pieces = divided(piece);
    for (const each of pieces) {
      if (each.said && this.#tokensOf(each.said) > MAX_TOKENS) {
        const name = each.said.kind;
        throw new TtsError(
          'invalid_ssml',
          `SSML: what <${name}> says is too long; ${MAX_TOKENS} sounds are allowed at once.`,
        );
      }
      const last = this.#pieces.at(-1);
      if (last && isPlain(last) && isPlain(each) && areAlike(last, each) && last.source.length < 1024) {
        const joined = last.source + each.source;
        this.#pieces[this.#pieces.length - 1] = { ...last, source: joined, visible: joined };
      } else if (last && isUnseen(last) && isUnseen(each)) {
        this.#pieces[this.#pieces.length - 1] = { ...last, source: last.source + each.source };
      } else {
        this.#pieces.push(each);
      }
    }
    return pieces.map(({ visible }) => visible).join('');
  }

  /** Tokens of the first `units` units of what is seen. */
  tokens(units: number): number {
    let sum = 0;
    for (const span of spansOf(this.#split(units)[0])) {
      if (span.kind === 'text') sum += (span.language ? guessed(span.text) : this.#count(span.text)) + 1;
      else sum += this.#tokensOf(span) + 1;
    }
    return sum;
  }

  /** Gives out the first `units` units of what is seen, or everything. */
  take(units: number | 'all'): Taken {
    const [taken, rest] = units === 'all' ? [this.#pieces, []] : this.#split(units);
    this.#pieces = rest;
    return { source: taken.map((piece) => piece.source).join(''), spans: spansOf(taken) };
  }

  #split(units: number): [Piece[], Piece[]] {
    let left = units;
    let index = 0;
    while (index < this.#pieces.length && left > 0) {
      const piece = this.#pieces[index]!;
      if (piece.visible.length > left) {
        const before = { ...piece, source: piece.source.slice(0, left), visible: piece.visible.slice(0, left) };
        const after = { ...piece, source: piece.source.slice(left), visible: piece.visible.slice(left) };
        return [
          [...this.#pieces.slice(0, index), before],
          [after, ...this.#pieces.slice(index + 1)],
        ];
      }
      left -= piece.visible.length;
      index += 1;
    }
    return [this.#pieces.slice(0, index), this.#pieces.slice(index)];
  }

  #tokensOf(said: Said | SegmentSpan): number {
    if (said.kind === 'sub') return this.#count(said.alias);
    if (said.kind === 'phoneme') return [...frontEnd(this.#language).alphabet.fromIpa(said.ipa)].length;
    if (said.kind === 'break') return silentTokens(said.ms);
    return said.kind === 'say-as'
      ? this.#count(normalize(said.text, { sayAs: said.as, language: this.#language }).text)
      : 0;
  }
}

/** Tokens of a text in a language whose reader need not be loaded here: more rather than fewer. */
const guessed = (text: string): number => Math.ceil(text.length * (/[\u2e80-\uffff]/.test(text) ? 6 : 1.6));

const areAlike = (a: Piece, b: Piece) => a.language === b.language && a.prosody === b.prosody;
const isPlain = (piece: Piece) => piece.said === undefined && piece.source === piece.visible;
const isUnseen = (piece: Piece) => piece.said?.kind === 'silent' && piece.visible === '';
const length = (text: string) => [...text].length;

function divided(piece: Piece): Piece[] {
  const { said, source } = piece;
  if (said?.kind !== 'say-as' || (said.as !== 'characters' && said.as !== 'telephone')) return [piece];
  const inside = source.indexOf('>') + 1;
  // References or tags inside: the source does not show where to divide it.
  if (source.slice(inside, inside + said.text.length) !== said.text || length(said.text) <= LONG_SPELLING)
    return [piece];
  const chars = [...said.text];
  const parts: string[] = [];
  for (let i = 0; i < chars.length; i += SPELLED_CHARS) parts.push(chars.slice(i, i + SPELLED_CHARS).join(''));
  return parts.map((text, index) => ({
    source:
      (index === 0 ? source.slice(0, inside) : '') +
      text +
      (index === parts.length - 1 ? source.slice(inside + said.text.length) : ''),
    // A space behind it, so that a cut can fall between two of them.
    visible: index === parts.length - 1 ? 'x' : 'x ',
    said: { ...said, text },
  }));
}

function spansOf(pieces: readonly Piece[]): SegmentSpan[] {
  const spans: SegmentSpan[] = [];
  let at = 0;
  let text = '';
  let start = 0;
  let end = 0;
  let spoken: Pick<Piece, 'language' | 'prosody'> = {};
  const close = () => {
    if (/[\p{L}\p{N}\p{S}\p{P}]/u.test(text)) spans.push({ kind: 'text', text, start, end, ...spoken });
    text = '';
  };
  for (const { source, visible, said, language, prosody } of pieces) {
    const next = at + length(source);
    if ((language !== spoken.language || prosody !== spoken.prosody) && visible !== '') {
      close();
      spoken = { ...(language !== undefined && { language }), ...(prosody !== undefined && { prosody }) };
    }
    if (!said || said.kind === 'silent') {
      if (visible !== '') {
        if (text === '') start = at;
        text += visible;
        end = next;
      }
    } else {
      close();
      spans.push({ ...said, start: at, end: next, ...(said.kind === 'break' ? {} : spoken) });
    }
    at = next;
  }
  close();
  return spans;
}

const MARKUP =
  /<!--[\s\S]*?-->|<!\[CDATA\[|\]\]>|<\?[\s\S]*?\?>|<\/?([\p{L}_][\p{L}\p{N}_:.-]*)(?:[^>"']|"[^"]*"|'[^']*')*>|<![^>]*>|&([#\w]+);/gu;

export interface SeenText {
  /** The characters that are seen, and where each lies in the source, in code points. */
  readonly chars: readonly string[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** What is seen of a source that holds tags or references. */
export function seenText(source: string): SeenText {
  const chars: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let at = 0;
  let index = 0;
  const see = (char: string, from: number) => {
    chars.push(char);
    starts.push(at);
    at += from;
    ends.push(at);
  };
  const plain = (until: number) => {
    for (const char of source.slice(index, until)) see(char, 1);
    index = until;
  };
  for (const match of source.matchAll(MARKUP)) {
    plain(match.index);
    const size = length(match[0]);
    if (match[2]) see(decodeEntity(match[2]) ?? match[0], size);
    else if (match[1] && PARTING.has(match[1])) see(' ', size);
    else at += size;
    index = match.index + match[0].length;
  }
  plain(source.length);
  return { chars, starts, ends };
}
