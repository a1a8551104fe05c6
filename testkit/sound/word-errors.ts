/**
 * Word error rate: what was heard against what was meant, with case, punctuation and the spelling
 * of numbers folded.
 */
import { normalize } from '../../src/text/normalize.js';
import { editDistance } from '../edit-distance.js';

export const wordsOf = (text: string): string[] =>
  normalize(text)
    .text.toLowerCase()
    .replace(/[-–—]/g, ' ')
    .replace(/[^a-z' ]/g, '')
    .split(' ')
    .filter((word) => word !== '');

/** Insertions, deletions and substitutions of words. */
export const wordErrors = (meant: string, heard: string): number => editDistance(wordsOf(meant), wordsOf(heard));
