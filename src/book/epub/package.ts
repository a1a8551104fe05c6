/** The package of an EPUB: which file is which, in which order, and what the book is called. */
import path from 'node:path';
import { type Element, find, findAll, parseXml, textInside, wordsOf } from '../markup.js';
import { unreadable } from '../unreadable.js';
import type { Archive } from './archive.js';

export interface ManifestItem {
  readonly id: string;
  /** Path in the archive. */
  readonly path: string;
  readonly mediaType: string;
  readonly properties: readonly string[];
}

export interface Package {
  /** Path of the package file in the archive. */
  readonly path: string;
  /** Of the EPUB: 2.0 or 3.0. */
  readonly version: string;
  readonly title?: string;
  readonly author?: string;
  readonly language?: string;
  readonly items: ReadonlyMap<string, ManifestItem>;
  /** What is read, in order; parts that are not in the line of reading are left out. */
  readonly spine: readonly ManifestItem[];
  /** Spine entries that name no item of the manifest. */
  readonly unknownIds: readonly string[];
  readonly nav: ManifestItem | undefined;
  readonly ncx: ManifestItem | undefined;
  readonly cover: ManifestItem | undefined;
  /** Paths that the guide of an EPUB 2 calls a table of contents or a cover. */
  readonly guided: ReadonlyMap<string, string>;
}

/** The two ways to hide a font; everything else that is encrypted is locked. */
const FONT_OBFUSCATION = ['http://www.idpf.org/2008/embedding', 'http://ns.adobe.com/pdf/enc#RC'];
const LOCKED = 'it is locked (DRM). Only a copy without DRM can be read aloud';

export async function readPackage(archive: Archive, book: string): Promise<Package> {
  await refuseLocked(archive, book);
  const container = 'META-INF/container.xml';
  if (!archive.has(container)) throw unreadable(book, `it is no EPUB: ${container} is missing`);
  const rootfile = find(parseXml(await archive.read(container), container), 'rootfile');
  const opf = rootfile?.attributes['full-path'];
  if (opf === undefined) throw unreadable(container, 'it names no package file');
  if (!archive.has(opf)) throw unreadable(book, `${container} names ${opf}, which is not in the archive`);
  return packageOf(parseXml(await archive.read(opf), opf), opf);
}

async function refuseLocked(archive: Archive, book: string): Promise<void> {
  if (archive.has('META-INF/rights.xml') || archive.has('META-INF/sinf.xml')) throw unreadable(book, LOCKED);
  const encryption = 'META-INF/encryption.xml';
  if (!archive.has(encryption)) return;
  const methods = findAll(parseXml(await archive.read(encryption), encryption), 'encryptionmethod');
  const isLocked = methods.some(({ attributes }) => !FONT_OBFUSCATION.includes(attributes.Algorithm ?? ''));
  if (isLocked) throw unreadable(book, LOCKED);
}

function packageOf(root: Element, opf: string): Package {
  const items = new Map(
    findAll(root, 'item').map(({ attributes: { id = '', href = '', ...rest } }) => [
      id,
      {
        id,
        path: resolvePath(opf, href).path,
        mediaType: rest['media-type'] ?? '',
        properties: (rest.properties ?? '').split(/\s+/),
      },
    ]),
  );
  const refs = findAll(root, 'itemref').filter(({ attributes }) => attributes.linear !== 'no');
  const spine = refs.map(({ attributes: { idref = '' } }) => ({ idref, item: items.get(idref) }));
  if (spine.length === 0) throw unreadable(opf, 'its spine is empty, so that there is nothing to read');
  const list = [...items.values()];
  const ncxId = find(root, 'spine')?.attributes.toc ?? '';
  return {
    ...metadataOf(root),
    path: opf,
    version: root.attributes.version ?? '',
    items,
    spine: spine.flatMap(({ item }) => (item ? [item] : [])),
    unknownIds: spine.filter(({ item }) => item === undefined).map(({ idref }) => idref),
    nav: list.find(({ properties }) => properties.includes('nav')),
    ncx: items.get(ncxId) ?? list.find(({ mediaType }) => mediaType === 'application/x-dtbncx+xml'),
    cover: coverOf(root, items),
    guided: new Map(
      findAll(root, 'reference').map(({ attributes: { type = '', href = '' } }) => [resolvePath(opf, href).path, type]),
    ),
  };
}

function metadataOf(root: Element): Pick<Package, 'title' | 'author' | 'language'> {
  const metadata = find(root, 'metadata');
  if (metadata === undefined) return {};
  const texts = (name: string) => findAll(metadata, name).map(textInside).filter(Boolean);
  const [title] = texts('title');
  const [language] = texts('language');
  const authors = findAll(metadata, 'creator')
    .filter((each) => isAuthor(each, metadata))
    .map(textInside)
    .filter(Boolean);
  return {
    ...(title !== undefined && { title }),
    ...(authors.length > 0 && { author: authors.join(', ') }),
    ...(language !== undefined && { language }),
  };
}

/** A creator may be an illustrator; without a role it is the author. */
function isAuthor(creator: Element, metadata: Element): boolean {
  const { id } = creator.attributes;
  const refined = findAll(metadata, 'meta').find(
    ({ attributes }) => attributes.refines === `#${id}` && attributes.property === 'role',
  );
  const role = creator.attributes['opf:role'] ?? (refined && textInside(refined)) ?? 'aut';
  return role === 'aut';
}

function coverOf(root: Element, items: ReadonlyMap<string, ManifestItem>): ManifestItem | undefined {
  const named = findAll(root, 'meta').find(({ attributes }) => attributes.name === 'cover')?.attributes.content;
  const found = [...items.values()].find(({ properties }) => properties.includes('cover-image'));
  const item = found ?? items.get(named ?? '');
  return item && /^image\/(jpeg|png)$/.test(item.mediaType) ? item : undefined;
}

export interface Target {
  /** Path in the archive. */
  readonly path: string;
  readonly fragment: string;
}

/** What an `href` in the file `from` leads to; it stays inside the archive, whatever it says. */
export function resolvePath(from: string, href: string): Target {
  const [before = '', fragment = ''] = href.split('#', 2);
  const decode = (text: string): string => {
    try {
      return decodeURIComponent(text);
    } catch {
      // A percent sign that is one.
      return text;
    }
  };
  const relative = decode(before);
  const joined = relative === '' ? from : path.posix.join(path.posix.dirname(from), relative);
  return { path: joined.replace(/^(?:\.\.?\/|\/)+/, ''), fragment: decode(fragment) };
}

/** Whether a document of the spine is one that nobody reads aloud. */
export const isGuidedPast = ({ guided, nav }: Package, item: ManifestItem): boolean =>
  item === nav || ['toc', 'cover', 'loi', 'lot', 'index'].includes(guided.get(item.path) ?? '');

export const isReadable = ({ mediaType }: ManifestItem): boolean =>
  ['application/xhtml+xml', 'text/html', 'application/x-dtbook+xml', 'text/x-oeb1-document'].includes(mediaType);

export const typesOf = (element: Element): string[] => wordsOf(element, 'epub:type');
