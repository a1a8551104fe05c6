/** Books that are one file: Markdown, plain text and HTML. */
import path from 'node:path';
import { isBlank } from '../protocol/characters.js';
import { chaptersOf, headingTitle } from '../text/chapters.js';
import { type Block, type Book, type BookChapter, textOf } from './book.js';
import { find, findAll, parseHtml, textInside } from './markup.js';
import { walk } from './reading/walk.js';
import { unreadable } from './unreadable.js';

const HEADING = /^ {0,3}#{1,6}[ \t]+/;
const RULE = /^ {0,3}(?:[-*_=][ \t]*){3,}$/;
const ITEM = /^\s*(?:[-*+•]|\d{1,3}[.)])\s/;

/** Markdown and plain text: chapters at headings, blocks at blank lines. */
export function readTextBook(text: string, file: string): Book {
  const title = headingTitle(text) ?? path.parse(file).name;
  const chapters = chaptersOf(text, title).map((chapter) => ({ title: chapter.title, blocks: blocksOf(chapter.text) }));
  return bookOf({ kind: 'text', title, chapters }, file);
}

function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let isFenced = false;
  for (const paragraph of text.split(/\n[ \t\r]*\n/)) {
    let lines: string[] = [];
    const close = () => {
      if (!isBlank(lines.join(''))) blocks.push(blockOf(lines));
      lines = [];
    };
    for (const line of paragraph.split(/\r?\n/)) {
      if (/^ {0,3}(?:```|~~~)/.test(line)) {
        isFenced = !isFenced;
        continue;
      }
      const isHeading = !isFenced && HEADING.test(line);
      if (isHeading || ITEM.test(line) || /^\s*\|/.test(line)) close();
      if (RULE.test(line) && !isFenced) {
        if (lines.length === 1) blocks.push({ ...blockOf(lines), kind: 'heading' });
        lines = [];
        continue;
      }
      lines.push(line);
      if (isHeading) close();
    }
    close();
  }
  return blocks;
}

function blockOf(lines: readonly string[]): Block {
  const [first = ''] = lines;
  const kind = HEADING.test(first)
    ? 'heading'
    : ITEM.test(first)
      ? 'item'
      : /^\s*\|/.test(first)
        ? 'row'
        : /^\s*>/.test(first)
          ? 'quote'
          : 'paragraph';
  const text =
    kind === 'heading'
      ? lines
          .join(' ')
          .replace(HEADING, '')
          .replace(/\s+#+\s*$/, '')
      : lines.join('\n');
  return { kind, file: 0, runs: [{ text }] };
}

/** HTML: chapters at the leading headings, everything else as in an EPUB. */
export function readHtmlBook(bytes: Buffer, file: string): Book {
  const root = parseHtml(bytes, file);
  const html = find(root, 'html');
  const language = html?.attributes.lang;
  const { blocks } = walk(find(root, 'body') ?? root, { file: 0, language });
  const head = find(root, 'title');
  const title = (head && textInside(head)) || path.parse(file).name;
  const author = findAll(root, 'meta').find(({ attributes }) => attributes.name === 'author')?.attributes.content;
  const chapters: { title: string; blocks: Block[] }[] = [];
  const names = leadingHeadings(root);
  for (const block of blocks) {
    const isStart = block.kind === 'heading' && names.has(textOf(block));
    if (isStart || chapters.length === 0) chapters.push({ title: isStart ? textOf(block) : title, blocks: [] });
    chapters.at(-1)!.blocks.push(block);
  }
  return bookOf({ kind: 'html', title, chapters, ...(author && { author }), ...(language && { language }) }, file);
}

/** The texts of the headings of the first level that has several, and of those above it. */
function leadingHeadings(root: Parameters<typeof findAll>[0]): ReadonlySet<string> {
  const texts: string[] = [];
  for (const name of ['h1', 'h2', 'h3']) {
    const found = findAll(root, name).map(textInside).filter(Boolean);
    texts.push(...found);
    if (found.length > 1) break;
  }
  return new Set(texts);
}

function bookOf(
  book: Pick<Book, 'kind' | 'title' | 'author' | 'language'> & { chapters: BookChapter[] },
  file: string,
): Book {
  const chapters = book.chapters.filter(({ blocks }) => blocks.length > 0);
  if (chapters.length === 0) throw unreadable(file, 'there is no text in it');
  return { ...book, chapters, files: [file], problems: [] };
}
