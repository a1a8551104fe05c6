/** The best of the places where a sentence can be cut that is longer than the model takes. */
import { nextWord } from './segment-lookahead.js';
import { RANK, type Rank, type SentenceWords } from './sentence-ends.js';

/** A clause mark is a good place only if it lies this far into what fits. */
const GOOD_SHARE = 0.3;
/** So does a word that begins a phrase, and later: it is a lesser place. */
const PHRASE_SHARE = 0.6;

interface CutPlace {
  readonly at: number;
  readonly rank: Rank;
}

/** The segment so far, and where it begins in the terms of `CutPlace.at`. */
interface OpenSegment {
  readonly text: string;
  readonly start: number;
}

/** `fitting` are the places up to which the model takes the segment: in order, and at least one. */
export function forcedCut<P extends CutPlace>(
  fitting: readonly P[],
  { text, start }: OpenSegment,
  words: SentenceWords,
) {
  const furthest = fitting.at(-1)!;
  const reach = start + (furthest.at - start) * GOOD_SHARE;
  const late = start + (furthest.at - start) * PHRASE_SHARE;
  const last = (rank: Rank, from: number) => fitting.findLast((place) => place.rank >= rank && place.at >= from);
  return (
    last(RANK.sentence, start) ??
    last(RANK.strong, reach) ??
    last(RANK.weak, reach) ??
    fitting.findLast((place) => place.at >= late && opensPhrase(text, place.at - start, words)) ??
    last(RANK.word, start) ??
    furthest
  );
}

/** Whether a word begins here that people draw breath before. */
function opensPhrase(
  text: string,
  from: number,
  { joining, relative, clauseStarts, introducing }: SentenceWords,
): boolean {
  const word = nextWord(text.slice(from, from + 16), 0, true) ?? '';
  // "… the river and | to lay …": one who draws breath does so before the "and".
  const before = /(\p{L}+)\s+$/u.exec(text.slice(Math.max(0, from - 16), from))?.[1]?.toLowerCase() ?? '';
  if (joining.has(before) || relative.has(before)) return false;
  return joining.has(word) || relative.has(word) || clauseStarts.has(word) || introducing.has(word);
}
