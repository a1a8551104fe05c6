/** Plain text and Markdown as documents of an EPUB: one a chapter, with its blocks. */

import { escapeAttribute } from '../../protocol/characters.js';
import { displayText } from '../../text/display.js';
import type { Block, Book, BookChapter, TextRun } from '../book.js';

const ELEMENTS: Readonly<Record<Block['kind'], readonly [open: string, close: string]>> = {
  heading: ['<h2>', '</h2>'],
  paragraph: ['<p>', '</p>'],
  quote: ['<blockquote><p>', '</p></blockquote>'],
  verse: ['<p>', '</p>'],
  item: ['<p>', '</p>'],
  row: ['<p>', '</p>'],
  caption: ['<p>', '</p>'],
  note: ['<p>', '</p>'],
};

/** The same text, whose runs know where it is shown. `files` are the documents. */
export function placedText(book: Book, fileOf: (chapter: number) => string): Book {
  const chapters = book.chapters.map((chapter, index) => ({
    ...chapter,
    blocks: chapter.blocks.map((block, at) => ({ ...block, file: index, runs: placedRuns(block, nodeOf(at)) })),
  }));
  return { ...book, chapters, files: chapters.map((_, index) => fileOf(index)) };
}

/** The title of the document is its first text node. */
const nodeOf = (block: number): number => block + 1;

/** Marks of Markdown are said as they were, but stand nowhere. */
function placedRuns({ runs }: Block, node: number): TextRun[] {
  const text = runs.map((run) => run.text).join('');
  const placed: { text: string; at?: { node: number; from: number } }[] = [];
  let from = 0;
  const shown = displayText(text);
  for (const [index, char] of [...text].entries()) {
    const isShown = shown[index] === char;
    const last = placed.at(-1);
    if (last && (last.at !== undefined) === isShown) last.text += char;
    else placed.push({ text: char, ...(isShown && { at: { node, from } }) });
    from += shown[index]!.length;
  }
  return placed.map((run) => ({ ...run, text: run.text.replace(/\s/g, ' ') }));
}

/** No text stands between the elements: the nodes are counted. */
export function textDocument({ title, blocks }: BookChapter, language: string): string {
  const bodies = blocks.map(({ kind, runs }) => {
    const [open, close] = ELEMENTS[kind];
    return `${open}${escapeAttribute(shownText(runs.map(({ text }) => text).join('')))}${close}`;
  });
  const tag = `lang="${escapeAttribute(language)}" xml:lang="${escapeAttribute(language)}"`;
  return (
    `<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml" ${tag}>` +
    `<head><title>${escapeAttribute(title) || '-'}</title></head><body>${bodies.join('')}</body></html>`
  );
}

/** A block of marks alone is a space, so that it counts. */
const shownText = (text: string): string => displayText(text).join('') || ' ';
