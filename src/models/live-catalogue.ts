/**
 * The catalogue of a running server: voice files that are added or removed count without a restart.
 */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { type CatalogueOptions, loadCatalogue, type VoiceCatalogue } from './catalogue.js';

/** Milliseconds between two looks at the folders, which are taken while requests come. */
const LOOK_MS = 250;

/**
 * Throws as `loadCatalogue` does; a mistake that is made later is told to `onMistake`, and changes
 * nothing.
 */
export function liveCatalogue(options: CatalogueOptions, onMistake: (error: unknown) => void): VoiceCatalogue {
  const folders = [options.voicesDir ?? '', options.userDir ?? ''].filter(Boolean);
  let current = loadCatalogue(options);
  let seen = stampOf(folders);
  let lookedMs = performance.now();
  const latest = (): VoiceCatalogue => {
    if (performance.now() - lookedMs < LOOK_MS) return current;
    lookedMs = performance.now();
    const stamp = stampOf(folders);
    if (stamp === seen) return current;
    seen = stamp;
    try {
      current = loadCatalogue(options);
    } catch (error) {
      onMistake(error);
    }
    return current;
  };
  return new Proxy(current, { get: (_, key) => Reflect.get(latest(), key) });
}

/** Names, sizes and times of all voice files: another text where one was changed. */
function stampOf(folders: readonly string[]): string {
  const files = folders.flatMap((folder) => {
    try {
      return readdirSync(folder)
        .filter((name) => name.endsWith('.json'))
        .map((name) => path.join(folder, name));
    } catch {
      return [];
    }
  });
  return files.map((file) => `${file} ${statOf(file)}`).join('\n');
}

function statOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return `${found?.size} ${found?.mtimeMs}`;
}
