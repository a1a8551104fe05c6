/** Reads an EPUB 2 or 3: its documents in the order of the spine, cut into chapters. */
import path from 'node:path';
import { TtsError } from '../../protocol/errors.js';
import { type Block, type Book, type BookChapter, type Cover, charsOf, type ReadingOptions, textOf } from '../book.js';
import { type Element, find, parseHtml, parseXml, textInside } from '../markup.js';
import { isContentsPage, runningHeads, withinLicence, withoutRepeats } from '../reading/edition.js';
import { type Walked, walk } from '../reading/walk.js';
import { unreadable } from '../unreadable.js';
import { Archive } from './archive.js';
import { chapterEntries, type Entry, navEntries, ncxEntries } from './contents.js';
import { isGuidedPast, isReadable, type ManifestItem, type Package, readPackage, resolvePath } from './package.js';

interface Document extends Walked {
  readonly path: string;
  /** What its `<title>` says. */
  readonly title: string;
}

/** Larger pictures are left out of the files. */
const MAX_COVER_BYTES = 8 * 1024 * 1024;

export async function readEpub(file: string, options: ReadingOptions): Promise<Book> {
  const archive = await Archive.open(file);
  try {
    return await new EpubReader(archive, file, options).read();
  } finally {
    archive.close();
  }
}

class EpubReader {
  readonly #archive: Archive;
  readonly #file: string;
  readonly #options: ReadingOptions;
  readonly #problems: string[] = [];

  constructor(archive: Archive, file: string, options: ReadingOptions) {
    this.#archive = archive;
    this.#file = file;
    this.#options = options;
  }

