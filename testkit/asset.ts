/**
 * What tests and benches listen with: fetched once into the model cache, by its hash, never part of
 * the tool.
 */
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { type DownloadOptions, download } from '../src/models/fetch/download.js';
import { withLock } from '../src/models/lock.js';
import type { PackManifest } from '../src/models/manifest.js';

/** The folder of its files, fetched first if they are not there. */
export async function ensureAsset(
  modelDir: string,
  pack: PackManifest,
  options: DownloadOptions = {},
): Promise<string> {
  const dir = path.join(modelDir, pack.name);
  await mkdir(dir, { recursive: true });
  const complete = async () => {
    const sizes = await Promise.all(pack.files.map((file) => stat(path.join(dir, file.path)).catch(() => undefined)));
    return sizes.every((found, i) => found?.size === pack.files[i]!.bytes);
  };
  const fetch = async () => {
    if (!(await complete())) await download(pack, pack.files, dir, options, () => undefined, undefined);
  };
  await withLock(path.join(modelDir, `.${pack.name}.lock`), fetch, {});
  return dir;
}
