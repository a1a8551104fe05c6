/** `pack.json`, the record of a pack: downloaded files, graphs made from them, and their recipe. */
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { writeFileAtomic } from '../atomic-file.js';
import { hashFile } from './fetch/incoming-file.js';
import { type FileRecord, GRAPHS, type GraphName, type PackManifest, RECIPE } from './manifest.js';

const FORMAT = 1;

export interface PackRecord {
  readonly format: number;
  readonly pack: string;
  /** The source of the download in words. */
  readonly source: string;
  readonly pulledAt: string;
  readonly files: readonly FileRecord[];
  /** Graphs made by another recipe are made again. */
  readonly recipe: number;
  readonly graphs: readonly FileRecord[];
}

export const graphFile = (name: GraphName): string => `${name}.onnx`;
export const graphOf = (file: FileRecord): GraphName | undefined =>
  GRAPHS.find((name) => graphFile(name) === file.path);

export async function readRecord(dir: string): Promise<PackRecord | undefined> {
  let record: PackRecord;
  try {
    record = JSON.parse(await readFile(path.join(dir, 'pack.json'), 'utf8')) as PackRecord;
  } catch (error) {
    // Absent or damaged: the files themselves are looked at instead.
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (error instanceof SyntaxError || ['ENOENT', 'ENOTDIR'].includes(code)) return undefined;
    throw error;
  }
  return record.format === FORMAT ? record : undefined;
}

export async function writeRecord(dir: string, record: Omit<PackRecord, 'format'>): Promise<void> {
  await writeFileAtomic(path.join(dir, 'pack.json'), `${JSON.stringify({ format: FORMAT, ...record }, null, 2)}\n`);
}

export type Depth = 'sizes' | 'hashes';

export interface PackState {
  readonly record: PackRecord | undefined;
  /** Downloaded files that are absent or altered. */
  readonly missing: readonly FileRecord[];
  /** Intact graphs of this recipe. */
  readonly graphs: readonly FileRecord[];
}

/** Bytes of a file, -1 for none. Sixty files at every start: waiting for each takes longer. */
function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return -1;
  }
}

/** Compares a pack on disk with its manifest: by sizes, which is quick, or by hashes. */
export async function inspectPack(
  pack: PackManifest,
  dir: string,
  depth: Depth,
  signal?: AbortSignal,
): Promise<PackState> {
  const record = await readRecord(dir);
  const isGood = async (file: FileRecord): Promise<boolean> => {
    const full = path.join(dir, file.path);
    if (sizeOf(full) !== file.bytes) return false;
    return depth === 'sizes' || (await hashFile(full, signal)).sha256 === file.sha256;
  };
  const missing: FileRecord[] = [];
  for (const file of pack.files) {
    // A source's copy may differ where the manifest allows it; the record says which one came.
    const came = record?.files.find((candidate) => candidate.path === file.path && isAllowed(pack, candidate));
    if (!(await isGood(came ?? file))) missing.push(file);
  }
  const graphs: FileRecord[] = [];
  for (const graph of record?.recipe === RECIPE ? record.graphs : []) if (await isGood(graph)) graphs.push(graph);
  return { record, missing, graphs };
}

function isAllowed(pack: PackManifest, came: FileRecord): boolean {
  return [
    pack.files.find((file) => file.path === came.path),
    ...pack.sources.map((source) => source.paths[came.path]),
  ].some((known) => typeof known === 'object' && known.sha256 === came.sha256);
}
