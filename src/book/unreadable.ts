/** The error for a book, or a part of one, that cannot be read. */
import { TtsError } from '../protocol/errors.js';

export const unreadable = (file: string, why: string, cause?: unknown): TtsError =>
  new TtsError('book_unreadable', `${file} cannot be read: ${why}.`, cause === undefined ? {} : { cause });
