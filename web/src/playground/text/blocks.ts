/** Parts a transcript into blocks, so that only those in sight have an element for each word. */
import type { Word } from './words.js';

export interface Block {
  /** Indices of words: from `first`, before `end`. */
  readonly first: number;
  readonly end: number;
}

/** A block ends with a line from so many words on, */
const SHORT = 60;
/** with a sentence from so many on, */
const LONG = 240;
/** and at this many anyway. */
const LONGEST = 400;

export function blocksOf(words: readonly Word[]): Block[] {
  const blocks: Block[] = [];
  let first = 0;
  for (let i = 1; i < words.length; i++) {
    const count = i - first;
    const isEnd =
      (count >= SHORT && words[i]!.before.includes('\n')) ||
      (count >= LONG && /[.!?…]["”’)\]]*$/.test(words[i - 1]!.text)) ||
      count >= LONGEST;
    if (!isEnd) continue;
    blocks.push({ first, end: i });
    first = i;
  }
  if (words.length > 0) blocks.push({ first, end: words.length });
  return blocks;
}

/** The index of the block with a word; -1 before the first word, one too many behind the last. */
export function blockAt(blocks: readonly Block[], word: number): number {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (blocks[middle]!.first <= word) low = middle + 1;
    else high = middle;
  }
  return word >= (blocks.at(-1)?.end ?? 0) ? blocks.length : low - 1;
}

/** White space in front of a word: a block's first line begins by itself. */
export const spaceBefore = (word: Word, isFirst: boolean): string =>
  isFirst ? word.before.replace(/^[^\n]*\n|^[^\n]+$/, '') : word.before;
