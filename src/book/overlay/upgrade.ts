/** A document of any EPUB as EPUB 3 wants it: XHTML of version 5, without what HTML gave up. */
import { attributesOf, type Edit, edited, localName, type Tag, tagOf, tokensOf } from './xml-source.js';

/** Elements that HTML gave up, and what says the same. */
const RENAMED: Readonly<Record<string, readonly [name: string, style?: string]>> = {
  acronym: ['abbr'],
  big: ['span', 'font-size: larger'],
  center: ['div', 'text-align: center'],
  dir: ['ul'],
  font: ['span'],
  strike: ['s'],
  tt: ['code'],
};

/** Attributes that became style, and of which elements. */
const STYLED: Readonly<Record<string, (value: string, element: string) => string | undefined>> = {
  align: (value, element) =>
    element === 'img' || element === 'table'
      ? /^(?:left|right)$/i.test(value)
        ? `float: ${value}`
        : undefined
      : `text-align: ${value}`,
  valign: (value) => `vertical-align: ${value}`,
  bgcolor: (value) => `background-color: ${value}`,
  clear: (value) => `clear: ${/^all$/i.test(value) ? 'both' : value}`,
  nowrap: () => 'white-space: nowrap',
  background: () => undefined,
  text: (value) => `color: ${value}`,
};
/** Sizes that only pictures and the like still have. */
const SIZED = new Set(['img', 'video', 'canvas', 'object', 'embed', 'iframe', 'svg']);
const GIVEN_UP = new Set(
  `abbr alink axis border cellpadding cellspacing char charoff charset codetype compact face frame frameborder
  hspace language link longdesc marginheight marginwidth noshade profile rev rules scheme scrolling shape
  standby summary valuetype version vlink vspace`.split(/\s+/),
);
/** Elements that keep an attribute which HTML gave up for the others. */
const KEEPS: Readonly<Record<string, readonly string[]>> = {
  meta: ['charset'],
  script: ['charset'],
  th: ['abbr'],
  area: ['shape'],
};

/** Whether the elements of a document are in a namespace of their own, such as drawings. */
const isForeign = (name: string): boolean => /^(?:svg|math)$/i.test(localName(name));

export function upgraded(source: string): string {
  const edits: Edit[] = [];
  let foreign = 0;
  for (const token of tokensOf(source)) {
    if (token.kind === 'other') {
      const written = source.slice(token.from, token.to);
      if (/^<!DOCTYPE/i.test(written)) edits.push({ ...token, text: '<!DOCTYPE html>' });
      if (/^<\?xml\s/.test(written)) edits.push({ ...token, text: '<?xml version="1.0" encoding="utf-8"?>' });
    } else if (token.kind !== 'text' && token.kind !== 'cdata') {
      if (isForeign(token.name) && token.kind !== 'empty') foreign += token.kind === 'open' ? 1 : -1;
      const text = foreign === 0 && !isForeign(token.name) ? newTag(source, token) : undefined;
      if (text !== undefined) edits.push({ from: token.from, to: token.to, text });
    }
  }
  return edited(source, edits);
}

/** Undefined where the tag stays as it is. */
function newTag(source: string, tag: Tag): string | undefined {
  // Elements of other namespaces have a prefix.
  if (tag.name.includes(':')) return undefined;
  const old = tag.name.toLowerCase();
  const [name = tag.name, style] = RENAMED[old] ?? [];
  if (tag.kind === 'close') return name === tag.name ? undefined : `</${name}>`;
  const attributes = attributesOf(source, tag);
  const styles = style === undefined ? [] : [style];
  const kept = [...attributes].flatMap(([key, value]) => newAttribute(old, key, value, styles, attributes));
  const isSame = kept.length === attributes.size && kept.every(([key, value]) => attributes.get(key) === value);
  if (isSame && styles.length === 0 && name === tag.name) return undefined;
  const written = new Map(kept);
  if (styles.length > 0) written.set('style', [written.get('style'), ...styles].filter(Boolean).join('; '));
  return tagOf(name, written, tag.kind === 'empty');
}

type Attribute = readonly [name: string, value: string];

function newAttribute(
  element: string,
  name: string,
  value: string,
  styles: string[],
  all: ReadonlyMap<string, string>,
): Attribute[] {
  if (KEEPS[element]?.includes(name)) return [[name, value]];
  if (name === 'name' && ['a', 'img', 'map', 'p', 'div', 'span'].includes(element)) {
    return all.has('id') || element === 'map' ? (element === 'map' ? [[name, value]] : []) : [['id', value]];
  }
  if (name === 'content' && element === 'meta' && /content-type/i.test(all.get('http-equiv') ?? '')) {
    return [[name, 'text/html; charset=utf-8']];
  }
  if ((name === 'width' || name === 'height') && element !== 'html') {
    if (SIZED.has(element) && /^\d+$/.test(value)) return [[name, value]];
    styles.push(`${name}: ${/^\d+$/.test(value) ? `${value}px` : value}`);
    return [];
  }
  if (name === 'type' && /^(?:ul|li)$/.test(element)) return [];
  if (name === 'size' && /^(?:hr|font)$/.test(element)) return [];
  if (name === 'color' && element === 'font') {
    styles.push(`color: ${value}`);
    return [];
  }
  if (name === 'scope' && element === 'td') return [];
  const styled = Object.hasOwn(STYLED, name) ? STYLED[name] : undefined;
  if (styled) {
    const style = styled(value, element);
    if (style !== undefined) styles.push(style);
    return [];
  }
  return GIVEN_UP.has(name) ? [] : [[name, value]];
}

/** What a document holds that the manifest has to name. */
export function propertiesOf(source: string): string[] {
  const has = (pattern: RegExp) => pattern.test(source);
  return [
    ...(has(/<(?:\w+:)?svg[\s>]/) ? ['svg'] : []),
    ...(has(/<(?:\w+:)?math[\s>]/) ? ['mathml'] : []),
    ...(has(/<(?:script|form)[\s>]/) ? ['scripted'] : []),
    ...(has(/<(?:audio|video|source)[^>]*\ssrc\s*=\s*["']https?:/) ? ['remote-resources'] : []),
    ...(has(/<epub:switch[\s>]/) ? ['switch'] : []),
  ];
}

/** Links the style sheet with the rule for what is being said. */
export function withStyle(source: string, href: string): string {
  const link = `<link rel="stylesheet" type="text/css" href="${href}"/>`;
  for (const token of tokensOf(source)) {
    if (token.kind !== 'open' && token.kind !== 'close' && token.kind !== 'empty') continue;
    const name = localName(token.name);
    if (name === 'head' && token.kind === 'empty') {
      return edited(source, [{ from: token.from, to: token.to, text: `<head><title>-</title>${link}</head>` }]);
    }
    if (name === 'head' && token.kind === 'close')
      return edited(source, [{ from: token.from, to: token.from, text: link }]);
    if (name === 'body')
      return edited(source, [{ from: token.from, to: token.from, text: `<head><title>-</title>${link}</head>` }]);
  }
  return source;
}
