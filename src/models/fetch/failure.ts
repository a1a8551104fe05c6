/** What went wrong with a download, in the words of the errors table. */
import { isAbort, TtsError } from '../../protocol/errors.js';

const DISK_FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const NOT_WRITABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EISDIR']);
/** The source has answered, and will answer the same again. */
const FINAL = new Set(['E400', 'E401', 'E403', 'E404', 'E410', 'ETARGET', 'ENOVERSIONS']);

/** A download that is not what the manifest says. */
export class BadFile extends Error {
  readonly code = 'EBADFILE';
}

/** A file that ended early, though nobody reported a broken connection. */
export class CutShort extends Error {
  readonly code = 'ECUTSHORT';
}

/** Nothing has arrived for too long. */
export class Stalled extends Error {
  readonly code = 'ESTALLED';
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '');

/** Trying the same source again makes sense: the network failed, not the file. */
export const isPassing = (error: unknown): boolean =>
  !isAbort(error) && !(error instanceof TtsError) && !FINAL.has(codeOf(error)) && !isMismatch(error) && !isLocal(error);

/** The fault is this machine's own: another source would not help. */
export const isLocal = (error: unknown): boolean => DISK_FULL.has(codeOf(error)) || NOT_WRITABLE.has(codeOf(error));

/** What arrived is not what was published: a wrong hash, or bytes that make no archive. */
export const isMismatch = (error: unknown): boolean => /^(EINTEGRITY|EBADFILE|Z_|TAR_)/.test(codeOf(error));

/** A failure of the file system, named; anything else comes back as it is. */
export function localFailure(error: unknown, dir: string): unknown {
  const code = codeOf(error);
  if (DISK_FULL.has(code)) {
    return new TtsError(
      'disk_full',
      `The disk (or your quota on it) is full: ${dir} has no room for the model (${code}). ` +
        'Nothing was left behind. Free some space, or choose another folder with --model-dir (TTS_MODEL_DIR).',
      { cause: error },
    );
  }
  if (NOT_WRITABLE.has(code)) {
    return new TtsError(
      'download_failed',
      `The model folder ${dir} cannot be written (${code}). ` +
        'Correct its permissions, or choose another folder with --model-dir (TTS_MODEL_DIR).',
      { cause: error },
    );
  }
  return error;
}

/** One line about why a source failed, fit to stand in a list. */
export function reasonOf(error: unknown): string {
  const { message = String(error) } = (error ?? {}) as { message?: string };
  const line = message.split('\n')[0]!.trim().replace(/\.$/, '');
  // The address of the request is long, and the source is named anyway.
  return /failed, reason: (.+)$/.exec(line)?.[1] ?? line;
}
