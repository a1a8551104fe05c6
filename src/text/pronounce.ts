/** Words in their clause: which form of a word is said depends on what stands beside it. */
import { beginsWithVowel } from './alphabet.js';
import { homograph } from './homographs.js';
import type { Phonemizer } from './phonemes.js';

/** A word to say, or one whose phonemes are settled. */
export interface Utterance {
  readonly text: string;
  readonly phonemes?: string;
  /** What follows it directly: another word, a mark that ends the clause, or nothing. */
  readonly followed: boolean;
  /** It opens a sentence or a quotation. */
  readonly opens: boolean;
}

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
  const said: string[] = new Array(words.length);
  // From the end, because the form of a little word hangs on the sound after it.
  for (let index = words.length - 1; index >= 0; index -= 1) {
    const word = words[index]!;
    const next = word.followed ? said[index + 1] : undefined;
    said[index] = word.phonemes ?? form(words, lower, index, next, phonemizer);
  }
  return said;
}

function form(
  words: readonly Utterance[],
  lower: readonly string[],
  index: number,
  next: string | undefined,
  phonemizer: Phonemizer,
): string {
  const { text, opens } = words[index]!;
  const word = lower[index]!;
  if (word === 'a') return isLetterA(words, index, next !== undefined, opens) ? 'ˈA' : 'ɐ';
  if (word === 'the') return next !== undefined && beginsWithVowel(next) ? 'ði' : 'ðə';
  if (word === 'to' && next !== undefined) return beginsWithVowel(next) ? 'tʊ' : 'tə';
  if (Object.hasOwn(FIXED, word)) return FIXED[word]!;
  if (phonemizer.language === 'en-us') {
    const known = homograph({ words: lower, index, written: text });
    if (known !== null) return known;
  }
  if (next !== undefined && REDUCED.has(word)) return phonemizer.reduced(word);
  return phonemizer.word(text);
}

/** "Vitamin A", "an A in maths", "A and B": a capital that is not the article at the head of a sentence. */
function isLetterA(words: readonly Utterance[], index: number, followed: boolean, opens: boolean): boolean {
  if (!followed) return true;
  if (words[index]!.text === 'a') return false;
  if (opens || index === 0) return /^[A-Z]$/.test(words[index + 1]!.text) && words[index + 1]!.text !== 'I';
  // In a line of capitals the article is one as well.
  const shouted = (other: Utterance | undefined) => other !== undefined && /^[A-Z][A-Z']+$/.test(other.text);
  return !(shouted(words[index - 1]) && shouted(words[index + 1]));
}
