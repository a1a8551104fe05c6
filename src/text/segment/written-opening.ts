/**
 * Where the first sentence of a text that somebody is still writing is cut, so that it is heard
 * while the rest is written. All of it is counted in characters of the text, never in time: the
 * same text is cut alike, however fast it was written.
 */
import { nextWord } from './segment-lookahead.js';
import type { SentenceWords } from './sentence-ends.js';

/** The first clause is spoken from this length on, its mark included. */
const CLAUSE_CHARS = 12;
/**
 * Where so many characters hold no clause, the first piece ends before a word that opens a phrase.
 */
const PHRASE_CHARS = 60;
/** A piece that no mark ends is at least so long: shorter ones sound broken off. */
const LEAST_PHRASE_CHARS = 20;
/** Characters behind such a piece that shape its melody; more make no difference (measured). */
const AHEAD_CHARS = 32;

/**
 * How far the next piece of the sentence may reach while so many characters before it are being
 * heard. A character lasts some 65 ms: what ends within is there in time behind a writer of 10
 * tokens a second where it ends at a clause, and of 20 where it ends at a phrase, which is heard as
 * a cut sooner.
 */
const clauseReach = (saidChars: number): number => (saidChars === 0 ? 0 : 2 * saidChars + 10);
const phraseReach = (saidChars: number): number => Math.max(PHRASE_CHARS, 4 * saidChars + 20);

interface Place {
  readonly at: number;
}

type Opening = 'clause' | 'phrase' | 'none';

/** A cut in front of a phrase, and the words of the phrase that were written by then (`ahead`). */
interface PhraseCut<P> {
  readonly place: P;
  readonly ahead: string;
}

/** The first sentence of a text, or behind a flush. */
export class WrittenOpening {
  readonly #words: SentenceWords;
  #ended = false;
  /** Characters of it that are in segments already. */
  #saidChars = 0;
  /** Nothing within reach opens a phrase: the next word that does is taken. */
  #beyond = false;

  constructor(words: SentenceWords) {
    this.#words = words;
  }

  /** What follows is a first sentence again. */
  restart(): void {
    this.#ended = false;
    this.#saidChars = 0;
    this.#beyond = false;
  }

  /** The sentence is over, whether or not a segment ends with it. */
  end(): void {
    this.#ended = true;
  }

  /** So many characters were cut off. */
  cut(chars: number): void {
    this.#saidChars += chars;
    this.#beyond = false;
  }

  /** Some of it was cut off. */
  get begun(): boolean {
    return this.#saidChars > 0;
  }

  /** Within so many characters a clause waits for a later one. */
  get clauseReach(): number {
    return clauseReach(this.#saidChars);
  }

  /** Whether a clause of so many characters is a piece. */
  takesClause(chars: number): boolean {
    return !this.#ended && chars >= CLAUSE_CHARS;
  }

  /**
   * The place in front of the word that opens a phrase, where `text` is so long without a clause
   * that it is cut: of those within reach the last one, a clause's before any other; of those
   * beyond it the first. `text` is the piece so far behind its leading white space, which ends at
   * `from`; asked at each of `places` and whenever there is more text, it answers the same.
   */
  phraseCut<P extends Place>(places: readonly P[], text: string, from: number): PhraseCut<P> | undefined {
    const reach = phraseReach(this.#saidChars);
    if (this.#ended || text.length < reach) return undefined;
    // Those before the last two were looked at when the next was found.
    if (this.#beyond) return this.#firstPhrase(places.slice(-2), text, from);
    const within = text.slice(0, reach);
    let phrase: P | undefined;
    let clause: P | undefined;
    for (const place of places) {
      const index = place.at - from;
      if (index < LEAST_PHRASE_CHARS || index >= reach) continue;
      const opened = this.#opens(within, index);
      if (opened === 'clause') clause = place;
      else if (opened === 'phrase') phrase = place;
    }
    this.#beyond = true;
    const place = clause ?? phrase;
    if (place === undefined) return this.#firstPhrase(places, text, from);
    // The last word may go on behind what is within reach.
    const behind = within.slice(place.at - from, place.at - from + AHEAD_CHARS);
    return { place, ahead: behind.slice(0, behind.search(/\s\S*$/u)) };
  }

  #firstPhrase<P extends Place>(places: readonly P[], text: string, from: number): PhraseCut<P> | undefined {
    const place = places.find(({ at }) => this.#opens(text, at - from) !== 'none');
    // How much of the text is there behind its word depends on how it was sent.
    return place && { place, ahead: nextWord(text, place.at - from, false)! };
  }

  /** What begins at `index`, as far as `text` shows it. */
  #opens(text: string, index: number): Opening {
    if (index < LEAST_PHRASE_CHARS) return 'none';
    const { clauseOpeners, phraseOpeners, clinging, leadingTo, ledTo } = this.#words;
    const word = nextWord(text, index, false);
    if (word === null) return 'none';
    const clause = clauseOpeners.has(word);
    if (!clause && !phraseOpeners.has(word)) return 'none';
    // "… the river and | to lay …", "… in | that …", "… going | to …": such words are said in one
    // breath with the next.
    const before = /([\p{L}'’]+)\s+$/u.exec(text.slice(Math.max(0, index - 24), index))?.[1]?.toLowerCase();
    if (before === undefined || clinging.has(before)) return 'none';
    if (clauseOpeners.has(before) || phraseOpeners.has(before)) return 'none';
    if (ledTo.has(word) && leadingTo.has(before)) return 'none';
    return clause ? 'clause' : 'phrase';
  }
}
