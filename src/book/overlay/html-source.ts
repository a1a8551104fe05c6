/** HTML as XHTML: what browsers make of it, as far as a book may hold it. */
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { escapeAttribute } from '../../protocol/characters.js';
import { decodedText } from '../markup.js';

/** They run, fetch or ask something, which a book does not. */
const LEFT_OUT = new Set(
  `applet audio base button canvas embed fieldset form frame frameset iframe input link map meta noscript object
  script select source style template textarea track video`.split(/\s+/),
);
const EMPTY = new Set('br col hr img wbr'.split(' '));
const KNOWN = new Set(
  `a abbr acronym address article aside b bdi bdo big blockquote body br caption center cite code col colgroup dd
  del details dfn dir div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 head header hgroup hr html i img ins kbd
  li main mark nav ol p pre q rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th
  thead title tr tt u ul var wbr`.split(/\s+/),
);
const ATTRIBUTES = new Set('class colspan dir hidden id lang name rowspan scope start title'.split(' '));
const INLINE = new Set(
  'a abbr b bdi bdo br cite code del dfn em font i img ins kbd mark q ruby s samp small span strong sub sup u var'.split(
    ' ',
  ),
);

type Node = DefaultTreeAdapterTypes.Node;

/**
 * The text nodes keep their order. Those inside what is left out become empty comments, so that
 * nodes keep their numbers only where `parseXml` counts them: `nodes` maps the old ones.
 */
export interface HtmlSource {
  readonly source: string;
  /** Numbers of text nodes in `source` by those of `parseHtml`. */
  readonly nodes: ReadonlyMap<number, number>;
}

/** Where a picture lies, as the document is to say; undefined where it is left out. */
type PictureHref = (source: string) => string | undefined;

export function xhtmlOf(bytes: Buffer, file: string, title: string, hrefOf: PictureHref): HtmlSource {
  return new Writer(title, hrefOf).write(parse(decodedText(bytes, file)));
}

class Writer {
  readonly #title: string;
  readonly #hrefOf: PictureHref;
  readonly #parts: string[] = [];
  readonly #nodes = new Map<number, number>();
  readonly #ids = new Set<string>();
  #old = 0;
  #new = 0;
  /** Text directly behind text would be one node. */
  #isText = false;

  constructor(title: string, hrefOf: PictureHref) {
    this.#title = title;
    this.#hrefOf = hrefOf;
  }

  write(document: DefaultTreeAdapterTypes.Document): HtmlSource {
    this.#markup('<?xml version="1.0" encoding="utf-8"?>');
    this.#markup('<!DOCTYPE html>');
    for (const child of document.childNodes) this.#node(child, true);
    return { source: this.#parts.join(''), nodes: this.#nodes };
  }

  #node(node: Node, isKept: boolean): void {
    if (node.nodeName === '#text') this.#text((node as DefaultTreeAdapterTypes.TextNode).value, isKept);
    else if ('tagName' in node) this.#element(node, isKept);
  }

  #text(text: string, isKept: boolean): void {
    const old = this.#old++;
    // Characters that XML does not have; a line end is written as one.
    const written = escapeAttribute(
      text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, ' '),
    ).replaceAll('\r', '&#13;');
    if (!isKept || written === '') return;
    if (this.#isText) this.#markup('<!---->');
    this.#parts.push(written);
    this.#nodes.set(old, this.#new++);
    this.#isText = true;
  }

  #element(element: DefaultTreeAdapterTypes.Element, outer: boolean): void {
    const tag = element.tagName.toLowerCase();
    const isPossible = outer && !LEFT_OUT.has(tag) && element.namespaceURI === 'http://www.w3.org/1999/xhtml';
    const isKept = isPossible && (tag !== 'img' || this.#hrefOf(attributeOf(element, 'src')) !== undefined);
    const name = KNOWN.has(tag) ? tag : holdsBlocks(element) ? 'div' : 'span';
    if (isKept) this.#markup(`<${name}${this.#attributes(element, name)}${EMPTY.has(name) ? '/' : ''}>`);
    const titles = element.childNodes.some(({ nodeName }) => nodeName === 'title');
    const isUntitled = name === 'title' && element.childNodes.length === 0;
    if (isKept && isUntitled) this.#added(escapeAttribute(this.#title));
    for (const child of element.childNodes) this.#node(child, isKept);
    if (isKept && name === 'head' && !titles) this.#added(`<title>${escapeAttribute(this.#title)}</title>`);
    if (isKept && !EMPTY.has(name)) this.#markup(`</${name}>`);
  }

  /** Markup with one text node that `parseHtml` does not have. */
  #added(markup: string): void {
    this.#markup(markup);
    this.#new += 1;
  }

  #markup(markup: string): void {
    this.#parts.push(markup);
    this.#isText = false;
  }

  #attributes(element: DefaultTreeAdapterTypes.Element, name: string): string {
    const { attrs } = element;
    const kept = attrs.filter((each) => ATTRIBUTES.has(each.name) || (each.name === 'href' && isKeptLink(each.value)));
    const written = kept.flatMap((each) => {
      if (each.name === 'id' && (!/^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(each.value) || this.#ids.has(each.value)))
        return [];
      if (each.name === 'id') this.#ids.add(each.value);
      return [` ${each.name}="${escapeAttribute(each.value)}"`];
    });
    const isHidden = attrs.some((each) => each.name === 'style' && /display\s*:\s*none/i.test(each.value));
    if (isHidden && !kept.some((each) => each.name === 'hidden')) written.push(' hidden=""');
    if (name === 'img') written.push(this.#picture(element));
    const space = name === 'html' ? ' xmlns="http://www.w3.org/1999/xhtml"' : '';
    return `${space}${written.join('')}`;
  }

  #picture(element: DefaultTreeAdapterTypes.Element): string {
    const sizes = ['width', 'height'].flatMap((name) => {
      const pixels = attributeOf(element, name);
      return /^\d+$/.test(pixels) ? [` ${name}="${pixels}"`] : [];
    });
    const alternative = escapeAttribute(attributeOf(element, 'alt'));
    return ` src="${escapeAttribute(this.#hrefOf(attributeOf(element, 'src'))!)}" alt="${alternative}"${sizes.join('')}`;
  }
}

const attributeOf = ({ attrs }: DefaultTreeAdapterTypes.Element, name: string): string =>
  attrs.find((each) => each.name === name)?.value ?? '';

const holdsBlocks = ({ childNodes }: DefaultTreeAdapterTypes.Element): boolean =>
  childNodes.some((child) => 'tagName' in child && (!INLINE.has(child.tagName) || holdsBlocks(child)));

/** Links to other places in the web. Files beside the page are not in the book. */
const isKeptLink = (href: string): boolean => /^(?:https?:\/\/[^\s<>"]+|mailto:[^\s<>"]+)$/i.test(href);
