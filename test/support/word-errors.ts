/** Word error rate: what was heard against what was meant, with case, punctuation and the spelling of numbers folded. */
import { normalize } from '../../src/text/normalize.js';

export const wordsOf = (text: string): string[] =>
  normalize(text)
    .text.toLowerCase()
    .replace(/[-–—]/g, ' ')
    .replace(/[^a-z' ]/g, '')
    .split(' ')
    .filter((word) => word !== '');

/** Insertions, deletions and substitutions of words. */
export function wordErrors(meant: string, heard: string): number {
  const [a, b] = [wordsOf(meant), wordsOf(heard)];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length]!;
}
