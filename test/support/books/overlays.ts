/** Media overlays as a reader of EPUB finds them: from the package to the sound of each span. */
import path from 'node:path';
import { type Element, find, findAll, parseXml, textInside } from '../../../src/book/markup.js';

interface ReadClip {
  readonly document: string;
  readonly id: string;
  /** The text of the span. */
  readonly text: string;
  readonly sound: string;
  readonly beginMs: number;
  readonly endMs: number;
}

interface ReadOverlays {
  readonly clips: readonly ReadClip[];
  readonly metadata: Readonly<Record<string, string>>;
  /** The package. */
  readonly root: Element;
  readonly opf: string;
}

const msOf = (clock: string): number => {
  const [hours, minutes, seconds] = clock.split(':').map(Number) as [number, number, number];
  return Math.round((hours * 3600 + minutes * 60 + seconds) * 1000);
};

const resolve = (from: string, href: string): string =>
  path.posix.join(path.posix.dirname(from), decodeURIComponent(href));

/** Throws where something leads nowhere. */
export function readOverlays(files: ReadonlyMap<string, Buffer>): ReadOverlays {
  const parsed = (name: string) => {
    const bytes = files.get(name);
    if (bytes === undefined) throw new Error(`${name} is not in the archive`);
    return parseXml(bytes, name);
  };
  const opf = find(parsed('META-INF/container.xml'), 'rootfile')!.attributes['full-path']!;
  const root = parsed(opf);
  const items = new Map(findAll(root, 'item').map(({ attributes }) => [attributes.id!, attributes]));
  const metas = findAll(root, 'meta').filter(({ attributes }) => attributes.property !== undefined);
  const clips: ReadClip[] = [];
  for (const { attributes } of findAll(root, 'itemref')) {
    const item = items.get(attributes.idref!)!;
    if (item['media-overlay'] === undefined) continue;
    const overlay = items.get(item['media-overlay'])!;
    const smil = resolve(opf, overlay.href!);
    const own = clipsOf(smil, parsed);
    const told = metas.find((meta) => meta.attributes.refines === `#${overlay.id}`);
    const ms = own.reduce((sum, { beginMs, endMs }) => sum + endMs - beginMs, 0);
    if (told === undefined || msOf(textInside(told)) !== ms)
      throw new Error(`${smil} does not last as long as it says`);
    if (own.some(({ document }) => document !== resolve(opf, item.href!))) throw new Error(`${smil} leads elsewhere`);
    if (own.some(({ sound }) => !files.has(sound))) throw new Error(`${smil} names sound that is not there`);
    clips.push(...own);
  }
  const metadata = Object.fromEntries(
    metas.filter(({ attributes }) => !attributes.refines).map((meta) => [meta.attributes.property!, textInside(meta)]),
  );
  const totalMs = clips.reduce((sum, { beginMs, endMs }) => sum + endMs - beginMs, 0);
  if (msOf(metadata['media:duration']!) !== totalMs) throw new Error('the whole does not last as long as it says');
  return { clips, metadata, root, opf };
}

function clipsOf(smil: string, parsed: (name: string) => Element): ReadClip[] {
  const spans = new Map<string, Map<string, Element>>();
  const spanOf = (document: string, id: string): Element => {
    const known = spans.get(document) ?? new Map<string, Element>();
    if (known.size === 0) {
      for (const each of findAll(parsed(document), 'span')) {
        const own = each.attributes.id;
        if (own === undefined) continue;
        if (known.has(own)) throw new Error(`${document} has two of ${own}`);
        known.set(own, each);
      }
    }
    spans.set(document, known);
    const span = known.get(id);
    if (span === undefined) throw new Error(`${document} has no span ${id}`);
    return span;
  };
  return findAll(parsed(smil), 'par').map((par) => {
    const [href, id] = find(par, 'text')!.attributes.src!.split('#') as [string, string];
    const { src, clipBegin, clipEnd } = find(par, 'audio')!.attributes as Record<string, string>;
    const document = resolve(smil, href);
    const text = textInside(spanOf(document, id));
    return { document, id, text, sound: resolve(smil, src!), beginMs: msOf(clipBegin!), endMs: msOf(clipEnd!) };
  });
}
