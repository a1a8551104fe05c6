/** The table of contents of an EPUB: the `nav` of version 3, or the NCX of version 2. */
import { type Element, find, findAll, isElement, textInside } from '../markup.js';
import { resolvePath, type Target, typesOf } from './package.js';

export interface Entry extends Target {
  readonly title: string;
  /** 0 is the top level. */
  readonly depth: number;
}

export function navEntries(root: Element, file: string): Entry[] {
  const navs = findAll(root, 'nav');
  const nav = navs.find((each) => typesOf(each).includes('toc')) ?? navs[0];
  const list = nav && find(nav, 'ol');
  return list ? listEntries(list, file, 0) : [];
}

function listEntries(list: Element, file: string, depth: number): Entry[] {
  return list.children.filter(isElement).flatMap((item) => {
    const label = item.children.filter(isElement).find(({ name }) => name === 'a' || name === 'span');
    const below = item.children.filter(isElement).find(({ name }) => name === 'ol');
    const href = label?.attributes.href;
    const own = label && href ? [{ title: textInside(label), depth, ...resolvePath(file, href) }] : [];
    return [...own, ...(below ? listEntries(below, file, depth + 1) : [])];
  });
}

export function ncxEntries(root: Element, file: string): Entry[] {
  const map = find(root, 'navmap');
  return map ? pointEntries(map, file, 0) : [];
}

function pointEntries(parent: Element, file: string, depth: number): Entry[] {
  const points = parent.children.filter(isElement).filter(({ name }) => name === 'navpoint');
  return points.flatMap((point) => {
    const label = point.children.filter(isElement).find(({ name }) => name === 'navlabel');
    const src = point.children.filter(isElement).find(({ name }) => name === 'content')?.attributes.src;
    const own = label && src ? [{ title: textInside(label), depth, ...resolvePath(file, src) }] : [];
    return [...own, ...pointEntries(point, file, depth + 1)];
  });
}

/** Chapters of a level are not shorter than this on average (characters, about five minutes). */
const CHAPTER_CHARS = 5_000;

/**
 * The entries that begin a chapter: those down to the first level that has several, finer levels
 * as long as their parts are long, and the first entry of a file on any level. Others are sections
 * within a chapter. `chars`: characters of the whole book.
 */
export function chapterEntries(entries: readonly Entry[], chars: number): Entry[] {
  const downTo = (depth: number) => entries.filter((entry) => entry.depth <= depth).length;
  const deepest = Math.max(0, ...entries.map(({ depth }) => depth));
  let leading = 0;
  while (leading < deepest && downTo(leading) < 2) leading += 1;
  while (leading < deepest && chars / downTo(leading + 1) >= CHAPTER_CHARS) leading += 1;
  const seen = new Set<string>();
  return entries.filter(({ path, depth, title }) => {
    const isFirst = !seen.has(path);
    seen.add(path);
    return title !== '' && (depth <= leading || isFirst);
  });
}
