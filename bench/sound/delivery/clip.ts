/** A spoken text with the times of its words, and where each sentence of it is heard. */
import type { Block, QuestionKind } from './story.js';
import { textOf } from './story.js';

export interface TimedWord {
  /** As written, with the marks beside it. */
  readonly word: string;
  readonly startMs: number;
  readonly endMs: number;
}

export interface Clip {
  readonly pcm: Int16Array;
  readonly words: readonly TimedWord[];
}

/** A word with its place in the text: [`from`, `to`). */
export interface PlacedWord extends TimedWord {
  readonly from: number;
  readonly to: number;
}

export interface SpokenSentence {
  readonly text: string;
  readonly asks?: QuestionKind | undefined;
  readonly startMs: number;
  readonly endMs: number;
  readonly words: number;
  /** Index of its block, the block's kind, and its place in the block. */
  readonly block: number;
  readonly kind: Block['kind'];
  readonly place: number;
}

/** Words of the answer as they follow each other in the text. Throws where one is not found. */
export function placeWords(text: string, words: readonly TimedWord[]): PlacedWord[] {
  let at = 0;
  return words.map((timed) => {
    const from = text.indexOf(timed.word, at);
    if (from < 0)
      throw new Error(`"${timed.word}" is not in the text after "${text.slice(Math.max(0, at - 20), at)}".`);
    at = from + timed.word.length;
    return { ...timed, from, to: at };
  });
}

const LETTER = /[\p{L}\p{N}]/u;

/** Every sentence of the text, from the beginning of its first word to the end of its last. */
export function spokenSentences(blocks: readonly Block[], words: readonly PlacedWord[]): SpokenSentence[] {
  const text = textOf(blocks);
  let at = 0;
  return blocks.flatMap(({ kind, sentences }, block) =>
    sentences.map((sentence, place) => {
      const from = text.indexOf(sentence.text, at);
      at = from + sentence.text.length;
      const own = words.filter((word) => word.from >= from && word.to <= at && LETTER.test(word.word));
      if (own.length === 0) throw new Error(`No word of "${sentence.text}" has a time.`);
      return {
        ...sentence,
        startMs: own[0]!.startMs,
        endMs: Math.max(...own.map(({ endMs }) => endMs)),
        words: own.length,
        block,
        kind,
        place,
      };
    }),
  );
}
