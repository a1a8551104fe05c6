/** What a language brings to the reading of a text. All else is the same for every language. */
import type { Language, SayAs } from '../protocol/job.js';
import type { Characters } from './normalize/characters.js';
import type { Rule } from './normalize/rule.js';
import type { Scan, ScanLanguage } from './normalize/scan.js';
import type { Asked } from './types.js';

/** A word to say, or one whose phonemes are settled. */
export interface Utterance {
  readonly text: string;
  readonly phonemes?: string | undefined;
  /** Another word follows it directly, without a mark between them. */
  readonly followed: boolean;
}

/** How single words sound. */
export interface Phonemizer {
  readonly language: Language;
  /**
   * The phonemes of one word said by itself, in the model's alphabet. Empty where there is nothing
   * to say.
   */
  word(word: string): string;
  /** The same word between two others, where it may lose its stress. */
  reduced(word: string): string;
  /**
   * The phonemes of words said in one breath, one result for each: stress, liaison and elision as
   * the engine has them.
   */
  phrase(words: readonly string[]): string[];
}

/** A word in normalised text, in UTF-16 units `[start, end)`. */
export interface FoundWord {
  readonly start: number;
  readonly end: number;
  /** Its phonemes where they are settled already; '' is a word without a sound. */
  readonly phonemes?: string | undefined;
  /** No space token parts it from the word before. */
  readonly joined?: true;
}

/**
 * The folder with the files of a language that are not part of the package; fetched where they are
 * not on disk.
 */
export type LanguageFiles = (language: Language) => Promise<string>;

export interface FrontEnd extends ScanLanguage {
  /** What characters are to the rules. */
  readonly characters: Characters;
  /** The rules that turn what is written into words, the more particular ones first. */
  readonly rules: readonly Rule[];
  /**
   * Reads a whole text as its author asked; false where it is nothing of that kind, and is then
   * read as usual.
   */
  readonly readAs: (scan: Scan, as: SayAs) => boolean;
  /** The phonemes of the words of a clause, in the model's alphabet. */
  readonly pronounce: (words: readonly Utterance[], phonemizer: Phonemizer) => string[];
  readonly alphabet: PhonemeAlphabet;
  /** What a word must hold a character of to be said; a Latin letter or a digit where absent. */
  readonly readable?: RegExp;
  /**
   * Rows of letters said by name, joined so that espeak says them as one word. The length stays the
   * same.
   */
  readonly joinLetters?: (text: string) => string;
  /**
   * The words of a normalised text, in order, for languages that write no spaces between them; what
   * lies between two words is read as marks. Where absent, words are rows of letters.
   */
  readonly words?: (text: string) => readonly FoundWord[];
  /**
   * How the melody of a question ends, by its words, a comma for any mark between them. Where
   * absent, questions are as the voice has them.
   */
  readonly asked?: (words: readonly string[]) => Asked;
  /** Words, in small letters, that are stressed where they stand in capitals among small ones. */
  readonly stressWords?: ReadonlySet<string>;
  /** Loads what the language needs before its first text, a dictionary for example. Asked once. */
  readonly prepare?: (files: LanguageFiles) => Promise<void>;
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
  /**
   * Words of which espeak says the first letter by its name; it is said as its sound, and the rest
   * as a word.
   */
  readonly namedFirst?: RegExp;
  /** A person's IPA: slashes allowed, stress before the syllable or before its vowel. */
  readonly fromIpa: (ipa: string) => string;
  /** How a possessive "'s" sounds behind a word, in languages that have one. */
  readonly possessive?: (phonemes: string) => string;
}

const loaded = new Map<Language, FrontEnd>();

/** Makes a front end known to those who ask for it by its language. */
export function addFrontEnd(language: Language, front: FrontEnd): void {
  loaded.set(language, front);
}

/** The front end of a language that was loaded before (`languages.ts`). */
export function frontEnd(language: Language): FrontEnd {
  const front = loaded.get(language);
  if (front === undefined) throw new Error(`the front end of ${language} is used before it is loaded`);
  return front;
}

export const hasFrontEnd = (language: Language): boolean => loaded.has(language);
