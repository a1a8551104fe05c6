/** Files that appear whole or not at all: written under another name in the same folder, then renamed. */
import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

const freshName = (file: string): string =>
  path.join(path.dirname(file), `.${path.basename(file)}.${randomUUID().slice(0, 8)}.tmp`);

/** Lets `make` write under a fresh name, then puts that in the place of `file`. What fails leaves nothing behind. */
export async function replaceFile<T>(file: string, make: (fresh: string) => Promise<T>): Promise<T> {
  const fresh = freshName(file);
  try {
    const made = await make(fresh);
    await rename(fresh, file);
    return made;
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}

export const writeFileAtomic = (file: string, content: string | Uint8Array): Promise<void> =>
  replaceFile(file, (fresh) => writeFile(fresh, content, { flag: 'wx' }));

/** For the few bytes a server leaves while it starts, readable by its owner alone. */
export function writePrivateFileSync(file: string, content: string): void {
  const fresh = freshName(file);
  try {
    writeFileSync(fresh, content, { mode: 0o600, flag: 'wx' });
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}
