/** Walks a document and makes blocks of it: what a person would read, and in which way. */
import type { Block, BlockKind, TextPlace, TextRun } from '../book.js';
import { textOf } from '../book.js';
import { descendants, type Element, find, isElement, type TextNode, textInside } from '../markup.js';
import { isBackLink, isNote, isNoteMark, isSceneBreak, isSilent, isVerse } from './silent.js';

export interface Walked {
  readonly blocks: readonly Block[];
  /** The block that an id stands in, or before, by the id. */
  readonly places: ReadonlyMap<string, number>;
  /** What the marks of notes lead to, with the block they stand in. */
  readonly references: readonly { readonly href: string; readonly block: number }[];
  /** Notes by their ids. */
  readonly notes: ReadonlyMap<string, readonly Block[]>;
}

export interface WalkOptions {
  /** Index of the file in the book. */
  readonly file: number;
  /** The book's language; runs in it name none. */
  readonly language: string | undefined;
}

const KINDS: Readonly<Record<string, BlockKind>> = {
  h1: 'heading',
  h2: 'heading',
  h3: 'heading',
  h4: 'heading',
  h5: 'heading',
  h6: 'heading',
  hgroup: 'heading',
  li: 'item',
  dt: 'item',
  dd: 'item',
  figcaption: 'caption',
  caption: 'caption',
  blockquote: 'quote',
};
const BLOCKS = new Set(
  `address article aside blockquote body caption center dd details div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6
  header hgroup html hr legend li line linegroup main ol p pre section summary table tbody td tfoot th thead tr ul`.split(
    /\s+/,
  ),
);
/** A note is known by the id of one of these. */
const NOTE_HOLDERS = new Set('aside div section p li dd'.split(' '));

interface Context {
  readonly kind: BlockKind;
  readonly language: string | undefined;
  readonly isRaised: boolean;
  readonly inNote: boolean;
  /** Cells of a row are one block. */
  readonly inRow: boolean;
  readonly isPreformatted: boolean;
}

export function walk(root: Element, options: WalkOptions): Walked {
  return new Walker(options).run(root, 'paragraph', false);
}

class Walker {
  readonly #options: WalkOptions;
  readonly #blocks: Block[] = [];
  readonly #places = new Map<string, number>();
  readonly #references: { href: string; block: number }[] = [];
  readonly #notes = new Map<string, readonly Block[]>();
  #runs: TextRun[] = [];
  #kind: BlockKind = 'paragraph';
  #apart = false;

  constructor(options: WalkOptions) {
    this.#options = options;
  }

  run(root: Element, kind: BlockKind, inNote: boolean): Walked {
    const language = languageOf(root);
    this.#element(root, { kind, language, isRaised: false, inNote, inRow: false, isPreformatted: false });
    this.#flush();
    return { blocks: this.#blocks, places: this.#places, references: this.#references, notes: this.#notes };
  }

  #element(element: Element, outer: Context): void {
    const { name, attributes } = element;
    for (const id of [attributes.id, attributes['xml:id'], name === 'a' ? attributes.name : undefined]) {
      if (id !== undefined && !this.#places.has(id)) this.#places.set(id, this.#blocks.length);
    }
    if (isSilent(element)) return;
    if (!outer.inNote && isNote(element)) {
      this.#note(element);
      return;
    }
    if (isNoteMark(element, outer.isRaised) || (outer.inNote && isBackLink(element))) {
      if (attributes.href !== undefined) this.#references.push({ href: attributes.href, block: this.#blocks.length });
      return;
    }
    const context = { ...outer, language: languageOf(element) ?? outer.language };
    if (this.#special(element, context)) return;
    if (BLOCKS.has(name)) this.#block(element, context);
    else this.#children(element, name === 'sup' ? { ...context, isRaised: true } : context);
  }

  /** Elements that are not simply their text; false for all others. */
  #special(element: Element, context: Context): boolean {
    const { name, attributes } = element;
    switch (name) {
      case 'br':
        this.#lineBreak(context);
        return true;
      case 'hr':
        this.#flush();
        this.#apart = true;
        return true;
      case 'img':
        // An initial that is drawn is part of its word.
        if (/^\p{L}$/u.test(attributes.alt ?? '')) this.#say(attributes.alt!, context);
        return true;
      case 'math':
        this.#say(` ${attributes.alttext ?? mathText(element)} `, context);
        return true;
      case 'ruby':
        this.#ruby(element, context);
        return true;
      case 'tr':
        this.#row(element, context);
        return true;
      default:
        return false;
    }
  }

  #block(element: Element, outer: Context): void {
    if (outer.inRow) {
      if (element.name !== 'td' && element.name !== 'th') this.#say(' ', outer);
      this.#children(element, outer);
      return;
    }
    const { name } = element;
    const verse = isVerse(element) || name === 'line';
    const kind = verse ? 'verse' : headingRole(element) ? 'heading' : this.#kindIn(name, outer);
    const context = { ...outer, kind, isPreformatted: outer.isPreformatted || name === 'pre' };
    this.#flush();
    if (kind === 'verse' && (verse || outer.kind !== 'verse') && name !== 'line') this.#apart = true;
    this.#kind = kind;
    const number = name === 'li' ? itemNumber(element, outer) : '';
    if (number !== '') this.#say(number, context);
    if (name === 'ol') this.#numbered(element, context);
    else this.#children(element, context);
    this.#flush();
    this.#kind = outer.kind;
  }

