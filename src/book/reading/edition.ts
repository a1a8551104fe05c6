/** What repeats or belongs to the edition: licences, running heads, captions, printed contents. */
import { type Block, textOf } from '../book.js';
import { descendants, type Element, find, textInside } from '../markup.js';

const GUTENBERG_START = /^\*{3}\s*START OF (?:THE|THIS) PROJECT GUTENBERG/i;
const GUTENBERG_END = /^(?:\*{3}\s*END OF (?:THE|THIS) PROJECT GUTENBERG|End of (?:the )?Project Gutenberg)/i;

/** Which blocks lie between the marks that Project Gutenberg sets around a text. */
export function withinLicence(documents: readonly (readonly Block[])[]): boolean[][] {
  const all = documents.map((blocks) => blocks.map(textOf));
  const flat = all.flatMap((texts, document) => texts.map((text, block) => ({ text, document, block })));
  const start = flat.findIndex(({ text }) => GUTENBERG_START.test(text));
  const end = flat.findIndex(({ text }, index) => index > start && GUTENBERG_END.test(text));
  const kept = all.map((texts) => texts.map(() => true));
  for (const [index, { document, block }] of flat.entries()) {
    if (index <= start || (end >= 0 && index >= end)) kept[document]![block] = false;
  }
  return kept;
}

/** Fewer documents with the same first or last line than this are a coincidence. */
const LEAST_HEADS = 4;

/** Short texts that begin or end most documents: running heads that were left in the text. */
export function runningHeads(documents: readonly (readonly Block[])[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  const withText = documents.filter((blocks) => blocks.length > 1);
  for (const blocks of withText) {
    for (const block of new Set([blocks[0]!, blocks.at(-1)!])) {
      if (block.kind === 'heading') continue;
      const text = textOf(block);
      if (text.length <= 80) counts.set(text, (counts.get(text) ?? 0) + 1);
    }
  }
  const most = Math.max(LEAST_HEADS, withText.length / 2);
  return new Set([...counts].filter(([, count]) => count >= most).map(([text]) => text));
}

/** A caption that says what its neighbour says, or what an earlier one said, is read once. */
export function withoutRepeats(blocks: readonly Block[]): Block[] {
  const captions = new Set<string>();
  return blocks.filter((block, index) => {
    if (block.kind !== 'caption') return true;
    const text = textOf(block);
    const near = [blocks[index - 1], blocks[index + 1]].some((other) => other && textOf(other) === text);
    const repeats = near || captions.has(text);
    captions.add(text);
    return !repeats;
  });
}

const LEAST_LINKS = 4;
const LINKED_SHARE = 0.6;

/** A page whose text is mostly links into the book is a table of contents that was printed. */
export function isContentsPage(root: Element): boolean {
  const body = find(root, 'body') ?? root;
  let linked = 0;
  let links = 0;
  for (const { name, attributes, ...element } of descendants(body)) {
    if (name !== 'a' || !attributes.href || /^[a-z]+:/i.test(attributes.href)) continue;
    links += 1;
    linked += textInside({ name, attributes, ...element }).length;
  }
  return links >= LEAST_LINKS && linked > LINKED_SHARE * textInside(body).length;
}
