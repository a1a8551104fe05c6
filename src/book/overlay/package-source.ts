/** The package of an EPUB with its sound: what was there, what was added, and version 3. */
import { escapeAttribute } from '../../protocol/characters.js';
import { resolvePath } from '../epub/package.js';
import { clockOf, hrefOf } from './smil.js';
import { attributesOf, type Edit, edited, localName, type Tag, tagOf, tokensOf } from './xml-source.js';

export interface AddedItem {
  readonly id: string;
  /** Path in the archive. */
  readonly path: string;
  readonly mediaType: string;
  readonly properties?: string;
  /** The length of an overlay. */
  readonly ms?: number;
}

export interface PackageChanges {
  readonly added: readonly AddedItem[];
  /** Ids of overlays by the paths of their documents. */
  readonly overlays: ReadonlyMap<string, string>;
  /** What documents hold, by their paths, where the package does not name it itself. */
  readonly properties: ReadonlyMap<string, readonly string[]>;
  /** Documents that were another kind of text and are XHTML now. */
  readonly converted: ReadonlySet<string>;
  readonly coverPath: string | undefined;
  readonly narrator: string;
}

export const ACTIVE_CLASS = 'tts-active';
/** Of a book that names no date: its EPUB depends on nothing but its text and voice. */
const NO_DATE = '1980-01-01T00:00:00Z';

/** Attributes that elements of the package have in version 3. */
const ITEM_ATTRIBUTES = new Set('id href media-type fallback media-overlay properties'.split(' '));

export function packageSource(source: string, opf: string, changes: PackageChanges): string {
  return new PackageEditor(source, opf, changes).run();
}

class PackageEditor {
  readonly #source: string;
  readonly #opf: string;
  readonly #changes: PackageChanges;
  readonly #edits: Edit[] = [];
  /** Statements about elements whose attributes version 3 does not have. */
  readonly #refined: string[] = [];
  #prefix = '';
  #dates: string[] = [];
  #hasModified = false;
  #ids = 0;

  constructor(source: string, opf: string, changes: PackageChanges) {
    this.#source = source;
    this.#opf = opf;
    this.#changes = changes;
  }

  run(): string {
    let dropped: { readonly name: string; readonly from: number } | undefined;
    for (const token of tokensOf(this.#source)) {
      if (token.kind === 'other' || token.kind === 'text' || token.kind === 'cdata') {
        if (token.kind === 'other') this.#declaration(token.from, token.to);
        continue;
      }
      if (dropped) {
        if (token.kind !== 'close' || token.name !== dropped.name) continue;
        this.#edits.push({ from: dropped.from, to: token.to, text: '' });
        dropped = undefined;
      } else if (token.kind === 'close') this.#close(token);
      else if (!this.#isDropped(token)) this.#open(token);
      else if (token.kind === 'empty') this.#replace(token, '');
      else dropped = token;
    }
    return edited(this.#source, this.#edits);
  }

  #declaration(from: number, to: number): void {
    const written = this.#source.slice(from, to);
    if (/^<\?xml\s/.test(written)) this.#edits.push({ from, to, text: '<?xml version="1.0" encoding="utf-8"?>' });
    if (/^<!DOCTYPE/i.test(written)) this.#edits.push({ from, to, text: '' });
  }

  #isDropped(tag: Tag): boolean {
    const attributes = attributesOf(this.#source, tag);
    switch (localName(tag.name)) {
      case 'tours':
        return true;
      case 'meta':
        return /^media:/.test(attributes.get('property') ?? '');
      case 'item':
        return attributes.get('media-type') === 'application/smil+xml';
      case 'date':
        // Version 3 has one date, that of the publication.
        this.#dates.push(this.#textBehind(tag));
        return this.#dates.length > 1;
      default:
        return false;
    }
  }

  #textBehind({ to }: Tag): string {
    return this.#source.slice(to, this.#source.indexOf('<', to)).trim();
  }

  #open(tag: Tag): void {
    const attributes = attributesOf(this.#source, tag);
    switch (localName(tag.name)) {
      case 'package':
        this.#prefix = tag.name.slice(0, tag.name.indexOf(':') + 1);
        this.#replace(tag, tagOf(tag.name, attributes.set('version', '3.0')));
        break;
      case 'item':
        this.#item(tag, attributes);
        break;
      case 'spine':
        if (attributes.delete('page-map')) this.#replace(tag, tagOf(tag.name, attributes));
        break;
      case 'meta':
        if (attributes.get('property') === 'dcterms:modified') this.#hasModified = true;
        break;
      default:
        this.#statement(tag, attributes);
    }
  }

  #close(tag: Tag): void {
    const name = localName(tag.name);
    const lines = name === 'metadata' ? this.#metadata() : name === 'manifest' ? this.#added() : [];
    if (lines.length > 0) this.#edits.push({ from: tag.from, to: tag.from, text: `${lines.join('\n')}\n` });
  }

