/** Words in their clause: which form of a word is said depends on what stands beside it. */

import type { Phonemizer, Utterance } from '../../front-end.js';
import { beginsWithVowel, inBritish } from './alphabet.js';
import { Clause, WordPlace } from './homograph-rules.js';
import { homograph, isHomograph } from './homographs.js';
import { phraseAt } from './phrases.js';

/** Little words that lose their stress inside a clause and regain it at its end. */
const REDUCED = new Set(
  `in on by without onto about above across among before behind below beneath beside between beyond down near over through
   under up within so while that which who what when where why how me my his this these those am be being have has had
   having doing will would shall should can could might not won't couldn't isn't aren't weren't there's that's what's
   who's there one`.split(/\s+/),
);

/** The letter I is always the pronoun; what it is joined with is said by espeak. */
const FIXED: Readonly<Record<string, string>> = { an: 'ɐn', i: 'ˌI', one: 'wˈʌn', and: 'ænd' };

export function pronounce(words: readonly Utterance[], phonemizer: Phonemizer): string[] {
  const lower = words.map(({ text }) => text.toLowerCase());
  const clause = new Clause(lower, (index) => words[index]!.followed);
  const said: string[] = new Array(words.length);
  const phrases = phrasesIn(words, lower, phonemizer.language === 'en-GB');
  // From the end, because the form of a little word hangs on the sound after it.
  for (let index = words.length - 1; index >= 0; index -= 1) {
    const word = words[index]!;
    const next = word.followed ? said[index + 1] : undefined;
    said[index] = word.phonemes ?? phrases?.get(index) ?? form(words, clause, index, next, phonemizer);
  }
  return said;
}

/** The sounds of the words that stand in a phrase, by their places. */
function phrasesIn(
  words: readonly Utterance[],
  lower: readonly string[],
  british: boolean,
): ReadonlyMap<number, string> | undefined {
  let found: Map<number, string> | undefined;
  for (let index = 0; index < lower.length - 1; index += 1) {
    const sounds = words[index]!.followed ? phraseAt(lower, index) : undefined;
    if (sounds === undefined) continue;
    found ??= new Map();
    for (const [by, sound] of sounds.entries())
      found.set(index + by, british ? inBritish(sound, lower[index + by]) : sound);
  }
  return found;
}

function form(
  words: readonly Utterance[],
  clause: Clause,
  index: number,
  next: string | undefined,
  phonemizer: Phonemizer,
): string {
  const { text } = words[index]!;
  const word = clause.words[index]!;
  if (word === 'a') return isLetterA(words, index, next !== undefined) ? 'ˈA' : 'ɐ';
  if (word === 'the') return next !== undefined && beginsWithVowel(next) ? 'ði' : 'ðə';
  if (word === 'to' && next !== undefined) return beginsWithVowel(next) ? 'tʊ' : 'tə';
  if (Object.hasOwn(FIXED, word)) return FIXED[word]!;
  const known = isHomograph(word) ? homograph(new WordPlace(clause, index, text)) : null;
  if (known !== null) return phonemizer.language === 'en-GB' ? inBritish(known) : known;
  if (next !== undefined && REDUCED.has(word)) return phonemizer.reduced(word);
  return phonemizer.word(text);
}

/**
 * "A, B and C", "A B C": the normaliser has told the letter from the article wherever words alone
 * decide.
 */
function isLetterA(words: readonly Utterance[], index: number, followed: boolean): boolean {
  if (!followed) return true;
  const single = (other: Utterance | undefined) => other !== undefined && /^[A-HJ-Z]$/.test(other.text);
  return words[index]!.text === 'A' && (single(words[index + 1]) || single(words[index - 1]));
}
