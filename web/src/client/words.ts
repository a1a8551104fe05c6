/** Words as they are spoken, of the characters' times. */
import { SAMPLE_RATE } from '../../../src/protocol/audio.js';
import type { Alignment, SpokenWord } from './types.js';

const INSIDE = /[\p{L}\p{N}\p{M}'’]/u;
/** Written without spaces: each character is a word of its own. */
const ALONE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

type OpenWord = { -readonly [Field in keyof SpokenWord]: SpokenWord[Field] };

export class WordFinder {
  /** UTF-16 units of the text before the next character. */
  #at = 0;
  #open: OpenWord | undefined;

  /** Words that end within a chunk. `samples`: those before the chunk. */
  take({ chars, charStartTimesMs, charDurationsMs }: Alignment, samples: number): SpokenWord[] {
    const words: SpokenWord[] = [];
    const close = () => {
      if (this.#open) words.push(this.#open);
      this.#open = undefined;
    };
    const offsetMs = (samples * 1000) / SAMPLE_RATE;
    for (const [i, char] of chars.entries()) {
      const startMs = offsetMs + (charStartTimesMs[i] ?? 0);
      const endMs = startMs + (charDurationsMs[i] ?? 0);
      const isInside = INSIDE.test(char);
      if (!isInside || ALONE.test(char)) close();
      if (this.#open) {
        this.#open.text += char;
        this.#open.charLength += char.length;
        this.#open.endMs = Math.max(this.#open.endMs, endMs);
      } else if (isInside) {
        this.#open = { text: char, charIndex: this.#at, charLength: char.length, startMs, endMs };
      }
      if (ALONE.test(char)) close();
      this.#at += char.length;
    }
    return words;
  }

  /** The word at the end of the text. */
  end(): SpokenWord[] {
    const words = this.#open ? [this.#open] : [];
    this.#open = undefined;
    return words;
  }
}
