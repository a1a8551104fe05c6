/**
 * A text without spaces as words: the row of words that is the likeliest by how often each is used.
 */
import { FIRST_SEED, firstHash, LONGEST_WORD, SECOND_SEED, secondHash, type WordList } from './word-list.js';

export function chineseWords(text: string, list: WordList): string[] {
  const { length } = text;
  // The cheapest way from each place to the end, and where its first word ends.
  const costs = new Float64Array(length + 1);
  const ends = new Int32Array(length + 1);
  for (let at = length - 1; at >= 0; at--) {
    let best = list.unknownCost + costs[at + 1]!;
    let end = at + 1;
    let first = FIRST_SEED;
    let second = SECOND_SEED;
    const most = Math.min(length, at + LONGEST_WORD);
    for (let to = at; to < most; to++) {
      const code = text.charCodeAt(to);
      first = firstHash(first, code);
      second = secondHash(second, code);
      const place = list.find(first, second);
      if (place < 0) continue;
      const cost = list.cost(place) + costs[to + 1]!;
      if (cost < best) {
        best = cost;
        end = to + 1;
      }
    }
    costs[at] = best;
    ends[at] = end;
  }
  const words: string[] = [];
  for (let at = 0; at < length; at = ends[at]!) words.push(text.slice(at, ends[at]!));
  return words;
}
