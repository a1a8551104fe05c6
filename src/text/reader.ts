/** One segment read: spans → normalised text → words → phonemes → tokens, each with the characters it speaks. */
import type { Segment } from '../protocol/job.js';
import { fromIpa, type Language } from './alphabet.js';
import { createPhonemizer, type Phonemizer } from './phonemes.js';
import { type Alphabet, createAlphabet } from './tokens.js';
import type { Normalized, Reader, Reading, ReadingPart, ReadingToken } from './types.js';

export async function createReader(options: { language?: Language } = {}): Promise<Reader> {
  const language = options.language ?? 'en-us';
  const phonemizer = await createPhonemizer(language);
  return new SegmentReader(phonemizer, createAlphabet());
}

const identity = (text: string): Normalized => {
  const starts: number[] = [];
  const ends: number[] = [];
  let at = 0;
  for (const char of text) {
    for (let unit = 0; unit < char.length; unit += 1) {
      starts.push(at);
      ends.push(at + 1);
    }
    at += 1;
  }
  return { text, starts, ends, skipped: {} };
};

const PIECE = /([\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*['’]?)|(\s+)|([\s\S])/gu;

class SegmentReader implements Reader {
  readonly #phonemizer: Phonemizer;
  readonly #alphabet: Alphabet;
  constructor(phonemizer: Phonemizer, alphabet: Alphabet) {
    this.#phonemizer = phonemizer;
    this.#alphabet = alphabet;
  }

  read(segment: Segment): Reading {
    const parts: ReadingPart[] = [];
    const skipped: Record<string, number> = {};
    let tokens: ReadingToken[] = [];
    let normalizedText = '';
    const close = () => {
      if (tokens.length > 0) parts.push({ kind: 'speech', tokens });
      tokens = [];
    };
    const add = (phonemes: string, start: number, end: number) => {
      for (const symbol of phonemes) {
        const id = this.#alphabet.get(symbol);
        if (id === undefined) skipped[`symbol:${symbol}`] = (skipped[`symbol:${symbol}`] ?? 0) + 1;
        else if (symbol !== ' ' || (tokens.length > 0 && tokens.at(-1)!.symbol !== ' '))
          tokens.push({ id, symbol, start, end });
      }
    };
    for (const span of segment.spans) {
      if (span.kind === 'break') {
        close();
        parts.push({ kind: 'silence', ms: span.ms, start: span.start, end: span.end });
        continue;
      }
      if (span.kind === 'phoneme') {
        add(fromIpa(span.ipa, this.#phonemizer.language), span.start, span.end);
        continue;
      }
      const normalized = identity(span.kind === 'sub' ? span.alias : span.text);
      normalizedText += normalized.text;
      for (const match of normalized.text.matchAll(PIECE)) {
        const { index } = match;
        const whole = span.kind === 'sub';
        const start = whole ? span.start : span.start + normalized.starts[index]!;
        const end = whole ? span.end : span.start + normalized.ends[index + match[0].length - 1]!;
        if (match[1]) add(this.#phonemizer.word(match[1].replace(/’/g, "'")), start, end);
        else if (match[2]) add(' ', start, end);
        else add(match[3]!, start, end);
      }
    }
    close();
    const phonemes = parts
      .map((part) => (part.kind === 'speech' ? part.tokens.map(({ symbol }) => symbol).join('') : ''))
      .join(' ');
    return { normalized: normalizedText, phonemes, parts, skipped };
  }

  countTokens(text: string): number {
    const span = { kind: 'text' as const, text, start: 0, end: text.length };
    const { parts } = this.read({ text, offset: 0, spans: [span], pause: 'none' });
    return parts.reduce((sum, part) => sum + (part.kind === 'speech' ? part.tokens.length : 0), 0);
  }
}
