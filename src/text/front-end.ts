/** What a language brings to the reading of a text. All else is the same for every language. */
import type { Language, SayAs } from '../protocol/job.js';
import type { Characters } from './normalize/characters.js';
import type { Rule } from './normalize/rule.js';
import type { Scan, ScanLanguage } from './normalize/scan.js';

/** A word to say, or one whose phonemes are settled. */
export interface Utterance {
  readonly text: string;
  readonly phonemes?: string;
  /** Another word follows it directly, without a mark between them. */
  readonly followed: boolean;
}

/** How single words sound. */
export interface Phonemizer {
  readonly language: Language;
  /** The phonemes of one word said by itself, in the model's alphabet. Empty where there is nothing to say. */
  word(word: string): string;
  /** The same word between two others, where it may lose its stress. */
  reduced(word: string): string;
}

export interface FrontEnd extends ScanLanguage {
  /** What characters are to the rules. */
  readonly characters: Characters;
  /** The rules that turn what is written into words, the more particular ones first. */
  readonly rules: readonly Rule[];
  /** Reads a whole text as its author asked; false where it is nothing of that kind, and is then read as usual. */
  readonly readAs: (scan: Scan, as: SayAs) => boolean;
  /** The phonemes of the words of a clause, in the model's alphabet. */
  readonly pronounce: (words: readonly Utterance[], phonemizer: Phonemizer) => string[];
  readonly alphabet: PhonemeAlphabet;
}

/** From IPA to the symbols the model was taught. */
export interface PhonemeAlphabet {
  /** A word as espeak has to see it. */
  readonly respelled?: (word: string) => string;
  /** espeak's name of the accent. */
  readonly espeakVoice: string;
  readonly fromEspeak: (ipa: string) => string;
  /** The phonemes of a word that is known better than espeak knows it. */
  readonly known: (word: string) => string | undefined;
  /** Words joined by a hyphen that are said one by one, for the first ends as a word does. */
  readonly parted?: RegExp;
  /** A person's IPA: slashes allowed, stress before the syllable or before its vowel. */
  readonly fromIpa: (ipa: string) => string;
  /** How a possessive sounds behind a word. */
  readonly possessive: (phonemes: string) => string;
}
