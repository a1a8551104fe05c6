/** Models on this machine: listed, verified, removed. */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { BASE_MODELS, type BaseModel } from '../protocol/job.js';
import { sourceName } from './fetch/download.js';
import { hashFile, sizeOf } from './fetch/incoming-file.js';
import { removeLanguages } from './language-packs.js';
import { type LockOptions, withLock } from './lock.js';
import {
  type GraphName,
  loadModelManifest,
  loadPackManifest,
  type ModelManifest,
  ownFiles,
  PACKAGE_VOICES_DIR,
  type PackManifest,
  RECIPE,
} from './manifest.js';
import { graphOf, inspectPack, type PackRecord, readRecord, writeRecord } from './pack-record.js';
import { lockFile, optimisedDir, packDir } from './packs.js';

/**
 * `unprepared`: downloaded, but graphs are missing; they are made at first use, without network.
 */
type ModelState = 'ready' | 'unprepared' | 'damaged' | 'missing';

export interface ModelEntry {
  readonly name: BaseModel;
  readonly description: string;
  readonly state: ModelState;
  /** Size on disk, shared files included; for a missing model about what it will take. */
  readonly bytes: number;
  readonly downloadBytes: number;
  /** Where the download came from, or will be tried first. */
  readonly source: string;
  readonly licence: string;
  readonly dir: string;
}

export interface InventoryOptions {
  readonly modelDir: string;
  readonly manifestDir?: string;
  readonly lock?: LockOptions;
  readonly signal?: AbortSignal;
}

interface Place {
  readonly manifest: ModelManifest;
  readonly pack: PackManifest;
  readonly dir: string;
}

function placeOf(model: BaseModel, { modelDir, manifestDir = PACKAGE_VOICES_DIR }: InventoryOptions): Place {
  const manifest = loadModelManifest(model, manifestDir);
  const pack = loadPackManifest(manifest.pack, manifestDir);
  return { manifest, pack, dir: packDir(modelDir, pack) };
}

const total = (files: readonly { readonly bytes: number }[]): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0);

/** The recorded graphs of a model, those for GPUs included. */
const graphsFor = (manifest: ModelManifest, record: PackRecord) =>
  record.graphs.filter((file) => [...manifest.graphs, ...manifest.gpuGraphs].includes(graphOf(file) as GraphName));

const isPrepared = (manifest: ModelManifest, record: PackRecord | undefined): boolean =>
  manifest.graphs.every((name) => record?.graphs.some((file) => graphOf(file) === name));

export async function listModels(options: InventoryOptions): Promise<ModelEntry[]> {
  return Promise.all(
    BASE_MODELS.map(async (model): Promise<ModelEntry> => {
      const { manifest, pack, dir } = placeOf(model, options);
      const { record, missing, graphs } = await inspectPack(pack, dir, 'sizes', options.signal);
      const made = graphs.map(graphOf);
      const recorded = record ? graphsFor(manifest, record) : [];
      const state = (): ModelState => {
        if (!record) return 'missing';
        if (missing.length > 0) return 'damaged';
        if (manifest.graphs.every((name) => made.includes(name))) return 'ready';
        const lost = recorded.some((file) => !graphs.includes(file));
        return lost && record.recipe === RECIPE ? 'damaged' : 'unprepared';
      };
      const downloaded = record ? total(record.files) : total(pack.files);
      const prepared = isPrepared(manifest, record) ? total(recorded) : manifest.preparedBytes;
      const first = pack.sources[0]!;
      return {
        name: model,
        description: manifest.description,
        state: state(),
        bytes: downloaded + prepared + total(ownFiles(manifest)),
        downloadBytes: first.type === 'npm' ? first.bytes : total(pack.files),
        source: record?.source ?? sourceName(first),
        licence: manifest.licence,
        dir,
      };
    }),
  );
}

export interface Verified {
  readonly name: BaseModel;
  readonly present: boolean;
  readonly files: number;
  readonly bytes: number;
  /** Absolute paths of files that are absent or altered. */
  readonly bad: readonly string[];
}

/** Reads every byte of a model and compares its hashes. */
export async function verifyModel(model: BaseModel, options: InventoryOptions): Promise<Verified> {
  const { manifest, pack, dir } = placeOf(model, options);
  const record = await readRecord(dir);
  if (!record || !isPrepared(manifest, record)) {
    return { name: model, present: false, files: 0, bytes: 0, bad: [] };
  }
  const { missing, graphs } = await inspectPack(pack, dir, 'hashes', options.signal);
  const good = graphs.map((file) => file.path);
  // Graphs of another recipe are made again at the next use in any case.
  const due = record.recipe === RECIPE ? graphsFor(manifest, record).map((file) => file.path) : [];
  const bad = [...missing.map((file) => file.path), ...due.filter((file) => !good.includes(file))].map((file) =>
    path.join(dir, file),
  );
  const own = ownFiles(manifest);
  for (const { path: name, bytes, sha256 } of own) {
    const file = path.resolve(options.manifestDir ?? PACKAGE_VOICES_DIR, name);
    const intact = (await sizeOf(file)) === bytes && (await hashFile(file, options.signal)).sha256 === sha256;
    if (!intact) bad.push(file);
  }
  const all = [...record.files, ...graphsFor(manifest, record), ...own];
  return { name: model, present: true, files: all.length, bytes: total(all), bad };
}

/**
 * Removes a model: the graphs that no other model here uses, and with the last model the download.
 * Returns the bytes that were freed, 0 where another model uses all of them.
 */
export async function removeModel(model: BaseModel, options: InventoryOptions): Promise<number> {
  return removePart(model, options, BASE_MODELS);
}

/** Removes every model and every dictionary. */
export async function removeAll(options: InventoryOptions): Promise<number> {
  let freed = 0;
  for (const model of BASE_MODELS) freed += await removePart(model, options, []);
  return freed + (await removeLanguages(options));
}

async function removePart(model: BaseModel, options: InventoryOptions, keepers: readonly BaseModel[]): Promise<number> {
  const { manifest, pack, dir } = placeOf(model, options);
  if (!(await readRecord(dir))) return 0;
  const remove = async (): Promise<number> => {
    const record = await readRecord(dir);
    if (!record) return 0;
    const has = (name: GraphName) => record.graphs.some((file) => graphOf(file) === name);
    const staying = keepers
      .filter((other) => other !== model)
      .map((other) => placeOf(other, options))
      .filter((other) => other.dir === dir && other.manifest.graphs.every(has));
    if (staying.length === 0) {
      for (const folder of [dir, optimisedDir(options.modelDir)]) await rm(folder, { recursive: true, force: true });
      return total([...record.files, ...record.graphs]);
    }
    const kept = staying.flatMap((other) => graphsFor(other.manifest, record));
    const gone = graphsFor(manifest, record).filter((file) => !kept.includes(file));
    await writeRecord(dir, { ...record, graphs: record.graphs.filter((file) => !gone.includes(file)) });
    for (const file of gone) await rm(path.join(dir, file.path), { force: true });
    return total(gone);
  };
  return withLock(lockFile(options.modelDir, pack), remove, options.lock ?? {}, options.signal);
}
