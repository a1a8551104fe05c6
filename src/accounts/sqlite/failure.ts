/** SQLite's failures in words: what happened to which file, whether it may pass, and what to do. */
import { TtsError } from '../../protocol/errors.js';

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code);

/** Another connection is writing. */
export const isBusy = (error: unknown): boolean => codeOf(error).startsWith('SQLITE_BUSY');

/**
 * Conditions outside the program: once they pass, the same write succeeds. Looked up by the
 * beginning of the code.
 */
const CONDITIONS: Readonly<Record<string, string>> = {
  SQLITE_BUSY: 'is busy: another program has been writing to it for too long',
  SQLITE_FULL: 'cannot be written: its disk is full. Make room on it',
  SQLITE_READONLY: 'cannot be written: the file, its folder or its disk is read-only',
  SQLITE_CANTOPEN: 'cannot be opened: check the rights of the file and its folder',
  SQLITE_IOERR: 'cannot be read or written: the disk failed',
  SQLITE_CORRUPT: 'is damaged: "tts db check" tells more, and a copy made with "tts db backup" can take its place',
};

export function sqliteError(error: unknown, file: string): TtsError {
  if (error instanceof TtsError) return error;
  const condition = Object.keys(CONDITIONS).find((prefix) => codeOf(error).startsWith(prefix));
  return condition === undefined
    ? new TtsError('internal_error', `The accounts database ${file} failed: ${(error as Error).message}.`, {
        cause: error,
      })
    : new TtsError('store_unavailable', `The accounts database ${file} ${CONDITIONS[condition]}.`, { cause: error });
}
