/** The table of contents of an EPUB 3, for books that have none of that form. */

import { escapeAttribute } from '../../protocol/characters.js';
import { hrefOf } from './smil.js';

export interface NavEntry {
  readonly title: string;
  /** Path in the archive. */
  readonly path: string;
  readonly fragment: string;
  /** 0 is the top level. */
  readonly depth: number;
}

export function navDocument(nav: string, title: string, language: string, entries: readonly NavEntry[]): string {
  return (
    '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n' +
    '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" ' +
    `lang="${escapeAttribute(language)}" xml:lang="${escapeAttribute(language)}">\n<head><title>${escapeAttribute(title)}</title></head>\n` +
    `<body>\n<nav epub:type="toc" id="toc">\n<h1>${escapeAttribute(title)}</h1>\n${listOf(nav, entries)}</nav>\n</body>\n</html>\n`
  );
}

/** An entry holds the deeper ones that follow it, however deep they say they are. */
function listOf(nav: string, entries: readonly NavEntry[]): string {
  const items: string[] = [];
  for (let at = 0; at < entries.length; ) {
    const { title, path, fragment, depth } = entries[at]!;
    let end = at + 1;
    while (end < entries.length && entries[end]!.depth > depth) end += 1;
    const below = end > at + 1 ? `\n${listOf(nav, entries.slice(at + 1, end))}` : '';
    const place = fragment === '' ? '' : `#${escapeAttribute(encodeURI(fragment))}`;
    items.push(`<li><a href="${hrefOf(nav, path)}${place}">${escapeAttribute(title)}</a>${below}</li>\n`);
    at = end;
  }
  return `<ol>\n${items.join('')}</ol>\n`;
}
