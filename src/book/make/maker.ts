/** Makes the sound of a book: several sentences at once, kept as they come, handed out in order. */

import { type SentenceStore, sentenceKey } from './sentence-store.js';
import type { Utterance } from './utterances.js';

/** The sound of a sentence, and when its characters begin. */
export interface Spoken {
  readonly pcm: Int16Array;
  /** For each code point of the text as sent (ms); empty where the speaker does not tell. */
  readonly startsMs: readonly number[];
}

/** Speaks one sentence; the silence at its end does not matter. */
type SpeakSentence = (utterance: Utterance, signal: AbortSignal) => Promise<Spoken>;

export interface MakerOptions {
  /** Keeps what was made at least until it is handed out. */
  readonly store: Pick<SentenceStore, 'has' | 'get' | 'put'>;
  readonly speak: SpeakSentence;
  /** What besides its text decides how a sentence sounds: voice, model, speed, style, versions. */
  readonly sound: readonly unknown[];
  /** The same for each voice that utterances name. */
  readonly castSound?: ReadonlyMap<string, readonly unknown[]>;
  /** Sentences that are being spoken at the same time. */
  readonly inFlight: number;
}

/** The voice alone, without silence at its end. */
export interface MadeSentence extends Spoken {
  readonly utterance: Utterance;
  /** False where an earlier run had made it. */
  readonly isNew: boolean;
}

/** Sentences ahead of the one that is handed out, for each that is in flight: others are slow. */
const AHEAD = 4;

export class Maker {
  readonly #options: MakerOptions;
  /** What is being spoken, by its key: a sentence that comes twice is spoken once. */
  readonly #running = new Map<string, Promise<Spoken>>();
  /** What this run has made. */
  readonly #new = new Set<string>();

  constructor(options: MakerOptions) {
    this.#options = options;
  }

  keyOf({ text, ssml, voice, place }: Utterance): string {
    const { sound, castSound } = this.#options;
    const spoken = voice === undefined ? sound : castSound!.get(voice)!;
    return sentenceKey(...spoken, text, ssml, ...(place ? [place.sentence, place.last] : []));
  }

  /** Whether an earlier run made it. */
  isKept(utterance: Utterance): boolean {
    return this.#options.store.has(this.keyOf(utterance));
  }

  /** In order. The first failure stops all; what was made until then is kept. */
  async *make(utterances: readonly Utterance[], outer: AbortSignal): AsyncGenerator<MadeSentence> {
    const { inFlight, store } = this.#options;
    const stop = new AbortController();
    const signal = AbortSignal.any([outer, stop.signal]);
    let at = 0;
    let next = 0;
    const fill = () => {
      const until = Math.min(utterances.length, at + inFlight * AHEAD);
      while (!signal.aborted && next < until && this.#running.size < inFlight) {
        this.#begin(utterances[next++]!, fill, signal);
      }
    };
    try {
      for (; at < utterances.length; at += 1) {
        signal.throwIfAborted();
        fill();
        const utterance = utterances[at]!;
        const key = this.keyOf(utterance);
        const made = await (this.#running.get(key) ?? store.get(key));
        const spoken = made ?? (await this.#speak(utterance, key, signal));
        yield { utterance, ...spoken, isNew: this.#new.has(key) };
      }
    } finally {
      stop.abort(new Error('the book is not being made any more'));
      await Promise.allSettled(this.#running.values());
    }
  }

  #begin(utterance: Utterance, onDone: () => void, signal: AbortSignal): void {
    const key = this.keyOf(utterance);
    if (this.#running.has(key) || this.#options.store.has(key)) return;
    const running = this.#speak(utterance, key, signal);
    this.#running.set(key, running);
    // A failure keeps its place: it is thrown when its turn comes.
    running.then(
      () => {
        this.#running.delete(key);
        onDone();
      },
      () => undefined,
    );
  }

  async #speak(utterance: Utterance, key: string, signal: AbortSignal): Promise<Spoken> {
    const { pcm, startsMs } = await this.#options.speak(utterance, signal);
    const spoken = { pcm: withoutEnd(pcm), startsMs };
    await this.#options.store.put(key, spoken);
    this.#new.add(key);
    return spoken;
  }
}

/** The silence behind the voice: the book sets its own. */
function withoutEnd(pcm: Int16Array): Int16Array {
  let end = pcm.length;
  while (end > 0 && pcm[end - 1] === 0) end -= 1;
  return pcm.slice(0, end);
}
