/** What a book is made an EPUB of: its documents as XHTML, the files beside them, its package. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Book, textOf } from '../book.js';
import { Archive } from '../epub/archive.js';
import { ncxEntries } from '../epub/contents.js';
import { isReadable, type Package, readPackage } from '../epub/package.js';
import { decodedText, parseXml } from '../markup.js';
import { xhtmlOf } from './html-source.js';
import type { NavEntry } from './nav.js';
import { newPackage } from './package-source.js';
import { type Picture, picturesOf } from './pictures.js';
import { placedText, textDocument } from './text-source.js';
import { propertiesOf, upgraded } from './upgrade.js';
import { withoutNamedCharacters } from './xml-source.js';

interface Document {
  /** XHTML of version 5. */
  readonly source: string;
  /** The number that a text node of the book has in `source`. */
  nodeOf(node: number): number | undefined;
}

interface OtherFile {
  readonly path: string;
  readonly bytes: Buffer;
}

export interface Publication {
  /** The same text, whose runs know where they stand. */
  readonly book: Book;
  /** Path of the package file, and what it is before the sound is added. */
  readonly opf: string;
  readonly packageSource: string;
  /** The table of contents where a new one is needed; empty where only chapters are known. */
  readonly contents: readonly NavEntry[] | undefined;
  readonly coverPath: string | undefined;
  /** Properties of documents that the package does not name itself. */
  readonly properties: Map<string, readonly string[]>;
  readonly converted: Set<string>;
  hasPath(prefix: string): boolean;
  document(file: number): Promise<Document>;
  /** Everything but the package and the documents of these paths. */
  others(but: ReadonlySet<string>): AsyncGenerator<OtherFile>;
  close(): void;
}

interface PublicationOptions {
  /** That of the voice. */
  readonly language: string;
  /** Which pictures an HTML page keeps: those inside it, or those in files beside it too. */
  readonly pictures: 'inside' | 'beside';
}

/** `file` is what `book` was read from. */
export async function openPublication(
  book: Book,
  file: string,
  { language, pictures }: PublicationOptions,
): Promise<Publication> {
  switch (book.kind) {
    case 'epub':
      return EpubPublication.open(book, file);
    case 'html':
      return new PlainPublication(book, book.language ?? language, await pageOf(file, pictures === 'beside'));
    default:
      return new PlainPublication(placedText(book, documentPath), language, undefined);
  }
}

const OPF = 'EPUB/package.opf';
const documentPath = (chapter: number): string => `EPUB/chapter-${String(chapter + 1).padStart(3, '0')}.xhtml`;
const CONTAINER =
  '<?xml version="1.0" encoding="utf-8"?>\n<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">' +
  `<rootfiles><rootfile full-path="${OPF}" media-type="application/oebps-package+xml"/></rootfiles></container>\n`;

/** A page of HTML, and its pictures by what `src` says. */
interface Page {
  readonly html: Buffer;
  readonly pictures: ReadonlyMap<string, Picture>;
}

async function pageOf(file: string, beside: boolean): Promise<Page> {
  const html = await readFile(file);
  return { html, pictures: await picturesOf(html, file, beside) };
}

/** Text, or a page of HTML. */
class PlainPublication implements Publication {
  readonly book: Book;
  readonly opf = OPF;
  readonly packageSource: string;
  readonly contents = [];
  readonly coverPath = undefined;
  readonly properties = new Map();
  readonly converted = new Set<string>();
  readonly #language: string;
  readonly #page: Page | undefined;

  constructor(book: Book, language: string, page: Page | undefined) {
    const files = page === undefined ? book.files : ['EPUB/book.xhtml'];
    this.book = { ...book, files };
    this.#language = language;
    this.#page = page;
    const { title, author } = book;
    const identifier = identifierOf(book);
    const pictures = this.#pictures;
    this.packageSource = newPackage({ title, author, language, identifier, opf: OPF, documents: files, pictures });
  }

  hasPath(): boolean {
    return false;
  }