  #item(tag: Tag, attributes: Map<string, string>): void {
    const { overlays, properties, coverPath, converted } = this.#changes;
    const { path } = resolvePath(this.#opf, attributes.get('href') ?? '');
    const overlay = overlays.get(path);
    const own = (attributes.get('properties') ?? '').split(/\s+/);
    const words = new Set([...own, ...(properties.get(path) ?? []), ...(path === coverPath ? ['cover-image'] : [])]);
    words.delete('');
    const kept = new Map([...attributes].filter(([name]) => ITEM_ATTRIBUTES.has(name)));
    kept.delete('media-overlay');
    if (overlay !== undefined) kept.set('media-overlay', overlay);
    if (words.size > 0) kept.set('properties', [...words].join(' '));
    if (converted.has(path)) kept.set('media-type', 'application/xhtml+xml');
    this.#replace(tag, tagOf(tag.name, kept, tag.kind === 'empty'));
  }

  /** A statement of Dublin Core: roles and sort keys were attributes in version 2. */
  #statement(tag: Tag, attributes: Map<string, string>): void {
    const foreign = [...attributes].filter(([name]) => name.includes(':') && !/^xml(?:ns)?:/.test(name));
    if (foreign.length === 0 || !/^\w+:/.test(tag.name)) return;
    for (const [name] of foreign) attributes.delete(name);
    const told = foreign.filter(([name]) => ['role', 'file-as'].includes(localName(name)));
    if (told.length > 0 && !attributes.has('id')) attributes.set('id', `tts-about-${++this.#ids}`);
    for (const [name, value] of told) {
      const scheme = localName(name) === 'role' ? ' scheme="marc:relators"' : '';
      this.#refined.push(
        this.#meta(`refines="#${attributes.get('id')}" property="${localName(name)}"${scheme}`, value),
      );
    }
    this.#replace(tag, tagOf(tag.name, attributes, tag.kind === 'empty'));
  }

  #metadata(): string[] {
    const { added, narrator } = this.#changes;
    const overlays = added.filter(({ ms }) => ms !== undefined);
    const total = overlays.reduce((sum, { ms = 0 }) => sum + ms, 0);
    return [
      ...this.#refined,
      ...(this.#hasModified ? [] : [this.#meta('property="dcterms:modified"', dateOf(this.#dates[0]))]),
      ...overlays.map(({ id, ms = 0 }) => this.#meta(`property="media:duration" refines="#${id}"`, clockOf(ms))),
      this.#meta('property="media:duration"', clockOf(total)),
      this.#meta('property="media:narrator"', escapeAttribute(narrator)),
      this.#meta('property="media:active-class"', ACTIVE_CLASS),
    ];
  }

  #added(): string[] {
    return this.#changes.added.map(({ id, path, mediaType, properties }) =>
      tagOf(
        `${this.#prefix}item`,
        [
          ['id', id],
          ['href', hrefOf(this.#opf, path)],
          ['media-type', mediaType],
          ...(properties === undefined ? [] : [['properties', properties] as const]),
        ],
        true,
      ),
    );
  }

  #meta(attributes: string, value: string): string {
    return `<${this.#prefix}meta ${attributes}>${value}</${this.#prefix}meta>`;
  }

  #replace({ from, to }: Tag, text: string): void {
    this.#edits.push({ from, to, text });
  }
}

/** The day that a book names, in the only form that `dcterms:modified` has. */
function dateOf(text = ''): string {
  const [, year, month = '01', day = '01'] = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?/.exec(text) ?? [];
  return year === undefined ? NO_DATE : `${year}-${month}-${day}T00:00:00Z`;
}

export interface NewPackage {
  readonly title: string;
  readonly author: string | undefined;
  readonly language: string;
  /** `urn:uuid:…` */
  readonly identifier: string;
  readonly opf: string;
  /** Paths of the documents, in order. */
  readonly documents: readonly string[];
  readonly pictures: readonly { readonly path: string; readonly mediaType: string }[];
}

/** A package for a book that had none; `packageSource` adds the rest. */
export function newPackage({ title, author, language, identifier, opf, documents, pictures }: NewPackage): string {
  const item = (id: string, file: string, type: string) =>
    `<item id="${id}" href="${hrefOf(opf, file)}" media-type="${type}"/>\n`;
  const items = [
    ...documents.map((each, i) => item(`text${i + 1}`, each, 'application/xhtml+xml')),
    ...pictures.map(({ path, mediaType }, i) => item(`picture${i + 1}`, path, mediaType)),
  ];
  const refs = documents.map((_, i) => `<itemref idref="text${i + 1}"/>\n`);
  return (
    '<?xml version="1.0" encoding="utf-8"?>\n' +
    '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">\n' +
    `<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">\n<dc:identifier id="id">${identifier}</dc:identifier>\n` +
    `<dc:title>${escapeAttribute(title)}</dc:title>\n<dc:language>${escapeAttribute(language)}</dc:language>\n` +
    `${author === undefined ? '' : `<dc:creator>${escapeAttribute(author)}</dc:creator>\n`}</metadata>\n` +
    `<manifest>\n${items.join('')}</manifest>\n<spine>\n${refs.join('')}</spine>\n</package>\n`
  );
}
