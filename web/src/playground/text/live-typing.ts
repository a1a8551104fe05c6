/** Type and listen: sends words as they are typed, and the rest when the typing pauses. */
import { effect } from '@preact/signals';
import { isBlank } from '../../../../src/protocol/characters.js';
import type { Run } from '../speech/run.js';
import * as state from '../state.js';

/** A pause in typing (ms) after which pending text is spoken. */
const REST_MS = 1_200;

export class LiveTyping {
  #run: Run | undefined;
  #sent = '';
  #rest: ReturnType<typeof setTimeout> | undefined;

  /** `text` is all of the box's text. */
  typed(text: string): void {
    clearTimeout(this.#rest);
    // Spoken text cannot be changed: what is sent begins behind the common part.
    if (!text.startsWith(this.#sent)) this.#sent = text.slice(0, commonStart(text, this.#sent));
    const fresh = text.slice(this.#sent.length);
    const whole = fresh.slice(0, fresh.search(/\p{White_Space}\P{White_Space}*$/u) + 1);
    if (!isBlank(whole)) this.#say(whole, false);
    this.#rest = setTimeout(() => this.#say(text.slice(this.#sent.length), true), REST_MS);
  }

  stop(): void {
    clearTimeout(this.#rest);
    this.#run?.finish();
    this.#run = undefined;
    this.#sent = '';
  }

  #say(text: string, flush: boolean): void {
    if (isBlank(text) && (!flush || this.#run === undefined)) return;
    const run = this.#current();
    run.say(text, flush);
    this.#sent += text;
  }

  #current(): Run {
    const known = this.#run;
    if (known !== undefined && !known.recording.finished.peek()) return known;
    const run = state.startLive();
    this.#run = run;
    effect(() => {
      if (run.recording.finished.value && this.#run === run) this.#run = undefined;
    });
    return run;
  }
}

function commonStart(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  return at;
}