  async document(file: number): Promise<Document> {
    const { title, chapters, files } = this.book;
    if (this.#page === undefined) {
      return { source: textDocument(chapters[file]!, this.#language), nodeOf: (node) => node };
    }
    const { html, pictures } = this.#page;
    const folder = path.posix.dirname(files[file]!);
    const hrefOf = (source: string) => {
      const picture = pictures.get(source);
      return picture && path.posix.relative(folder, picture.path);
    };
    const { source, nodes } = xhtmlOf(html, files[file]!, title, hrefOf);
    return { source: upgraded(source), nodeOf: (node) => nodes.get(node) };
  }

  async *others(): AsyncGenerator<OtherFile> {
    yield { path: 'META-INF/container.xml', bytes: Buffer.from(CONTAINER) };
    yield* this.#pictures;
  }

  /** Each once, in the order in which the page has them. */
  get #pictures(): Picture[] {
    return [...new Set(this.#page?.pictures.values() ?? [])];
  }

  close(): void {}
}

/** The same for the same text: nothing of the machine or the time is in it. */
function identifierOf({ title, author, chapters }: Book): string {
  const hash = createHash('sha256').update(JSON.stringify([title, author]));
  for (const { title: name, blocks } of chapters) hash.update(`\n# ${name}\n${blocks.map(textOf).join('\n')}`);
  const hex = hash.digest('hex');
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

class EpubPublication implements Publication {
  readonly book: Book;
  readonly opf: string;
  readonly packageSource: string;
  readonly contents: readonly NavEntry[] | undefined;
  readonly coverPath: string | undefined;
  readonly properties = new Map<string, readonly string[]>();
  readonly converted = new Set<string>();
  readonly #archive: Archive;
  readonly #isOld: boolean;
  readonly #documents: ReadonlySet<string>;

  private constructor(book: Book, archive: Archive, pack: Package, source: string, contents?: readonly NavEntry[]) {
    this.book = book;
    this.opf = pack.path;
    this.packageSource = source;
    this.coverPath = pack.cover?.path;
    this.#archive = archive;
    this.#isOld = !/^3/.test(pack.version);
    this.contents = contents;
    const documents = [...pack.items.values()].filter((item) => isReadable(item) && item.mediaType !== DTBOOK);
    this.#documents = new Set(documents.map((item) => item.path));
    for (const { path: name, mediaType } of documents) if (mediaType !== XHTML) this.converted.add(name);
  }

  static async open(book: Book, file: string): Promise<Publication> {
    const archive = await Archive.open(file);
    try {
      const pack = await readPackage(archive, file);
      const source = withoutNamedCharacters(decodedText(await archive.read(pack.path), pack.path));
      const contents = pack.nav && archive.has(pack.nav.path) ? undefined : await oldContents(archive, pack);
      return new EpubPublication(book, archive, pack, source, contents);
    } catch (error) {
      archive.close();
      throw error;
    }
  }

  hasPath(prefix: string): boolean {
    return this.#archive.paths.some((name) => name.startsWith(prefix));
  }

  async document(file: number): Promise<Document> {
    return this.#document(this.book.files[file]!);
  }

  async *others(but: ReadonlySet<string>): AsyncGenerator<OtherFile> {
    for (const name of this.#archive.paths) {
      // Overlays of the book's own would speak beside ours, and signatures are of what was there.
      if (/\/$|\.smil$|^META-INF\/signatures\.xml$/i.test(name)) continue;
      if (name === 'mimetype' || name === this.opf || but.has(name)) continue;
      const isDocument = this.#documents.has(name) && (this.#isOld || this.converted.has(name));
      const bytes = isDocument ? Buffer.from((await this.#document(name)).source) : await this.#archive.read(name);
      yield { path: name, bytes };
    }
  }

  close(): void {
    this.#archive.close();
  }

  async #document(name: string): Promise<Document> {
    const bytes = await this.#archive.read(name);
    const { source, nodeOf } = readDocument(bytes, name);
    const whole = this.#isOld || this.converted.has(name) ? upgraded(source) : source;
    if (this.#isOld) this.properties.set(name, propertiesOf(whole));
    return { source: whole, nodeOf };
  }
}

const XHTML = 'application/xhtml+xml';
const DTBOOK = 'application/x-dtbook+xml';

function readDocument(bytes: Buffer, name: string): Document {
  try {
    parseXml(bytes, name);
  } catch {
    // The reader took it as browsers do.
    // Pictures of the archive stay where they are.
    const hrefOf = (src: string) => (/^(?:$|[a-z][a-z0-9+.-]*:|\/)/i.test(src) ? undefined : src);
    const { source, nodes } = xhtmlOf(bytes, name, path.parse(name).name, hrefOf);
    return { source, nodeOf: (node) => nodes.get(node) };
  }
  const source = withoutNamedCharacters(decodedText(bytes, name));
  const declared = source.replace(/^\ufeff?<\?xml[^>]*\?>/, '<?xml version="1.0" encoding="utf-8"?>');
  return { source: declared, nodeOf: (node) => node };
}

/** What the NCX says. */
async function oldContents(archive: Archive, { ncx, spine }: Package): Promise<NavEntry[]> {
  if (ncx === undefined || !archive.has(ncx.path)) return [];
  const root = parseXml(await archive.read(ncx.path), ncx.path);
  const readable = new Set(spine.map((item) => item.path));
  return ncxEntries(root, ncx.path).filter((entry) => readable.has(entry.path) && entry.title !== '');
}
