/** Files that appear whole or not at all: written under another name in the same folder, then renamed. */
import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
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

/** How the name of a folder begins that is renamed once all of it is there. */
export const MAKING = '.making-';

/** Removes what processes left in `dir` that were stopped while they wrote; younger files may still become something. */
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
