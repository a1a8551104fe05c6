/** The words of a text, and when each is heard according to the alignment. */
import { isWhiteSpace } from '../../../../src/protocol/characters.js';
import { SAMPLE_RATE } from '../../audio/recording.js';
import type { Alignment } from '../../client/types.js';

export interface Word {
  readonly text: string;
  /** White space in front of it. */
  readonly before: string;
  /** In code points of the text. */
  readonly start: number;
  readonly end: number;
}

const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;

/** Code points of a text. */
export function pointsOf(text: string): number {
  let points = 0;
  for (let i = 0; i < text.length; i++) if (!isLowSurrogate(text.charCodeAt(i))) points++;
  return points;
}

export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  let points = 0;
  for (let at = 0; at < text.length; ) {
    const blank = at;
    while (at < text.length && isWhiteSpace(text.charCodeAt(at))) at++;
    const begin = at;
    const start = points + begin - blank;
    points = start;
    for (; at < text.length && !isWhiteSpace(text.charCodeAt(at)); at++) {
      if (!isLowSurrogate(text.charCodeAt(at))) points++;
    }
    if (at > begin) words.push({ text: text.slice(begin, at), before: text.slice(blank, begin), start, end: points });
  }
  return words;
}

export class WordClock {
  /** The first sample of each character that was sent. */
  readonly #starts: number[] = [];

  /** `from`: code points of the text before the first that is spoken. */
  constructor(readonly from = 0) {}

  /** `offset`: samples of the run before the message that carried the alignment. */
  align({ chars, charStartTimesMs }: Alignment, offset: number): void {
    for (let i = 0; i < chars.length; i++) {
      this.#starts.push(offset + ((charStartTimesMs[i] ?? 0) * SAMPLE_RATE) / 1000);
    }
  }

  /** Without an alignment: the same time for each character. */
  spread(chars: number, samples: number): void {
    for (let i = 0; i < chars; i++) this.#starts[i] = (samples * i) / chars;
  }

  /** The first sample of a word; undefined where it is not spoken, or not yet. */
  startOf(word: Pick<Word, 'start'>): number | undefined {
    return this.#starts[word.start - this.from];
  }

  /** The last word that has begun by `sample`; before the first, the one in front of it. */
  at(words: readonly Word[], sample: number): number {
    let low = 0;
    let high = words.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const word = words[middle]!;
      const isBegun = word.start < this.from || (this.startOf(word) ?? Number.POSITIVE_INFINITY) <= sample;
      if (isBegun) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
