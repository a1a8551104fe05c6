/** Rules that most spellings share. */
import type { LetterRule } from './letters.js';

export const VOWELS: readonly LetterRule[] = [
  ['a', 'ɑ'],
  ['e', 'ɛ'],
  ['i', 'i'],
  ['o', 'O'],
  ['u', 'u'],
];
export const CONSONANTS: readonly LetterRule[] = [
  ...[...'bdfhklmnpstvz'].map((letter): LetterRule => [letter, letter]),
  ['g', 'ɡ'],
  ['r', 'ɹ'],
];
/** A doubled consonant sounds as one. */
export const DOUBLED: readonly LetterRule[] = [...'bcdfgklmnprstvz'].map(
  (letter): LetterRule => [`${letter}(?=${letter})`, ''],
);
