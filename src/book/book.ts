/** A book as it is read aloud: chapters of blocks, each with the place its words have in a file. */

/** A stretch of text that is spoken in one way. */
export interface TextRun {
  /** As written, but that every character of white space is a space: offsets stay those of `at`. */
  readonly text: string;
  /** The `lang` it stands in (BCP 47), where that differs from the book's. */
  readonly language?: string;
  /** Said in place of `text`: the reading of ruby. */
  readonly alias?: string;
  /** Where `text` begins in its file; absent where no text node says it, as for `alttext`. */
  readonly at?: TextPlace;
}

export interface TextPlace {
  /** The text nodes of a file are counted from 0, in document order. */
  readonly node: number;
  /** UTF-16 units into the node. */
  readonly from: number;
}

export type BlockKind = 'heading' | 'paragraph' | 'quote' | 'verse' | 'item' | 'row' | 'caption' | 'note';

/** What is read without a rest inside other than those of its sentences. */
export interface Block {
  readonly kind: BlockKind;
  readonly runs: readonly TextRun[];
  /** Index into `Book.files`. */
  readonly file: number;
  /** The first line of a stanza, or the first block behind a break of the scene. */
  readonly apart?: boolean;
}

export interface BookChapter {
  readonly title: string;
  readonly blocks: readonly Block[];
}

export interface Cover {
  readonly mediaType: 'image/jpeg' | 'image/png';
  readonly bytes: Buffer;
}

export interface Book {
  /** What it was read from. */
  readonly kind: 'epub' | 'html' | 'text';
  readonly title: string;
  /** Several are joined with commas. */
  readonly author?: string;
  /** BCP 47, as the book says it. */
  readonly language?: string;
  readonly cover?: Cover;
  readonly chapters: readonly BookChapter[];
  /** The files that blocks are of: paths within an EPUB, or the one file that was read. */
  readonly files: readonly string[];
  /** What was left out because it cannot be read; empty unless that was allowed. */
  readonly problems: readonly string[];
}

export interface ReadingOptions {
  /** Notes are left out, or read where the chapter ends that refers to them. */
  readonly notes: 'skip' | 'end';
  /** Go on without the parts that cannot be read. */
  readonly skipBroken: boolean;
}

export const textOf = ({ runs }: Pick<Block, 'runs'>): string =>
  runs
    .map(({ text }) => text)
    .join('')
    .replace(/\s+/g, ' ')
    .trim();

/** Characters that a chapter has to say. */
export const charsOf = ({ blocks }: BookChapter): number =>
  blocks.reduce((sum, block) => sum + textOf(block).length + 1, 0);
