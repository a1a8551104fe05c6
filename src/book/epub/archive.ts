/** The zip that an EPUB is: entries by path, read one at a time, within bounds. */
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { TtsError } from '../../protocol/errors.js';
import { unreadable } from '../unreadable.js';

/** Bounds of a book that somebody could have made to be read; a zip bomb exceeds one of them. */
const MAX_ENTRIES = 20_000;
const MAX_ENTRY_BYTES = 64 * 1024 * 1024;
const MAX_TOTAL_BYTES = 512 * 1024 * 1024;
/** Deflate cannot exceed about 1,000; text of books stays below 20. */
const MAX_RATIO = 200;
/** An entry below this may have any ratio: a page of white space harms nobody. */
const HARMLESS_BYTES = 4 * 1024 * 1024;

export class Archive {
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;
  #readBytes = 0;

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip;
    this.#entries = entries;
  }

  static async open(file: string): Promise<Archive> {
    let zip: ZipFile | undefined;
    try {
      zip = await openPromise(file, { autoClose: false, lazyEntries: true });
      if (zip.entryCount > MAX_ENTRIES) throw new Error(`it has ${zip.entryCount} files, more than ${MAX_ENTRIES}`);
      const entries = new Map<string, Entry>();
      // Names that lead out of the archive are refused by the library.
      for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
      return new Archive(zip, entries);
    } catch (cause) {
      zip?.close();
      const { code, message } = cause as NodeJS.ErrnoException;
      if (code === 'ENOENT') throw new TtsError('usage', `${file} cannot be read: there is no such file.`, { cause });
      if (code === 'EISDIR') throw new TtsError('usage', `${file} cannot be read: it is a folder.`, { cause });
      throw unreadable(file, `it is no zip that can be opened (${message})`, cause);
    }
  }

  has(path: string): boolean {
    return this.#entries.has(path);
  }

  /** The names of all entries, in the order of the archive. */
  get paths(): readonly string[] {
    return [...this.#entries.keys()];
  }

  async read(path: string): Promise<Buffer> {
    const entry = this.#entries.get(path);
    if (entry === undefined) throw unreadable(path, 'the archive has no such file');
    this.#check(path, entry);
    try {
      const parts: Buffer[] = [];
      for await (const part of await this.#zip.openReadStreamPromise(entry)) parts.push(part as Buffer);
      const bytes = Buffer.concat(parts);
      if (crc32(bytes) !== entry.crc32) throw new Error('its checksum is wrong');
      return bytes;
    } catch (cause) {
      throw unreadable(path, `it cannot be unpacked (${(cause as Error).message})`, cause);
    }
  }

  close(): void {
    this.#zip.close();
  }

  #check(path: string, entry: Entry): void {
    const { uncompressedSize: bytes, compressedSize } = entry;
    if (entry.isEncrypted()) throw unreadable(path, 'it is locked with a password');
    this.#readBytes += bytes;
    const bomb = bytes > HARMLESS_BYTES && bytes > compressedSize * MAX_RATIO;
    if (bytes > MAX_ENTRY_BYTES || this.#readBytes > MAX_TOTAL_BYTES || bomb) {
      throw unreadable(path, `${bytes} bytes are more than a book may unpack to`);
    }
  }
}
