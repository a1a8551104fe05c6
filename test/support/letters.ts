/**
 * Letter error rate: what was heard against what was meant, with case, spaces, punctuation and
 * number spelling folded.
 */
import { toCardinal, toOrdinal } from 'n2words/en-US';
import { editDistance } from '../../testkit/edit-distance.js';

const words = (digits: string): string => {
  const value = Number(digits);
  const year = digits.length === 4 && value >= 1100 && value < 2000 && value % 100 >= 10;
  return year ? `${toCardinal(Math.floor(value / 100))} ${toCardinal(value % 100)}` : toCardinal(value);
};

export function lettersOf(text: string): string {
  return text
    .replace(/\bDr\.|\bDr\b/g, 'doctor')
    .replace(/(\d),(?=\d{3})/g, '$1')
    .replace(/\$(\d+)/g, '$1 dollars')
    .replace(/£(\d+)/g, '$1 pounds')
    .replace(/(\d+)(?:st|nd|rd|th)\b/g, (_, digits: string) => toOrdinal(Number(digits)))
    .replace(
      /(\d+):(\d\d)/g,
      (_, hours: string, minutes: string) => `${words(hours)} ${Number(minutes) ? words(minutes) : ''}`,
    )
    .replace(/\d+/g, words)
    .toLowerCase()
    .replace(/\ba hundred\b/g, 'one hundred')
    .replace(/[^a-z]/g, '');
}

/** Insertions, deletions and substitutions of single letters. */
export const letterErrors = (meant: string, heard: string): number => editDistance(lettersOf(meant), lettersOf(heard));
