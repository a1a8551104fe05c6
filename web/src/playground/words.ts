/** The words of a text, and when each is heard according to the alignment. */
import { SAMPLE_RATE } from '../audio/recording.js';

export interface Word {
  readonly text: string;
  /** White space in front of it. */
  readonly before: string;
  /** In code points of the text. */
  readonly start: number;
  readonly end: number;
}

export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  let at = 0;
  for (const [, before = '', word = ''] of text.matchAll(/(\p{White_Space}*)(\P{White_Space}+)/gu)) {
    const start = at + [...before].length;
    at = start + [...word].length;
    words.push({ text: word, before, start, end: at });
  }
  return words;
}

export interface Alignment {
  readonly chars: readonly string[];
  readonly charStartTimesMs: readonly number[];
  readonly charDurationsMs: readonly number[];
}

export class WordClock {
  /** The first sample of each character that was sent. */
  readonly #starts: number[] = [];

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

  startOf(word: Word): number | undefined {
    return this.#starts[word.start];
  }

  /** The last word that has begun by `sample`; -1 before the first. */
  at(words: readonly Word[], sample: number): number {
    let low = 0;
    let high = words.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.startOf(words[middle]!) ?? Number.POSITIVE_INFINITY) <= sample) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
