/** What the segments so far hold of a sentence that goes on in the next one. */
import type { PauseKind } from '../../protocol/job.js';

/** Characters of its beginning that are kept: they tell what kind of question it is. */
const MOST_CHARS = 200;
const ENDED = /[.!?…。！？।]["'”’)\]]*(?=\s|$)/gu;

export class SentenceSoFar {
  #text = '';

  /** Undefined where the next segment begins a sentence. */
  get before(): string | undefined {
    return this.#text === '' ? undefined : this.#text;
  }

  /** A segment was cut, with the rest that follows it. */
  cut(segment: string, pause: PauseKind): void {
    if (pause !== 'carried' && pause !== 'clause') {
      this.#text = '';
      return;
    }
    const text = this.#text + segment;
    const end = [...text.matchAll(ENDED)].at(-1);
    const open = end === undefined ? text : text.slice(end.index + end[0].length);
    this.#text = open.trimStart().slice(0, MOST_CHARS);
  }
}
