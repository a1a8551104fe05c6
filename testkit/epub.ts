/** Makes EPUBs for tests: a zip of a few files, whole or broken on purpose. */
import { crc32, deflateRawSync } from 'node:zlib';

export type ZipFiles = Readonly<Record<string, string | Buffer>>;

/** A zip of the files in order; the first is stored, as EPUB wants its `mimetype`. */
export function zipOf(files: ZipFiles): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [index, [name, content]] of Object.entries(files).entries()) {
    const bytes = Buffer.from(content);
    const isStored = index === 0;
    const data = isStored ? bytes : deflateRawSync(bytes);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800, 2);
    common.writeUInt16LE(isStored ? 0 : 8, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, Buffer.from(name), data]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, tail, Buffer.from(name)]));
    parts.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, central, end]);
}

export interface EpubParts {
  readonly title?: string;
  readonly author?: string;
  readonly language?: string;
  readonly version?: 2 | 3;
  /** Bodies of the spine's documents, by file name, in order. */
  readonly documents: Readonly<Record<string, string>>;
  /** The table of contents: [title, href, entries below]. */
  readonly contents?: readonly Entry[];
  /** Added to the archive, or in place of what would be there. */
  readonly extra?: ZipFiles;
  /** Added to the manifest. */
  readonly manifest?: string;
  /** Added to the metadata. */
  readonly metadata?: string;
}
type Entry = readonly [title: string, href: string, below?: readonly Entry[]];

const xhtml = (body: string, language: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="${language}"><head><title>t</title></head><body>${body}</body></html>`;

const navList = (entries: readonly Entry[]): string =>
  `<ol>${entries.map(([title, href, below]) => `<li><a href="${href}">${title}</a>${below ? navList(below) : ''}</li>`).join('')}</ol>`;

const ncxPoints = (entries: readonly Entry[]): string =>
  entries
    .map(
      ([title, href, below]) =>
        `<navPoint id="n${href.replace(/\W/g, '')}"><navLabel><text>${title}</text></navLabel><content src="${href}"/>${below ? ncxPoints(below) : ''}</navPoint>`,
    )
    .join('');

/** The files of an EPUB, to be changed before they are zipped. */
export function epubFiles(parts: EpubParts): Record<string, string | Buffer> {
  const { title = 'A Book', author = 'An Author', language = 'en', version = 3, documents, contents } = parts;
  const names = Object.keys(documents);
  const items = names.map((name, i) => `<item id="d${i}" href="${name}" media-type="application/xhtml+xml"/>`).join('');
  const refs = names.map((_, i) => `<itemref idref="d${i}"/>`).join('');
  const hasContents = contents !== undefined;
  const toc =
    version === 3
      ? '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
      : '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>';
  return {
    mimetype: 'application/epub+zip',
    'META-INF/container.xml':
      '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    'OEBPS/book.opf': `<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="${version}.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf"><dc:identifier id="id">urn:uuid:5f0c5c9e-0000-4000-8000-000000000001</dc:identifier><dc:title>${title}</dc:title><dc:creator>${author}</dc:creator><dc:language>${language}</dc:language>${version === 3 ? '<meta property="dcterms:modified">2026-01-01T00:00:00Z</meta>' : ''}${parts.metadata ?? ''}</metadata><manifest>${items}${hasContents ? toc : ''}${parts.manifest ?? ''}</manifest><spine${version === 2 ? ' toc="ncx"' : ''}>${refs}</spine></package>`,
    ...(contents && version === 3
      ? { 'OEBPS/nav.xhtml': xhtml(`<nav epub:type="toc">${navList(contents)}</nav>`, language) }
      : {}),
    ...(contents && version === 2
      ? {
          'OEBPS/toc.ncx': `<?xml version="1.0"?><ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1"><head><meta name="dtb:uid" content="urn:uuid:5f0c5c9e-0000-4000-8000-000000000001"/></head><docTitle><text>${title}</text></docTitle><navMap>${ncxPoints(contents)}</navMap></ncx>`,
        }
      : {}),
    ...Object.fromEntries(names.map((name) => [`OEBPS/${name}`, xhtml(documents[name]!, language)])),
    ...parts.extra,
  };
}

export const epubOf = (parts: EpubParts): Buffer => zipOf(epubFiles(parts));
