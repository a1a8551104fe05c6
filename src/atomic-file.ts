/** Files that appear complete or not at all: written under another name, then renamed. */
import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

const freshName = (file: string): string =>
  path.join(path.dirname(file), `.${path.basename(file)}.${randomUUID().slice(0, 8)}.tmp`);

/** Lets `make` write to a new name, then renames that to `file`. A failure leaves no file. */
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

/** Prefix of a folder that is renamed when it is complete. */
export const MAKING = '.making-';

/** Removes unfinished files in `dir` that are older; younger ones may still be written. */
export async function removeLeftovers(dir: string, olderThanMs: number): Promise<void> {
  for (const name of await readdir(dir).catch(() => [])) {
    if (!name.endsWith('.tmp') && !name.startsWith(MAKING)) continue;
    const file = path.join(dir, name);
    const found = await stat(file).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs >= olderThanMs) await rm(file, { recursive: true, force: true });
  }
}

export const writeFileAtomic = (file: string, content: string | Uint8Array): Promise<void> =>
  replaceFile(file, (fresh) => writeFile(fresh, content, { flag: 'wx' }));

/** Writes a small file that only its owner can read. */
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