  async read(): Promise<Book> {
    const pack = await readPackage(this.#archive, this.#file);
    for (const id of pack.unknownIds) {
      this.#problem(unreadable(this.#file, `its spine names "${id}", which the manifest does not have`));
    }
    const documents = this.#withoutEdition(await this.#documents(pack));
    const chars = documents.reduce((sum, { blocks }) => sum + charsOf({ title: '', blocks }), 0);
    const entries = chapterEntries(await this.#entries(pack), chars);
    const title = pack.title ?? path.parse(this.#file).name;
    const chapters = chaptersOf(documents, entries, title, this.#options);
    if (chapters.length === 0) throw unreadable(this.#file, 'there is no text in it');
    const cover = await this.#cover(pack);
    return {
      kind: 'epub',
      title,
      ...(pack.author !== undefined && { author: pack.author }),
      ...(pack.language !== undefined && { language: pack.language }),
      ...(cover && { cover }),
      chapters,
      files: documents.map((document) => document.path),
      problems: this.#problems,
    };
  }

  async #documents(pack: Package): Promise<Document[]> {
    const items = pack.spine.filter((item) => isReadable(item) && !isGuidedPast(pack, item));
    const documents: Document[] = [];
    for (const item of items) {
      const root = await this.#document(item);
      if (root === undefined || isContentsPage(root)) continue;
      const head = find(root, 'title');
      const walked = walk(find(root, 'body') ?? root, { file: documents.length, language: rootLanguage(root, pack) });
      documents.push({ ...walked, path: item.path, title: head ? textInside(head) : '' });
    }
    return documents;
  }

  async #document({ path: name }: ManifestItem): Promise<Element | undefined> {
    try {
      if (!this.#archive.has(name))
        throw unreadable(this.#file, `its spine names ${name}, which is not in the archive`);
      const bytes = await this.#archive.read(name);
      try {
        return parseXml(bytes, name);
      } catch (error) {
        this.#problem(error);
        // What browsers would make of it is better than a missing chapter.
        return parseHtml(bytes, name);
      }
    } catch (error) {
      this.#problem(error);
      return undefined;
    }
  }

  async #entries({ nav, ncx }: Package): Promise<Entry[]> {
    for (const [item, read] of [
      [nav, navEntries],
      [ncx, ncxEntries],
    ] as const) {
      const root = item && (await this.#document(item));
      const entries = root ? read(root, item!.path) : [];
      if (entries.length > 0) return entries;
    }
    return [];
  }

  #withoutEdition(documents: readonly Document[]): Document[] {
    const blocks = documents.map((document) => document.blocks);
    const kept = withinLicence(blocks);
    const heads = runningHeads(blocks);
    return documents.map((document, index) =>
      keepBlocks(document, (block, at) => kept[index]![at]! && !(block.kind !== 'heading' && heads.has(textOf(block)))),
    );
  }

  async #cover({ cover }: Package): Promise<Cover | undefined> {
    if (cover === undefined || !this.#archive.has(cover.path)) return undefined;
    try {
      const bytes = await this.#archive.read(cover.path);
      if (bytes.length > MAX_COVER_BYTES) return undefined;
      return { mediaType: cover.mediaType as Cover['mediaType'], bytes };
    } catch (error) {
      this.#problem(error);
      return undefined;
    }
  }

  /** Throws, or takes a note where what can be read is to be made. */
  #problem(error: unknown): void {
    if (!this.#options.skipBroken || !(error instanceof TtsError) || error.code !== 'book_unreadable') throw error;
    this.#problems.push(error.message);
  }
}

/** A document may be in another language than its book. */
function rootLanguage(root: Element, { language }: Package): string | undefined {
  return language ?? root.attributes['xml:lang'] ?? root.attributes.lang;
}

/** The document without some blocks; places and references follow. */
function keepBlocks(document: Document, keep: (block: Block, index: number) => boolean): Document {
  const kept = document.blocks.map(keep);
  const before: number[] = [0];
  for (const each of kept) before.push(before.at(-1)! + (each ? 1 : 0));
  return {
    ...document,
    blocks: document.blocks.filter((_, index) => kept[index]),
    places: new Map([...document.places].map(([id, at]) => [id, before[at]!])),
    references: document.references.map(({ href, block }) => ({ href, block: before[block]! })),
  };
}

interface Start {
  readonly title: string;
  readonly block: number;
}

function chaptersOf(
  documents: readonly Document[],
  entries: readonly Entry[],
  bookTitle: string,
  { notes }: ReadingOptions,
): BookChapter[] {
  const chapters: { title: string; blocks: Block[] }[] = [];
  const allNotes = new Map(
    documents.flatMap((document) => [...document.notes].map(([id, blocks]) => [`${document.path}#${id}`, blocks])),
  );
  for (const document of documents) {
    const starts = startsOf(document, entries);
    if (starts[0]?.block !== 0) {
      const isNew = chapters.length === 0 || entries.length === 0;
      if (isNew) starts.unshift({ title: ownTitle(document, bookTitle), block: 0 });
      else chapters.at(-1)!.blocks.push(...spoken(document, 0, starts[0]?.block, notes, allNotes));
    }
    for (const [index, { title, block }] of starts.entries()) {
      chapters.push({ title, blocks: spoken(document, block, starts[index + 1]?.block, notes, allNotes) });
    }
  }
  return joined(chapters.map(({ title, blocks }) => ({ title, blocks: withoutRepeats(blocks) })));
}

/** Where chapters begin in a document, in order, each place once. */
function startsOf(document: Document, entries: readonly Entry[]): Start[] {
  const own = entries.filter((entry) => entry.path === document.path);
  const starts = own.map(({ title, fragment }) => ({ title, block: document.places.get(fragment) ?? 0 }));
  const sorted = starts.sort((a, b) => a.block - b.block);
  return sorted.filter(({ block }, index) => index === 0 || block !== sorted[index - 1]!.block);
}

/** Blocks of a chapter, and the notes that it refers to where those are wanted. */
function spoken(
  document: Document,
  from: number,
  to: number | undefined,
  notes: ReadingOptions['notes'],
  allNotes: ReadonlyMap<string, readonly Block[]>,
): Block[] {
  const blocks = document.blocks.slice(from, to);
  if (notes === 'skip') return blocks;
  const end = to ?? Number.POSITIVE_INFINITY;
  const targets = document.references
    .filter(({ block }) => block >= from && block < end)
    .map(({ href }) => resolvePath(document.path, href))
    .map(({ path: file, fragment }) => `${file}#${fragment}`);
  return [...blocks, ...[...new Set(targets)].flatMap((target) => allNotes.get(target) ?? [])];
}

const ownTitle = ({ blocks, title }: Document, bookTitle: string): string => {
  const heading = blocks.find(({ kind }) => kind === 'heading');
  return heading ? textOf(heading) : title || bookTitle;
};

/** Empty chapters are none; one that is a heading alone belongs to the next. */
function joined(chapters: readonly BookChapter[]): BookChapter[] {
  const out: BookChapter[] = [];
  const all = chapters.filter(({ blocks }) => blocks.length > 0);
  let held: BookChapter | undefined;
  for (const [index, chapter] of all.entries()) {
    const whole: BookChapter = held
      ? { title: `${held.title}: ${chapter.title}`, blocks: [...held.blocks, ...chapter.blocks] }
      : chapter;
    const bare = index < all.length - 1 && chapter.blocks.every(({ kind }) => kind === 'heading');
    held = bare ? whole : undefined;
    if (!bare) out.push(whole);
  }
  return out;
}