  /** A paragraph in a quotation or a list is of its kind; a heading is one but for notes. */
  #kindIn(name: string, outer: Context): BlockKind {
    if (outer.inNote) return 'note';
    if (name === 'pre') return 'verse';
    return KINDS[name] ?? outer.kind;
  }

  #numbered(list: Element, context: Context): void {
    let number = Number.parseInt(list.attributes.start ?? '1', 10) || 1;
    for (const child of list.children) {
      if (!isElement(child)) continue;
      const given =
        child.name === 'li' && /^\d+$/.test(child.attributes.value ?? '') ? child.attributes.value : undefined;
      if (child.name === 'li') {
        number = given === undefined ? number : Number(given);
        this.#element({ ...child, attributes: { ...child.attributes, value: String(number) } }, context);
        number += 1;
      } else this.#element(child, context);
    }
  }

  #row(row: Element, outer: Context): void {
    this.#flush();
    this.#kind = 'row';
    const context = { ...outer, kind: 'row' as const, inRow: true };
    for (const cell of row.children.filter(isElement)) {
      const before = this.#runs
        .map(({ text }) => text)
        .join('')
        .trimEnd();
      const mark = this.#runs.length;
      if (before !== '') this.#say(/[.,;:!?]$/.test(before) ? ' ' : ', ', context);
      const said = this.#runs.length;
      this.#element(cell, context);
      // An empty cell leaves no comma.
      if (this.#runs.slice(said).every(({ text }) => text.trim() === '')) this.#runs.length = mark;
    }
    this.#flush();
    this.#kind = outer.kind;
  }

  #lineBreak({ inRow, kind }: Context): void {
    if (inRow) {
      this.#runs.push({ text: ' ' });
      return;
    }
    if (kind === 'paragraph' || kind === 'quote') this.#kind = 'verse';
    this.#flush();
    if (kind === 'paragraph' || kind === 'quote') this.#kind = 'verse';
  }

  #ruby(ruby: Element, context: Context): void {
    const guides = /^ja\b/i.test(context.language ?? this.#options.language ?? '');
    let from = this.#runs.length;
    for (const child of ruby.children) {
      if (!isElement(child)) this.#text(child, context);
      else if (child.name === 'rb') this.#children(child, context);
      else if (child.name === 'rt') {
        const alias = textInside(child);
        const [base, ...rest] = this.#runs.slice(from);
        if (guides && base && alias !== '') {
          const text = [base, ...rest].map((run) => run.text).join('');
          this.#runs.splice(from, this.#runs.length - from, { ...base, text, alias });
        }
        from = this.#runs.length;
      } else if (child.name !== 'rp' && child.name !== 'rtc') this.#element(child, context);
    }
  }

  #note(element: Element): void {
    for (const each of descendants(element)) {
      const { id } = each.attributes;
      if (id === undefined) continue;
      this.#places.set(id, this.#places.get(id) ?? this.#blocks.length);
      const holder = NOTE_HOLDERS.has(each.name) ? each : element;
      this.#notes.set(id, new Walker(this.#options).run(holder, 'note', true).blocks);
    }
  }

  #children({ children }: Element, context: Context): void {
    for (const child of children) {
      if (isElement(child)) this.#element(child, context);
      else this.#text(child, context);
    }
  }

  #text({ text, node }: TextNode, context: Context): void {
    let from = 0;
    for (const line of context.isPreformatted ? text.split('\n') : [text]) {
      if (from > 0) this.#flush();
      this.#say(line, context, { node, from });
      from += line.length + 1;
    }
  }

  #say(text: string, { language }: Context, at?: TextPlace): void {
    if (text === '') return;
    const isOther = language !== undefined && language.toLowerCase() !== this.#options.language?.toLowerCase();
    this.#runs.push({ text: detached(text.replace(/\s/g, ' ')), ...(isOther && { language }), ...(at && { at }) });
  }

  #flush(): void {
    const runs = this.#runs;
    this.#runs = [];
    const text = textOf({ runs });
    if (text === '') return;
    if (isSceneBreak(text)) {
      this.#apart = true;
      return;
    }
    this.#blocks.push({ kind: this.#kind, runs, file: this.#options.file, ...(this.#apart && { apart: true }) });
    this.#apart = false;
  }
}

/** A copy: a piece of a longer string holds all of it in memory, here a whole file of markup. */
const detached = (text: string): string => Buffer.from(text).toString();

const headingRole = ({ attributes }: Element): boolean => attributes.role === 'heading';

const languageOf = ({ attributes }: Element): string | undefined =>
  attributes['xml:lang']?.trim() || attributes.lang?.trim() || undefined;

/** "3. " for the third item of an ordered list, unless the item says a number itself. */
function itemNumber(item: Element, { kind }: Context): string {
  const { value } = item.attributes;
  return value === undefined || kind === 'note' || /^\W{0,2}[\dIVX]+[.)]/.test(textInside(item)) ? '' : `${value}. `;
}

/** TeX or other annotations are not for reading; the signs are. */
function mathText(math: Element): string {
  const row = find(math, 'semantics')?.children.find(isElement) ?? math;
  const signs: string[] = [];
  for (const each of descendants(row)) {
    if (['mi', 'mn', 'mo', 'mtext', 'ms'].includes(each.name)) signs.push(textInside(each));
  }
  return signs.join(' ');
}
