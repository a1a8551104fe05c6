/** Reads a book of any kind, told by its first bytes and its name. */
import { open, readFile } from 'node:fs/promises';
import { TtsError } from '../protocol/errors.js';
import type { Book, ReadingOptions } from './book.js';
import { unreadable } from './unreadable.js';

const ZIP = Buffer.from('PK');
/** More text than any book has. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;

/** Whether a file is read as an EPUB, by its name. */
const isEpubName = (file: string): boolean => /\.(?:epub|kepub)$/i.test(file);

export async function readBook(file: string, options: ReadingOptions): Promise<Book> {
  const head = await firstBytes(file);
  if (isEpubName(file) || head.subarray(0, 2).equals(ZIP)) {
    return (await import('./epub/epub.js')).readEpub(file, options);
  }
  const bytes = await readFile(file);
  if (bytes.length > MAX_TEXT_BYTES) throw unreadable(file, 'it is larger than 64 MB of text');
  if (bytes.includes(0)) throw unreadable(file, 'it is neither an EPUB nor text');
  const { readHtmlBook, readTextBook } = await import('./text-book.js');
  if (/\.x?html?$/i.test(file)) return readHtmlBook(bytes, file);
  try {
    return readTextBook(new TextDecoder('utf-8', { fatal: true }).decode(bytes), file);
  } catch (cause) {
    if (cause instanceof TtsError) throw cause;
    throw unreadable(file, 'its text is not UTF-8. Convert it first, such as with iconv -t UTF-8', cause);
  }
}

async function firstBytes(file: string): Promise<Buffer> {
  try {
    const handle = await open(file);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const known = { ENOENT: 'there is no such file', EISDIR: 'it is a folder', EACCES: 'reading it is not allowed' };
    const why = known[code as keyof typeof known] ?? message;
    throw new TtsError('usage', `${file} cannot be read: ${why}.`, { cause });
  }
}
