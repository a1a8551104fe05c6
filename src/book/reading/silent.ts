/** Which elements a person would not read aloud, told by `epub:type`, ARIA roles and classes. */
import { type Element, textInside, wordsOf } from '../markup.js';

const NO_TEXT = new Set(
  'head script style template noscript svg audio video object iframe canvas form button select rp nav'.split(' '),
);
/** Sections about the edition, and lists that lead to pages. */
const SILENT_TYPES = new Set(
  'toc landmarks page-list pagebreak loi lot loa lov index copyright-page imprint colophon'.split(' '),
);
const SILENT_ROLES = new Set('doc-toc doc-pagelist doc-pagebreak doc-index doc-colophon navigation'.split(' '));
const SILENT_CLASS =
  /^(?:page-?(?:num(?:ber)?s?|no|break|head(?:er)?|foot(?:er)?)|pb|running-?head(?:er)?s?|pg-?boilerplate|pg-?header|pg-?footer|copyright(?:-?page)?|toc|table-?of-?contents)$/;
const SILENT_ID = /^pg-(?:header|footer|machine-header|start-separator|end-separator)$/;

export function isSilent(element: Element): boolean {
  const { name, attributes } = element;
  if (NO_TEXT.has(name)) return true;
  if ('hidden' in attributes || attributes['aria-hidden'] === 'true') return true;
  if (/display\s*:\s*none/i.test(attributes.style ?? '')) return true;
  if (wordsOf(element, 'epub:type').some((word) => SILENT_TYPES.has(word))) return true;
  if (wordsOf(element, 'role').some((word) => SILENT_ROLES.has(word))) return true;
  if (SILENT_ID.test(attributes.id ?? '')) return true;
  return wordsOf(element, 'class').some((word) => SILENT_CLASS.test(word));
}

const NOTE_TYPES = /^(?:footnotes?|endnotes?|rearnotes?)$/;
const NOTE_ROLES = new Set(['doc-footnote', 'doc-endnote', 'doc-endnotes']);
const NOTE_CLASS = /^(?:foot-?notes?|end-?notes?|fnote)$/;
const NOTE_ELEMENTS = new Set('aside div section p li ol ul dl dd'.split(' '));

/** A note, or a list of notes. */
export const isNote = (element: Element): boolean =>
  wordsOf(element, 'epub:type').some((word) => NOTE_TYPES.test(word)) ||
  wordsOf(element, 'role').some((word) => NOTE_ROLES.has(word)) ||
  (NOTE_ELEMENTS.has(element.name) && wordsOf(element, 'class').some((word) => NOTE_CLASS.test(word)));

const REF_CLASS = /^(?:noteref|fnanchor|(?:foot|end)?-?note-?(?:ref|anchor|link)|fnref)$/;
/** 12, [12], (a), *, † */
const MARK = /^(?:[[(]\s*(?:\d{1,4}|[a-z]|[*†‡§¶]+)\s*[\])]|\d{1,4}|[*†‡§¶]+|[a-z])$/i;
const PLAINLY_A_MARK = /^(?:[[(].*[\])]|[*†‡§¶]+)$/;

/** A mark in the text that leads to a note. */
export function isNoteMark(element: Element, isRaised: boolean): boolean {
  if (wordsOf(element, 'epub:type').includes('noteref') || wordsOf(element, 'role').includes('doc-noteref'))
    return true;
  if (element.name !== 'a' || !element.attributes.href?.includes('#')) return false;
  if (wordsOf(element, 'class').some((word) => REF_CLASS.test(word))) return true;
  const text = textInside(element);
  const holdsRaised = element.children.some((child) => 'name' in child && child.name === 'sup');
  return MARK.test(text) && (isRaised || holdsRaised || PLAINLY_A_MARK.test(text));
}

/** In a note: its number, or the arrow that leads back to the text. */
export function isBackLink(element: Element): boolean {
  if (wordsOf(element, 'epub:type').includes('backlink') || wordsOf(element, 'role').includes('doc-backlink')) {
    return true;
  }
  const text = textInside(element);
  return (
    element.name === 'a' &&
    'href' in element.attributes &&
    (/^(?:[↩↑⏎^]|\ufe0e|\ufe0f)*$/.test(text) || MARK.test(text))
  );
}

/** Verse, in whole or in a stanza. */
export const isVerse = (element: Element): boolean =>
  wordsOf(element, 'epub:type').some((word) => /(?:^|:)(?:poem|verse|song|hymn|lyrics)$/.test(word)) ||
  wordsOf(element, 'class').some((word) => /^(?:poem|poetry|verse|stanza|linegroup|lg|song|hymn)$/.test(word));

const SCENE_BREAK = /^[\s*•·∗⁂✻❦❧~#_=.–—-]+$/u;

/** "* * *": a rest, and nothing to say. */
export const isSceneBreak = (text: string): boolean => text.trim() !== '' && SCENE_BREAK.test(text);
