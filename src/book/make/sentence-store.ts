/**
 * Sentences that were made, kept so that a book can go on where it broke: records appended to
 * packs. A process that is killed leaves at most one record unfinished, which is not read.
 */
import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { makeFolder } from '../../folder.js';
import { TtsError } from '../../protocol/errors.js';
import { type KeptSentence, packed, unpacked } from './sentence-record.js';

/** Changes with the form of the records. */
const MAGIC = 0x74_74_73_32;
/** Magic, key, length of the body and its checksum. */
const HEAD_BYTES = 4 + 32 + 4 + 4;
/** A pack is the unit that makes room: a new one begins beyond this. */
const PACK_BYTES = 64 * 1024 * 1024;
const PACK_NAME = /^[0-9a-f]{16}\.pack$/;

interface Place {
  readonly pack: string;
  readonly at: number;
  readonly bytes: number;
}

/** The key of a sentence: everything that its sound depends on. */
export const sentenceKey = (...facts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(facts)).digest('hex');

export interface SentenceStoreOptions {
  /** Folder of all books. */
  readonly root: string;
  /** Tells books apart, so that one can be cleaned. */
  readonly book: string;
  /** Bound of all books together. The oldest packs of other books go first. */
  readonly maxBytes: number;
}

export class SentenceStore {
  readonly #options: SentenceStoreOptions;
  readonly #folder: string;
  readonly #places = new Map<string, Place>();
  readonly #readers = new Map<string, FileHandle>();
  #pack: { readonly name: string; readonly handle: FileHandle; bytes: number } | undefined;
  /** Records are appended one after the other. */
  #writing: Promise<void> = Promise.resolve();

  private constructor(options: SentenceStoreOptions) {
    this.#options = options;
    this.#folder = folderOf(options);
  }

  static async open(options: SentenceStoreOptions): Promise<SentenceStore> {
    const store = new SentenceStore(options);
    try {
      makeFolder(store.#folder);
      const names = (await readdir(store.#folder)).filter((each) => PACK_NAME.test(each));
      for (const name of names) await store.#index(name);
    } catch (cause) {
      throw unusable(options.root, cause);
    }
    return store;
  }

  has(key: string): boolean {
    return this.#places.has(key);
  }

  /** Undefined where there is none, or it is damaged. */
  async get(key: string): Promise<KeptSentence | undefined> {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    try {
      const body = Buffer.alloc(place.bytes);
      const reader = await this.#reader(place.pack);
      const { bytesRead } = await reader.read(body, 0, place.bytes, place.at + HEAD_BYTES);
      const head = Buffer.alloc(4);
      await reader.read(head, 0, 4, place.at + HEAD_BYTES - 4);
      if (bytesRead !== place.bytes || crc32(body) !== head.readUInt32BE()) throw new Error('damaged');
      return unpacked(body);
    } catch {
      // It is made again.
      this.#places.delete(key);
      return undefined;
    }
  }

  /** Resolves when a kill of this process no longer loses it. */
  put(key: string, sentence: KeptSentence): Promise<void> {
    const written = this.#writing
      .then(() => this.#append(key, packed(sentence)))
      .catch((cause: unknown) => {
        throw unusable(this.#options.root, cause);
      });
    this.#writing = written.catch(() => undefined);
    return written;
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#pack?.handle.close();
    for (const reader of this.#readers.values()) await reader.close();
    this.#readers.clear();
  }

  async #append(key: string, body: Buffer): Promise<void> {
    const pack = await this.#open();
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32BE(MAGIC, 0);
    head.write(key, 4, 'hex');
    head.writeUInt32BE(body.length, 36);
    head.writeUInt32BE(crc32(body), 40);
    const record = Buffer.concat([head, body]);
    await pack.handle.write(record, 0, record.length, pack.bytes);
    this.#places.set(key, { pack: pack.name, at: pack.bytes, bytes: body.length });
    pack.bytes += record.length;
  }

  async #open() {
    if (this.#pack && this.#pack.bytes < PACK_BYTES) return this.#pack;
    await this.#pack?.handle.close();
    await makeRoom(this.#options);
    const name = `${randomBytes(8).toString('hex')}.pack`;
    const handle = await open(path.join(this.#folder, name), 'wx', 0o600);
    this.#pack = { name, handle, bytes: 0 };
    return this.#pack;
  }

  async #reader(pack: string): Promise<FileHandle> {
    const known = this.#readers.get(pack);
    if (known) return known;
    const reader = await open(path.join(this.#folder, pack));
    this.#readers.set(pack, reader);
    return reader;
  }

  /** Notes where the whole records of a pack are. */
  async #index(pack: string): Promise<void> {
    const file = path.join(this.#folder, pack);
    const { size } = await stat(file);
    const reader = await this.#reader(pack);
    const head = Buffer.alloc(HEAD_BYTES);
    for (let at = 0; at + HEAD_BYTES <= size; ) {
      await reader.read(head, 0, HEAD_BYTES, at);
      const bytes = head.readUInt32BE(36);
      if (head.readUInt32BE(0) !== MAGIC || at + HEAD_BYTES + bytes > size) break;
      this.#places.set(head.toString('hex', 4, 36), { pack, at, bytes });
      at += HEAD_BYTES + bytes;
    }
    // A book that is being made again is not the oldest.
    const now = new Date();
    await utimes(file, now, now);
  }
}

const unusable = (root: string, cause: unknown): TtsError =>
  new TtsError(
    'output_failed',
    `Sentences cannot be kept in ${root}: ${(cause as Error).message}. --book-dir DIR names another folder.`,
    { cause },
  );

const folderOf = ({ root, book }: Pick<SentenceStoreOptions, 'root' | 'book'>): string =>
  path.join(root, createHash('sha256').update(book).digest('hex').slice(0, 32));

/** Removes what is kept of one book, or of all. Returns the bytes that were freed. */
export async function cleanSentences(root: string, book?: string): Promise<number> {
  const folders = book === undefined ? await foldersOf(root) : [folderOf({ root, book })];
  let bytes = 0;
  for (const folder of folders) {
    for (const pack of await packsOf(folder)) bytes += pack.bytes;
    await rm(folder, { recursive: true, force: true });
  }
  return bytes;
}

/** Keeps all books within the bound, with room for one more pack. */
async function makeRoom({ root, book, maxBytes }: SentenceStoreOptions): Promise<void> {
  const own = folderOf({ root, book });
  const packs = (await Promise.all((await foldersOf(root)).map(packsOf))).flat();
  packs.sort((a, b) => Number(a.folder === own) - Number(b.folder === own) || a.mtimeMs - b.mtimeMs);
  let bytes = packs.reduce((sum, pack) => sum + pack.bytes, PACK_BYTES);
  for (const pack of packs) {
    if (bytes <= maxBytes) return;
    await rm(pack.file, { force: true });
    bytes -= pack.bytes;
  }
}

const foldersOf = async (root: string): Promise<string[]> =>
  (await readdir(root).catch(() => []))
    .filter((name) => /^[0-9a-f]{32}$/.test(name))
    .map((name) => path.join(root, name));

async function packsOf(folder: string) {
  const names = (await readdir(folder).catch(() => [])).filter((name) => PACK_NAME.test(name));
  const found = names.map(async (name) => {
    const file = path.join(folder, name);
    const { size, mtimeMs } = await stat(file).catch(() => ({ size: 0, mtimeMs: 0 }));
    return { folder, file, bytes: size, mtimeMs };
  });
  return Promise.all(found);
}
