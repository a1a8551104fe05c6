/** Words to phonemes. The one file that knows espeak-ng (GPL-3.0), which it holds at arm's length as a black box. */
import { DEFAULT_LANGUAGE, type Language } from '../protocol/job.js';
import type { PhonemeAlphabet, Phonemizer } from './front-end.js';
import { loadFrontEnd } from './languages.js';

/** espeak has one voice for the whole process, and changing it takes longer than a hundred words. */
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
  const { espeakVoice, fromEspeak, parted, namedFirst, possessive, respelled = (word) => word } = alphabet;
  const known = readings ?? alphabet.known;
  const espeak = await import('espeak-phonemizer');
  await espeak.initialize();
  // Whoever speaks meanwhile has to set its own voice again.
  current = undefined;
  await espeak.setVoice(espeakVoice);
  current = undefined;
  const cache = new Map<string, string>();

  const speak = (text: string): string => {
    if (current !== language) {
      // With its data loaded this takes effect before it returns.
      void espeak.setVoice(espeakVoice);
      current = language;
    }
    const clauses = espeak.getPhonemes(text).map(({ phonemes }) => phonemes);
    // espeak names a change of language in brackets.
    return clauses
      .join(' ')
      .replace(/\([a-z-]+\)/gu, '')
      .replace(/\s+/gu, ' ')
      .trim();
  };

  const cached = (key: string, make: () => string): string => {
    const known = cache.get(key);
    if (known !== undefined) {
      cache.delete(key);
      cache.set(key, known);
      return known;
    }
    const made = make();
    if (cache.size >= CACHED_WORDS) cache.delete(cache.keys().next().value!);
    cache.set(key, made);
    return made;
  };

  const spoken = (word: string): string => {
    // Capitals that were left in a word are no letters by name: espeak would spell some, and cut "McDonald" in two.
    const text = /^\p{L}[\p{L}'-]*\p{Lu}/u.test(word) ? word.toLowerCase() : word;
    const reading = known(text);
    if (reading !== undefined) return reading;
    // espeak takes the ending of "lake's" for a voiced one.
    if (possessive && OWNED.test(text)) {
      const owner = spoken(text.slice(0, -2));
      return owner + possessive(owner);
    }
    if (parted?.test(text)) return text.split('-').map(spoken).join('');
    if (namedFirst?.test(text)) return `${text.charAt(0).toLowerCase()}${spoken(text.slice(1))}`;
    if (text.length <= MAX_WORD) return fromEspeak(speak(respelled(text)));
    const points = [...text];
    const pieces: string[] = [];
    for (let i = 0; i < points.length; i += MAX_WORD) pieces.push(points.slice(i, i + MAX_WORD).join(''));
    return pieces
      .map((piece) => fromEspeak(speak(piece)))
      .join(' ')
      .trim();
  };

  const word = (text: string) => cached(text, () => spoken(text));

  /** Where espeak makes more or fewer words of a phrase than it has, its halves are said by themselves. */
  const phrase = (words: readonly string[]): string[] => {
    if (words.length < 2) return words.map(word);
    const said = cached(` ${words.join(' ')}`, () =>
      speak(words.map(respelled).join(' ')).split(' ').map(fromEspeak).join(' '),
    ).split(' ');
    if (said.length === words.length) return said;
    const middle = words.length >> 1;
    return [...phrase(words.slice(0, middle)), ...phrase(words.slice(middle))];
  };

  return {
    language,
    word,
    phrase,
    reduced: (word) =>
      cached(`${word} `, () => {
        const between = speak(`bob ${word} dog`).split(' ');
        // Where espeak joined it to a neighbour, the form it has alone must do.
        return between.length === 3 ? fromEspeak(between[1]!) : spoken(word);
      }),
  };
}
