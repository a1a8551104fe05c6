/** Puts spans around what is said in a document, and leaves everything else as it is written. */
import { attributesOf, type Edit, edited, localName, type Tag, tokensOf, unitOffsets } from './xml-source.js';

/** A stretch of one text node, in UTF-16 units. */
export interface Stretch {
  readonly node: number;
  readonly from: number;
  readonly to: number;
}

interface OpenElement {
  readonly tag: Tag;
  readonly parent: OpenElement | undefined;
  /** Offset behind its end tag. */
  end: number;
  /** Text nodes inside: the first, and the one behind the last. */
  readonly firstNode: number;
  endNode: number;
}

interface PlacedText {
  readonly from: number;
  readonly to: number;
  readonly isCdata: boolean;
  readonly parent: OpenElement | undefined;
  /** Elements that a span cannot hold and that begin or end before it. */
  readonly walls: number;
  readonly isBlank: boolean;
}

/** Elements that may stand inside a span. */
const PHRASING = new Set(
  `a abbr acronym audio b bdi bdo big br button cite code data del dfn em font i img input ins kbd label map mark math
  meter object output picture progress q rb rp rt rtc ruby s samp small span strike strong sub sup svg time tt u var
  video wbr`.split(/\s+/),
);

/** A stretch of the source that a span may go around. */
interface Range {
  readonly from: number;
  readonly to: number;
}

export class MarkedSource {
  /** Begins the ids of this document; no id of its own begins like that. */
  readonly prefix: string;
  readonly #source: string;
  readonly #texts: PlacedText[] = [];
  readonly #offsets = new Map<number, number[]>();
  readonly #edits: Edit[] = [];
  readonly #ids = new Map<string, string>();

  constructor(source: string) {
    this.#source = source;
    const ids = this.#place();
    let prefix = 'tts';
    while (ids.some((id) => id.startsWith(prefix))) prefix += 'x';
    this.prefix = prefix;
  }

  /**
   * Marks what is said at once: as few spans as there can be. Returns the id of each, with the
   * index of the stretch that it begins with. Stretches are in document order.
   */
  mark(stretches: readonly Stretch[]): { readonly id: string; readonly first: number }[] {
    const known = stretches.map((each) => this.#clamped(each));
    const marks: { id: string; first: number }[] = [];
    for (let first = 0; first < known.length; ) {
      const start = known[first];
      let last = known.length - 1;
      let range: Range | undefined;
      for (; start && last > first; last -= 1) {
        range = known[last] && this.#range(start, known[last]!);
        if (range) break;
      }
      range ??= start && this.#own(start);
      if (range) marks.push({ id: this.#span(range), first });
      first = Math.max(first, last) + 1;
    }
    return marks;
  }

  toString(): string {
    return edited(this.#source, this.#edits);
  }

  #place(): string[] {
    const ids: string[] = [];
    let open: OpenElement | undefined;
    let walls = 0;
    for (const token of tokensOf(this.#source)) {
      if (token.kind === 'text' || token.kind === 'cdata') {
        const isBlank = this.#source.slice(token.from, token.to).trim() === '';
        const isCdata = token.kind === 'cdata';
        this.#texts.push({ from: token.from, to: token.to, isCdata, parent: open, walls, isBlank });
      } else if (token.kind !== 'other') {
        if (!PHRASING.has(localName(token.name))) walls += 1;
        if (token.kind !== 'close') {
          const id = attributesOf(this.#source, token).get('id');
          if (id !== undefined) ids.push(id);
        }
        const firstNode = this.#texts.length;
        if (token.kind === 'open') open = { tag: token, parent: open, end: token.to, firstNode, endNode: firstNode };
        else if (token.kind === 'close' && open) {
          open.end = token.to;
          open.endNode = firstNode;
          open = open.parent;
        }
      }
    }
    return ids;
  }

  /** Undefined where there is no such node, or nothing of it left at that place. */
  #clamped({ node, from, to }: Stretch): Stretch | undefined {
    if (this.#texts[node] === undefined) return undefined;
    const units = this.#offsetsOf(node).length - 1;
    return from >= Math.min(to, units) ? undefined : { node, from, to: Math.min(to, units) };
  }

  /** Where a unit of a text node stands in the source. */
  #at(node: number, unit: number): number {
    return this.#texts[node]!.from + this.#offsetsOf(node)[unit]!;
  }

  #offsetsOf(node: number): number[] {
    const known = this.#offsets.get(node);
    if (known) return known;
    const { from, to, isCdata } = this.#texts[node]!;
    const offsets = unitOffsets(this.#source.slice(from, to), isCdata);
    this.#offsets.set(node, offsets);
    return offsets;
  }

  #own({ node, from, to }: Stretch): Range | undefined {
    // Markup inside CDATA would be text.
    return this.#texts[node]!.isCdata ? undefined : { from: this.#at(node, from), to: this.#at(node, to) };
  }

  /** From one stretch to another, where whole elements lie between. */
  #range(first: Stretch, last: Stretch): Range | undefined {
    const [a, b] = [this.#texts[first.node]!, this.#texts[last.node]!];
    if (a.walls !== b.walls || a.isCdata || b.isCdata) return undefined;
    const common = commonElement(a.parent, b.parent);
    const from = this.#liftedStart(first, common);
    const to = this.#liftedEnd(last, common);
    return from === undefined || to === undefined ? undefined : { from, to };
  }

  /** The start, moved before the elements that begin with it. */
  #liftedStart({ node, from }: Stretch, until: OpenElement | undefined): number | undefined {
    const { parent } = this.#texts[node]!;
    if (parent === until) return this.#at(node, from);
    if (this.#source.slice(this.#at(node, 0), this.#at(node, from)).trim() !== '') return undefined;
    let top = parent;
    while (top?.parent !== until) top = top?.parent;
    if (this.#texts.slice(top!.firstNode, node).some(({ isBlank }) => !isBlank)) return undefined;
    return top!.tag.from;
  }

  /** The end, moved behind the elements that end with it. */
  #liftedEnd({ node, to }: Stretch, until: OpenElement | undefined): number | undefined {
    const { parent, to: end } = this.#texts[node]!;
    if (parent === until) return this.#at(node, to);
    if (this.#source.slice(this.#at(node, to), end).trim() !== '') return undefined;
    let top = parent;
    while (top?.parent !== until) top = top?.parent;
    if (this.#texts.slice(node + 1, top!.endNode).some(({ isBlank }) => !isBlank)) return undefined;
    return top!.end;
  }

  /** What is said twice has one span. */
  #span({ from, to }: Range): string {
    const key = `${from}-${to}`;
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = `${this.prefix}${this.#ids.size + 1}`;
    this.#ids.set(key, id);
    this.#edits.push({ from, to: from, text: `<span id="${id}">` }, { from: to, to, text: '</span>' });
    return id;
  }
}

function commonElement(a: OpenElement | undefined, b: OpenElement | undefined): OpenElement | undefined {
  const above = new Set<OpenElement | undefined>();
  for (let each = a; each; each = each.parent) above.add(each);
  let common = b;
  while (common && !above.has(common)) common = common.parent;
  return common;
}
