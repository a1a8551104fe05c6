/** Failures of a download: which may pass, which are final, and which are of this machine. */
import { isAbort, TtsError } from '../../protocol/errors.js';

const DISK_FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const NOT_WRITABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EISDIR']);
/** Codes of answers that a source will give again. */
const FINAL = new Set(['E400', 'E401', 'E403', 'E404', 'E410', 'ETARGET', 'ENOVERSIONS']);

/** A file that is not what the manifest says. */
export class BadFile extends Error {
  readonly code = 'EBADFILE';
}

/** A file that ended early without an error of the connection. */
export class CutShort extends Error {
  readonly code = 'ECUTSHORT';
}

/** Nothing has arrived for too long. */
export class Stalled extends Error {
  readonly code = 'ESTALLED';
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '');

/** Whether another attempt at the same source makes sense: the network failed, not the file. */
export const isPassing = (error: unknown): boolean =>
  !isAbort(error) && !(error instanceof TtsError) && !FINAL.has(codeOf(error)) && !isMismatch(error) && !isLocal(error);

/** Whether this machine failed, so that another source would not help. */
export const isLocal = (error: unknown): boolean => DISK_FULL.has(codeOf(error)) || NOT_WRITABLE.has(codeOf(error));

/** Whether something else arrived than was published: a wrong hash, or no archive. */
export const isMismatch = (error: unknown): boolean => /^(EINTEGRITY|EBADFILE|Z_|TAR_)/.test(codeOf(error));

/** A failure of the file system as an error for users; anything else is returned as it is. */
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

/** One line about why a source failed, for a list. */
export function reasonOf(error: unknown): string {
  const { message = String(error) } = (error ?? {}) as { message?: string };
  const line = message.split('\n')[0]!.trim().replace(/\.$/, '');
  // The request's address is long, and the list names the source.
  return /failed, reason: (.+)$/.exec(line)?.[1] ?? line;
}
