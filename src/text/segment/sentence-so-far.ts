/** What the segments so far hold of a sentence that goes on in the next one. */
import type { PauseKind } from '../../protocol/job.js';

/** Characters of its beginning that are kept: they tell what kind of question it is. */
const MOST_CHARS = 200;
const ENDED = /[.!?…。！？।]["'”’)\]]*(?=\s|$)/gu;

const GOES_ON: ReadonlySet<PauseKind> = new Set(['carried', 'joined', 'clause']);

export class SentenceSoFar {
  #text = '';
  #isWhole = true;

  /** Undefined where the next segment begins a sentence. */
  get before(): string | undefined {
    return this.#text === '' ? undefined : this.#text;
  }

  /** Whether `before` is all of the sentence so far, and not its beginning alone. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** A segment was cut, with the rest that follows it. */
  cut(segment: string, pause: PauseKind): void {
    if (!GOES_ON.has(pause)) {
      this.#text = '';
      this.#isWhole = true;
      return;
    }
    const text = this.#text + segment;
    const end = [...text.matchAll(ENDED)].at(-1);
    const open = end === undefined ? text : text.slice(end.index + end[0].length);
    const sentence = open.trimStart();
    this.#text = sentence.slice(0, MOST_CHARS);
    this.#isWhole = (end !== undefined || this.#isWhole) && sentence.length <= MOST_CHARS;
  }
}
