/** Type and listen: what is typed is sent word by word, and what hangs in the air is said when the typing rests. */
import { effect } from '@preact/signals';
import { isBlank } from '../../../src/protocol/characters.js';
import type { Run } from './run.js';
import * as state from './state.js';

const REST_MS = 1_200;

export class LiveTyping {
  #run: Run | undefined;
  #sent = '';
  #rest: ReturnType<typeof setTimeout> | undefined;

  /** All that stands in the box now. */
  typed(text: string): void {
    clearTimeout(this.#rest);
    // What was said cannot be taken back: a change in it waits until something new stands behind it.
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
