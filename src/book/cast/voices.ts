/** The voices of a book's paragraphs: who speaks where, over all chapters. */
import type { Block, Book, BookChapter } from '../book.js';
import { flatText } from '../make/utterances.js';
import { Attribution, type Speech, taggedNames } from './attribution.js';
import { type Cast, characterOf } from './cast.js';

/** A stretch of a block that another voice than the narrator's reads. */
export interface VoicedStretch {
  /** UTF-16 units of the block's flat text. */
  readonly from: number;
  readonly to: number;
  readonly voice: string;
}

/** The speech of a chapter, by block. */
export type ChapterSpeech = ReadonlyMap<Block, readonly Speech[]>;

const isProse = ({ kind }: Block): boolean => kind === 'paragraph' || kind === 'quote';

/** What people say in a chapter. `known`: all who are named as speakers in the book. */
function speechOf({ blocks }: BookChapter, known: readonly string[]): ChapterSpeech {
  const attribution = new Attribution(known);
  const speech = new Map<Block, readonly Speech[]>();
  for (const block of blocks) {
    if (!isProse(block) || block.apart) attribution.interrupt();
    if (isProse(block)) speech.set(block, attribution.paragraph(flatText(block)));
  }
  return speech;
}

/** By chapter, for all of a book: names are gathered over the whole of it. */
export function bookSpeech({ chapters }: Book): ChapterSpeech[] {
  const known = taggedNames(chapters.flatMap(({ blocks }) => blocks.filter(isProse).map(flatText)));
  return chapters.map((chapter) => speechOf(chapter, [...known.keys()]));
}

export interface SpeechCount {
  readonly times: ReadonlyMap<string, number>;
  readonly quotations: number;
  readonly attributed: number;
}

export function countSpeech(chapters: Iterable<ChapterSpeech>): SpeechCount {
  const times = new Map<string, number>();
  let [quotations, attributed] = [0, 0];
  for (const chapter of chapters) {
    for (const { speaker } of [...chapter.values()].flat()) {
      quotations += 1;
      if (speaker === undefined) continue;
      attributed += 1;
      times.set(speaker, (times.get(speaker) ?? 0) + 1);
    }
  }
  return { times, quotations, attributed };
}

/** What the cast's voices read of a chapter, by block; the narrator reads the rest. */
export function castVoices(speech: ChapterSpeech, cast: Cast): ReadonlyMap<Block, readonly VoicedStretch[]> {
  const voices = new Map<Block, readonly VoicedStretch[]>();
  for (const [block, speeches] of speech) {
    const stretches = speeches.flatMap(({ from, to, speaker }) => {
      const voice = speaker === undefined ? undefined : characterOf(cast, speaker)?.voice;
      return voice === undefined ? [] : [{ from, to, voice }];
    });
    if (stretches.length > 0) voices.set(block, stretches);
  }
  return voices;
}
