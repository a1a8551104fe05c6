/**
 * The catalogue of a running server: voice files that are added or removed count without a restart,
 * and so do voices that the operator keeps for all servers.
 */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { type CatalogueOptions, loadCatalogue, type VoiceCatalogue } from './catalogue.js';

/** Milliseconds between two looks at the folders, which are taken while requests come. */
const LOOK_MS = 250;

export interface LiveCatalogue extends VoiceCatalogue {
  /** Voice files that the operator keeps from now on, by their ids. */
  keep(kept: ReadonlyMap<string, string>): void;
}

/**
 * Throws as `loadCatalogue` does; a mistake that is made later is told to `onMistake`, and changes
 * nothing.
 */
export function liveCatalogue(options: CatalogueOptions, onMistake: (error: unknown) => void): LiveCatalogue {
  const folders = [options.voicesDir ?? '', options.userDir ?? ''].filter(Boolean);
  let current = loadCatalogue(options);
  let seen = stampOf(folders);
  let lookedMs = performance.now();
  let kept: ReadonlyMap<string, string> = new Map();
  const load = (wanted: ReadonlyMap<string, string>) => {
    try {
      current = loadCatalogue({ ...options, kept: wanted });
      kept = wanted;
    } catch (error) {
      onMistake(error);
    }
  };
  const latest = (): VoiceCatalogue => {
    if (performance.now() - lookedMs < LOOK_MS) return current;
    lookedMs = performance.now();
    const stamp = stampOf(folders);
    if (stamp === seen) return current;
    seen = stamp;
    load(kept);
    return current;
  };
  return new Proxy(
    { ...current, keep: load },
    {
      get: (own, key) => (key === 'keep' ? own.keep : Reflect.get(latest(), key)),
    },
  );
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
