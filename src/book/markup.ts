/** XML and HTML as one small tree, whose text nodes are numbered. */
import { decodeHTMLStrict } from 'entities';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { SaxesParser } from 'saxes';
import { unreadable } from './unreadable.js';

export interface TextNode {
  readonly text: string;
  /** Counted from 0, in document order. */
  readonly node: number;
}

export interface Element {
  /** The local name, in lower case. */
  readonly name: string;
  /** By their names as written, with a prefix where they have one: `epub:type`. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (Element | TextNode)[];
}

/** Deeper trees are refused: they are walked by recursion. */
const MAX_DEPTH = 300;

export const isElement = (node: Element | TextNode): node is Element => 'name' in node;

/** HTML's names of characters, which XHTML may use as well. Nothing that a file declares counts. */
const ENTITIES = new Proxy<Record<string, string>>(
  {},
  {
    get(_, name) {
      const reference = `&${String(name)};`;
      const text = decodeHTMLStrict(reference);
      return text === reference ? undefined : text;
    },
  },
);

interface Open {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: (Element | TextNode)[];
}

/** Throws `book_unreadable` with the place where the file is not well-formed. */
export function parseXml(bytes: Buffer, file: string): Element {
  const parser = new SaxesParser({ xmlns: false });
  parser.ENTITIES = ENTITIES;
  const root: Open = { name: '', attributes: {}, children: [] };
  const stack: Open[] = [root];
  let nodes = 0;
  parser.on('error', (error) => {
    throw unreadable(file, `it is no well-formed XML (${error.message})`, error);
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element: Open = { name: localName(name), attributes: attributes as Record<string, string>, children: [] };
    stack.at(-1)!.children.push(element);
    stack.push(element);
    if (stack.length > MAX_DEPTH) throw unreadable(file, `its elements are nested more than ${MAX_DEPTH} deep`);
  });
  parser.on('closetag', () => stack.pop());
  const text = (written: string) => stack.at(-1)!.children.push({ text: written, node: nodes++ });
  parser.on('text', text);
  parser.on('cdata', text);
  parser.write(decodedText(bytes, file)).close();
  const top = root.children.find(isElement);
  if (top === undefined) throw unreadable(file, 'it is empty');
  return top;
}

/** HTML as browsers read it: there is nothing that it cannot make a tree of. */
export function parseHtml(bytes: Buffer, file: string): Element {
  let nodes = 0;
  const take = (node: DefaultTreeAdapterTypes.Node, depth: number): Element | TextNode | undefined => {
    if (depth > MAX_DEPTH) throw unreadable(file, `its elements are nested more than ${MAX_DEPTH} deep`);
    if (node.nodeName === '#text') return { text: (node as DefaultTreeAdapterTypes.TextNode).value, node: nodes++ };
    if (!('childNodes' in node)) return undefined;
    const attributes = 'attrs' in node ? node.attrs : [];
    return {
      name: localName(node.nodeName),
      attributes: Object.fromEntries(attributes.map((each) => [attributeName(each), each.value])),
      children: node.childNodes.map((child) => take(child, depth + 1)).filter((child) => child !== undefined),
    };
  };
  return take(parse(decodedText(bytes, file)), 0) as Element;
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1).toLowerCase();

const attributeName = ({ name, prefix }: { name: string; prefix?: string }): string =>
  prefix ? `${prefix}:${name}` : name;

/** UTF-8 or UTF-16 by its mark, or the encoding that the first line names. */
export function decodedText(bytes: Buffer, file: string): string {
  const marked = bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : bytes[0] === 0xff ? 'utf-16le' : undefined;
  const named = /^<\?xml[^>]*?encoding\s*=\s*["']([\w.-]+)["']/.exec(bytes.toString('latin1', 0, 200))?.[1];
  const meta = /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]+)/i.exec(bytes.toString('latin1', 0, 2_000))?.[1];
  const encoding = marked ?? named ?? meta ?? 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (cause) {
    throw unreadable(file, `its text is not ${encoding.toUpperCase()}`, cause);
  }
}

/** Every element below (and including) `element`, in document order. */
export function* descendants(element: Element): Generator<Element> {
  yield element;
  for (const child of element.children) if (isElement(child)) yield* descendants(child);
}

export const find = (element: Element, name: string): Element | undefined => {
  for (const each of descendants(element)) if (each.name === name) return each;
  return undefined;
};

export const findAll = (element: Element, name: string): Element[] =>
  [...descendants(element)].filter((each) => each.name === name);

/** All text inside, with single spaces. */
export function textInside(element: Element): string {
  const parts: string[] = [];
  const visit = ({ children }: Element) => {
    for (const child of children) {
      if (!isElement(child)) parts.push(child.text);
      else if (child.name === 'br') parts.push(' ');
      else visit(child);
    }
  };
  visit(element);
  return parts.join('').replace(/\s+/g, ' ').trim();
}

/** The words of `epub:type`, `role` and `class`, in lower case. */
export const wordsOf = (element: Element, attribute: 'epub:type' | 'role' | 'class' | 'properties' | 'rel'): string[] =>
  (element.attributes[attribute] ?? '').toLowerCase().split(/\s+/).filter(Boolean);
