/** From IPA, as espeak or a person writes it, to the symbols the model was taught. */
import type { Language } from '../../../protocol/job.js';
import { readIpa, VOWEL, VOWELS } from '../../espeak/ipa.js';

/** Longest first: each is replaced wherever it stands. */
const COMMON: readonly (readonly [RegExp, string])[] = [
  [/ʔˌ?n̩|ʔn/gu, 'tᵊn'],
  [/ʔ/gu, 't'],
  [/dʒ/gu, 'ʤ'],
  [/tʃ/gu, 'ʧ'],
  [/aɪ/gu, 'I'],
  [/aʊ/gu, 'W'],
  [/eɪ/gu, 'A'],
  [/ɔɪ/gu, 'Y'],
  [/([lnmɹ])\u0329/gu, 'ᵊ$1'],
  [new RegExp(`əl(?![${VOWELS}ˈˌ])`, 'gu'), 'ᵊl'],
  [/ʲ/gu, ''],
  [/[xç]/gu, 'k'],
  [/ɬ|ɫ/gu, 'l'],
  [/ʍ/gu, 'w'],
  [/ɱ/gu, 'm'],
  [/r|ɹ̩/gu, 'ɹ'],
  [/g/gu, 'ɡ'],
];

const US: readonly (readonly [RegExp, string])[] = [
  [/oʊ|əʊ/gu, 'O'],
  [/ɚ/gu, 'əɹ'],
  [/ɝː?/gu, 'ɜɹ'],
  [/ɜːɹ|ɜː/gu, 'ɜɹ'],
  [/ɹ{2,}/gu, 'ɹ'],
  [/ɪə/gu, 'iə'],
  [/ɐ/gu, 'ə'],
  [/ɾ/gu, 'T'],
  [/ː/gu, ''],
  [/o/gu, 'ɔ'],
  [/e/gu, 'A'],
  [/ɒ/gu, 'ɑ'],
];

const GB: readonly (readonly [RegExp, string])[] = [
  [/əʊ|oʊ/gu, 'Q'],
  [/eə/gu, 'ɛː'],
  [/iə/gu, 'ɪə'],
  [/ɚ/gu, 'ə'],
  [/ɐ/gu, 'ə'],
  [/ɝ/gu, 'ɜː'],
  // "Happy" ends as it does today, and not as it did on the wireless.
  [/(?<=[^ˈˌAIQWYaeɐɒɔəɛɜ ])ɪ(?= |$)/gu, 'i'],
];

/** espeak's IPA in the model's alphabet. */
export function fromEspeak(ipa: string, language: Language): string {
  let out = ipa.replace(/\u0303|\u0361|\u200D/gu, '');
  for (const [from, to] of COMMON) out = out.replace(from, to);
  for (const [from, to] of language === 'en-GB' ? GB : US) out = out.replace(from, to);
  return out.replace(/\u0329/gu, '');
}

/** A person's IPA: slashes allowed, stress before the syllable or before its vowel. */
export const fromIpa = (ipa: string, language: Language): string =>
  readIpa(ipa, (plain) => fromEspeak(plain, language));

/** Whether what is said begins with a vowel: decides between "thuh" and "thee". */
export function beginsWithVowel(phonemes: string): boolean {
  const first = /[^ˈˌ]/u.exec(phonemes)?.[0];
  return first !== undefined && VOWEL.test(first);
}

/** American to British, for readings that are written down in one accent only. Longest first. */
const CROSSING: readonly (readonly [RegExp, string])[] = [
  [/T/gu, 't'],
  [/O/gu, 'Q'],
  [/ɜɹ(?=[ˈˌ]?[AIOQWYaeiouæɐɑɒɔəɛɜɪʊʌᵊᵻ])/gu, 'ɜːɹ'],
  [/ɜɹ/gu, 'ɜː'],
  [/ɑɹ(?=[ˈˌ]?[AIOQWYaeiouæɐɑɒɔəɛɜɪʊʌᵊᵻ])/gu, 'ɑːɹ'],
  [/ɑɹ|ɑ$/gu, 'ɑː'],
  [/ɔɹ(?=[ˈˌ]?[AIOQWYaeiouæɐɑɒɔəɛɜɪʊʌᵊᵻ])/gu, 'ɔːɹ'],
  [/ɔɹ/gu, 'ɔː'],
  [/ɛɹ(?![ˈˌ]?[AIOQWYaeiouæɐɑɒɔəɛɜɪʊʌᵊᵻ])/gu, 'ɛː'],
  [/ɪɹ(?![ˈˌ]?[AIOQWYaeiouæɐɑɒɔəɛɜɪʊʌᵊᵻ])/gu, 'ɪə'],
  [/əɹ(?![ˈˌ]?[AIOQWYaeiouæɐɑɒɔəɛɜɪʊʌᵊᵻ])/gu, 'ə'],
  [/ɑ(?!ː)/gu, 'ɒ'],
  [/ɔ(?!ː)/gu, 'ɔː'],
  [/([ˈˌ])([iu])(?!ː)/gu, '$1$2ː'],
];
const SOUNDED = /[AIOWYaeiouæɑɔəɛɜɪʊʌᵊᵻ]/gu;

/**
 * An American reading as a British voice says it. Americans say the vowels of "lot" and "father"
 * alike; where a word is given with its spelling, an o tells the one from the other.
 */
export function inBritish(phonemes: string, spelling?: string): string {
  let out = spelling === undefined ? phonemes : withFathers(phonemes, spelling);
  for (const [from, to] of CROSSING) out = out.replace(from, to);
  return out;
}

/**
 * Each open vowel that no o stands for made long, each rounded one that an o stands for short,
 * where letters and vowels can be told to be the same in number.
 */
function withFathers(phonemes: string, spelling: string): string {
  if (!/[ɑɔ]/u.test(phonemes)) return phonemes;
  const letters = spelling.replace(/(?<=[^aeiou])e$/, '').match(/[aeiouy]+/g) ?? [];
  const aligned = letters.length === (phonemes.match(SOUNDED) ?? []).length;
  let vowel = 0;
  return phonemes.replace(SOUNDED, (symbol, at: number) => {
    const written = aligned
      ? letters[vowel++]!
      : spelling.includes('o') && !/[aou][uw]/.test(spelling)
        ? 'o'
        : spelling;
    if (symbol === 'ɑ') return written.includes('o') ? symbol : 'ɑː';
    // "Cloth" has a short vowel over there; before an r and in "thought" it is long.
    return symbol === 'ɔ' && written === 'o' && phonemes[at + 1] !== 'ɹ' ? 'ɒ' : symbol;
  });
}
