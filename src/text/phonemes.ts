/** Words to phonemes. The one file that knows espeak-ng (GPL-3.0), which it holds at arm's length as a black box. */
import { fromEspeak, type Language } from './alphabet.js';

export interface Phonemizer {
  readonly language: Language;
  /** The phonemes of one word said by itself, in the model's alphabet. Empty if espeak finds nothing to say. */
  word(word: string): string;
}

const CACHED_WORDS = 20_000;
/** espeak's own buffers end well above this; nobody speaks a longer word. */
const MAX_WORD = 200;

export async function createPhonemizer(language: Language = 'en-us'): Promise<Phonemizer> {
  const espeak = await import('espeak-phonemizer');
  await espeak.initialize();
  await espeak.setVoice(language);
  const cache = new Map<string, string>();

  const speak = (word: string): string => {
    // The voice is one for the whole process; with its data loaded this takes effect before it returns.
    void espeak.setVoice(language);
    const clauses = espeak.getPhonemes(word.slice(0, MAX_WORD)).map(({ phonemes }) => phonemes.trim());
    const ipa = clauses
      .join(' ')
      .replace(/\([a-z-]+\)/gu, '')
      .replace(/\s+/gu, ' ')
      .trim();
    return fromEspeak(ipa, language);
  };

  return {
    language,
    word(word) {
      const known = cache.get(word);
      if (known !== undefined) {
        cache.delete(word);
        cache.set(word, known);
        return known;
      }
      const phonemes = speak(word);
      if (cache.size >= CACHED_WORDS) cache.delete(cache.keys().next().value!);
      cache.set(word, phonemes);
      return phonemes;
    },
  };
}
