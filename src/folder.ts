/** Makes a folder and its parents. */
import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * One level at a time: Node's recursive mkdir never returns on file systems that refuse a new
 * folder with ENOENT, as /proc does.
 */
export function makeFolder(dir: string, mode?: number): void {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = path.dirname(dir);
  if (parent !== dir) makeFolder(parent, mode);
  try {
    mkdirSync(dir, mode);
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
