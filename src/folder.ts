/** Folders, made with all that is above them. */
import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * One level at a time: Node's own recursive way never comes back from file systems that refuse a new folder with
 * ENOENT, as /proc does.
 */
export function makeFolder(dir: string, mode?: number): void {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = path.dirname(dir);
  if (parent !== dir) makeFolder(parent, mode);
  try {
    mkdirSync(dir, mode);
  } catch (error) {
    // Somebody else was as quick.
    if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
