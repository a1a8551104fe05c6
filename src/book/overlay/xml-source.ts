/** XML as it is written: where tags and text stand, so that it can be changed and stay the same. */
import { decodeHTMLStrict } from 'entities';

export interface Tag {
  readonly kind: 'open' | 'close' | 'empty';
  /** As written, with its prefix. */
  readonly name: string;
  /** Offsets in the source: `<` and behind `>`. */
  readonly from: number;
  readonly to: number;
}

interface Text<Kind> {
  readonly kind: Kind;
  /** What is written between the markup; of CDATA what is inside. */
  readonly from: number;
  readonly to: number;
}

interface Other {
  readonly kind: 'other';
  readonly from: number;
  readonly to: number;
}

type Token = Tag | Text<'text'> | Text<'cdata'> | Other;

/** The file is known to be well-formed. Text tokens come as `parseXml` numbers them. */
export function* tokensOf(source: string): Generator<Token> {
  let at = source.indexOf('<');
  while (at >= 0 && at < source.length) {
    const token = source[at] === '<' ? markupAt(source, at) : textAt(source, at);
    if (token.to > token.from || token.kind === 'cdata') yield token;
    at = token.kind === 'cdata' ? token.to + ']]>'.length : token.to;
  }
}

function textAt(source: string, from: number): Text<'text'> {
  const next = source.indexOf('<', from);
  return { kind: 'text', from, to: next < 0 ? source.length : next };
}

function markupAt(source: string, from: number): Token {
  const behind = (mark: string, start: number) => {
    const end = source.indexOf(mark, start);
    return end < 0 ? source.length : end + mark.length;
  };
  if (source.startsWith('<!--', from)) return { kind: 'other', from, to: behind('-->', from + 4) };
  if (source.startsWith('<![CDATA[', from)) {
    return { kind: 'cdata', from: from + 9, to: behind(']]>', from + 9) - 3 };
  }
  if (source.startsWith('<?', from)) return { kind: 'other', from, to: behind('?>', from + 2) };
  if (source.startsWith('<!', from)) return { kind: 'other', from, to: declarationEnd(source, from) };
  const to = tagEnd(source, from);
  const [, slash, name = ''] = /<(\/?)([^\s/>]+)/y.exec(source.slice(from, from + 200)) ?? [];
  const kind = slash ? 'close' : source[to - 2] === '/' ? 'empty' : 'open';
  return { kind, name, from, to };
}

/** Behind the `>` of a tag; values may hold one. */
function tagEnd(source: string, from: number): number {
  const mark = /["'>]/g;
  mark.lastIndex = from;
  for (let found = mark.exec(source); found; found = mark.exec(source)) {
    if (found[0] === '>') return mark.lastIndex;
    const end = source.indexOf(found[0], mark.lastIndex);
    if (end < 0) break;
    mark.lastIndex = end + 1;
  }
  return source.length;
}

/** Behind a document type, which may declare things in brackets. */
function declarationEnd(source: string, from: number): number {
  const mark = /["'[\]>]/g;
  mark.lastIndex = from;
  let depth = 0;
  for (let found = mark.exec(source); found; found = mark.exec(source)) {
    const [sign] = found;
    if (sign === '[') depth += 1;
    else if (sign === ']') depth -= 1;
    else if (sign === '>') {
      if (depth === 0) return mark.lastIndex;
    } else {
      const end = source.indexOf(sign, mark.lastIndex);
      if (end < 0) break;
      mark.lastIndex = end + 1;
    }
  }
  return source.length;
}

/** The attributes of a tag as written: names with their prefixes, values still escaped. */
export function attributesOf(source: string, { from, to }: Tag): Map<string, string> {
  const inside = source.slice(from, to).replace(/^<\/?[^\s/>]+/, '');
  const found = inside.matchAll(/([^\s=/>]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g);
  return new Map([...found].map(([, name, double, single]) => [name!, double ?? single ?? '']));
}

/** A tag with these attributes. Values are escaped already. */
export function tagOf(name: string, attributes: Iterable<readonly [string, string]>, isEmpty = false): string {
  const written = [...attributes].map(([key, value]) => ` ${key}="${value.replaceAll('"', '&quot;')}"`);
  return `<${name}${written.join('')}${isEmpty ? '/' : ''}>`;
}

export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Edits at one place keep their order. None reaches into another. */
export function edited(source: string, edits: readonly Edit[]): string {
  const sorted = edits.map((edit, index) => ({ ...edit, index }));
  sorted.sort((a, b) => a.from - b.from || a.index - b.index);
  const parts: string[] = [];
  let at = 0;
  for (const { from, to, text } of sorted) {
    parts.push(source.slice(at, from), text);
    at = to;
  }
  return parts.join('') + source.slice(at);
}

export const localName = (name: string): string => name.slice(name.indexOf(':') + 1).toLowerCase();

/** The five names that XML itself has. */
const OWN_NAMES = new Set(['amp', 'lt', 'gt', 'quot', 'apos']);

/** HTML's names of characters as numbers: they need a document type that EPUB 3 has not. */
export function withoutNamedCharacters(source: string): string {
  return source.replace(/<!\[CDATA\[[\s\S]*?\]\]>|&([a-z][a-z0-9]*);/gi, (written: string, name?: string) => {
    if (name === undefined || OWN_NAMES.has(name)) return written;
    const text = decodeHTMLStrict(written);
    return text === written ? '' : [...text].map((char) => `&#${char.codePointAt(0)};`).join('');
  });
}

/**
 * Where each UTF-16 unit of a text node begins in what is written of it; one more for its end.
 * References and line ends may be written longer than they are.
 */
export function unitOffsets(written: string, isCdata: boolean): number[] {
  const offsets: number[] = [];
  const pattern = isCdata ? /\r\n?|[\s\S]/g : /\r\n?|&[^;]*;|[\s\S]/g;
  for (const { 0: piece, index } of written.matchAll(pattern)) {
    const units = piece.startsWith('&') && !isCdata ? decodeHTMLStrict(piece).length : 1;
    for (let unit = 0; unit < units; unit += 1) offsets.push(index);
  }
  offsets.push(written.length);
  return offsets;
}
