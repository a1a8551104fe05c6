/** The folder of the accounts: what lies in it, for its owner alone. */
import { closeSync, openSync, rmSync } from 'node:fs';
import path from 'node:path';
import { writePrivateFileSync } from '../atomic-file.js';
import { makeFolder } from '../folder.js';
import { TtsError } from '../protocol/errors.js';

/** The database file of a data folder. */
export const accountsFile = (dataDir: string): string => path.join(dataDir, 'accounts.db');

/** Where a first start leaves the admin secret that no terminal shows. */
export const adminSecretFile = (dataDir: string): string => path.join(dataDir, 'admin-secret');

export function writeAdminSecret(dataDir: string, secret: string): void {
  makeFolder(dataDir, 0o700);
  writePrivateFileSync(adminSecretFile(dataDir), `${secret}\n`);
}

/** A secret that is void is not left lying about. */
export const removeAdminSecret = (dataDir: string): void => rmSync(adminSecretFile(dataDir), { force: true });

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  SQLITE_FULL: 'the disk is full',
  EROFS: 'the disk is read-only',
  ENOENT: 'it cannot be made there',
  ENOTDIR: 'something above it is not a folder',
  SQLITE_READONLY: 'it cannot be written',
  SQLITE_CANTOPEN: 'a file in it cannot be opened or made',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
};

/** What keeps the folder from being used, in words, and the way round it. */
export function unusableFolder(dataDir: string, cause: unknown): TtsError {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  const known = Object.keys(REASONS).find((reason) => code.startsWith(reason));
  const why = known === undefined ? message : REASONS[known];
  return new TtsError(
    'data_dir_unusable',
    `The data folder ${dataDir} cannot be used: ${why}. Put that right, or choose another with --data-dir or TTS_DATA_DIR.`,
    { cause },
  );
}

/**
 * Makes the file where it is missing, and its folders, so that nobody else can ever read it: SQLite
 * goes by the mask.
 */
export function makePrivateFile(file: string): void {
  makeFolder(path.dirname(file), 0o700);
  closeSync(openSync(file, 'a', 0o600));
}
