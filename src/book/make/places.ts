/** Where the words of a sentence stand in the files of a book. */
import type { Language } from '../../protocol/job.js';
import { codeOf } from '../../protocol/languages.js';
import type { TextRun } from '../book.js';

/** A word, or the part of it that stands in one text node. */
export interface WordPlace {
  readonly node: number;
  /** UTF-16 units into the node. */
  readonly from: number;
  readonly to: number;
  /** Code points of the sent text before it. */
  readonly char: number;
  /** It goes on with the word of the place before it. */
  readonly goesOn: boolean;
}

/** A run of a block, and what of the block's text is its. */
export interface PlacedRun {
  readonly run: TextRun;
  /** UTF-16 units into the text of the block. */
  readonly from: number;
  readonly to: number;
}

export interface Sentence {
  /** The text of the block. */
  readonly text: string;
  readonly runs: readonly PlacedRun[];
  readonly from: number;
  readonly to: number;
  /** For each unit from `from` on: code points of the sent text before it. */
  readonly sentChars: readonly number[];
  readonly language: Language;
}

export function wordPlaces({ text, runs, from, to, sentChars, language }: Sentence): WordPlace[] {
  const places: WordPlace[] = [];
  let behind = -1;
  for (const { run, ...part } of runs) {
    if (run.at === undefined || part.to <= from || part.from >= to) continue;
    // White space differs between the two, words do not.
    const inNode = [...run.text.matchAll(/\S+/g)];
    const inBlock = [...text.slice(part.from, part.to).matchAll(/\S+/g)];
    for (const [index, { 0: word, index: at }] of inBlock.entries()) {
      const node = inNode[index];
      if (node === undefined) break;
      for (const piece of wordsIn(word, language)) {
        const begin = Math.max(from, part.from + at + piece.from);
        const end = Math.min(to, part.from + at + piece.to);
        if (begin >= end) continue;
        const start = run.at.from + node.index + begin - part.from - at;
        const char = sentChars[begin - from] ?? 0;
        places.push({
          node: run.at.node,
          from: start,
          to: start + end - begin,
          char,
          goesOn: begin === behind && piece.from === 0,
        });
        behind = end;
      }
    }
  }
  return places;
}

/** Languages that write no spaces. */
const UNSPACED = ['ja', 'zh'];

function wordsIn(text: string, language: Language): { readonly from: number; readonly to: number }[] {
  const code = codeOf(language);
  if (!UNSPACED.includes(code)) return [{ from: 0, to: text.length }];
  const words: { from: number; to: number }[] = [];
  for (const { segment, index, isWordLike } of new Intl.Segmenter(code, { granularity: 'word' }).segment(text)) {
    const last = words.at(-1);
    // Marks belong to the word before them.
    if (isWordLike || last === undefined) words.push({ from: index, to: index + segment.length });
    else last.to = index + segment.length;
  }
  return words;
}
