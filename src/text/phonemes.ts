/**
 * Words to phonemes. The one file that knows espeak-ng (GPL-3.0), which it holds at arm's length as
 * a black box.
 */
import { DEFAULT_LANGUAGE, type Language } from '../protocol/job.js';
import type { PhonemeAlphabet, Phonemizer } from './front-end.js';
import { loadFrontEnd } from './languages.js';

/**
 * espeak has one voice for the whole process, and changing it takes longer than a hundred words.
 */
let current: Language | undefined;

const CACHED_WORDS = 20_000;
const OWNED = /^\p{L}{2,}'s$/u;
/** Nobody speaks a longer word; longer ones are said in pieces. */
const MAX_WORD = 60;

/** `readings` are those that stand above espeak's; the language's own where absent. */
export async function createPhonemizer(
  language: Language = DEFAULT_LANGUAGE,
  readings?: PhonemeAlphabet['known'],
): Promise<Phonemizer> {
  const { alphabet } = await loadFrontEnd(language);
  const espeak = await import('espeak-phonemizer');
  await espeak.initialize();
  // Another phonemizer that speaks meanwhile has to set its own voice again.
  current = undefined;
  await espeak.setVoice(alphabet.espeakVoice);
  current = undefined;
  return new EspeakPhonemizer(language, alphabet, readings ?? alphabet.known, espeak);
}

type Espeak = Pick<typeof import('espeak-phonemizer'), 'setVoice' | 'getPhonemes'>;

class EspeakPhonemizer implements Phonemizer {
  readonly language: Language;
  readonly #alphabet: PhonemeAlphabet;
  readonly #known: PhonemeAlphabet['known'];
  readonly #espeak: Espeak;
  readonly #respelled: (word: string) => string;
  readonly #cache = new Map<string, string>();

  constructor(language: Language, alphabet: PhonemeAlphabet, known: PhonemeAlphabet['known'], espeak: Espeak) {
    this.language = language;
    this.#alphabet = alphabet;
    this.#known = known;
    this.#espeak = espeak;
    this.#respelled = alphabet.respelled ?? ((word) => word);
  }

  word(text: string): string {
    return this.#cached(text, () => this.#spoken(text));
  }

  /**
   * Where espeak makes more or fewer words of a phrase than it has, its halves are said by
   * themselves.
   */
  phrase(words: readonly string[]): string[] {
    if (words.length < 2) return words.map((word) => this.word(word));
    const { fromEspeak } = this.#alphabet;
    const said = this.#cached(` ${words.join(' ')}`, () =>
      this.#speak(words.map(this.#respelled).join(' ')).split(' ').map(fromEspeak).join(' '),
    ).split(' ');
    if (said.length === words.length) return said;
    const middle = words.length >> 1;
    return [...this.phrase(words.slice(0, middle)), ...this.phrase(words.slice(middle))];
  }

  reduced(word: string): string {
    return this.#cached(`${word} `, () => {
      const between = this.#speak(`bob ${word} dog`).split(' ');
      // Where espeak joined it to a neighbour, the form it has alone must do.
      return between.length === 3 ? this.#alphabet.fromEspeak(between[1]!) : this.#spoken(word);
    });
  }

  #speak(text: string): string {
    if (current !== this.language) {
      // With its data loaded this takes effect before it returns.
      void this.#espeak.setVoice(this.#alphabet.espeakVoice);
      current = this.language;
    }
    const clauses = this.#espeak.getPhonemes(text).map(({ phonemes }) => phonemes);
    // espeak names a change of language in brackets.
    return clauses
      .join(' ')
      .replace(/\([a-z-]+\)/gu, '')
      .replace(/\s+/gu, ' ')
      .trim();
  }

  #cached(key: string, make: () => string): string {
    const known = this.#cache.get(key);
    if (known !== undefined) {
      this.#cache.delete(key);
      this.#cache.set(key, known);
      return known;
    }
    const made = make();
    if (this.#cache.size >= CACHED_WORDS) this.#cache.delete(this.#cache.keys().next().value!);
    this.#cache.set(key, made);
    return made;
  }

  #spoken(word: string): string {
    const { fromEspeak, parted, namedFirst, possessive } = this.#alphabet;
    // Capitals that were left in a word are no letters by name: espeak would spell some, and cut
    // "McDonald" in two.
    const text = /^\p{L}[\p{L}'-]*\p{Lu}/u.test(word) ? word.toLowerCase() : word;
    const reading = this.#known(text);
    if (reading !== undefined) return reading;
    // espeak takes the ending of "lake's" for a voiced one.
    if (possessive && OWNED.test(text)) {
      const owner = this.#spoken(text.slice(0, -2));
      return owner + possessive(owner);
    }
    if (parted?.test(text))
      return text
        .split('-')
        .map((part) => this.#spoken(part))
        .join('');
    if (namedFirst?.test(text)) return `${text.charAt(0).toLowerCase()}${this.#spoken(text.slice(1))}`;
    if (text.length <= MAX_WORD) return fromEspeak(this.#speak(this.#respelled(text)));
    const points = [...text];
    const pieces: string[] = [];
    for (let i = 0; i < points.length; i += MAX_WORD) pieces.push(points.slice(i, i + MAX_WORD).join(''));
    return pieces
      .map((piece) => fromEspeak(this.#speak(piece)))
      .join(' ')
      .trim();
  }
}
