/** Model packs on disk: downloads what a model needs, and makes its graphs. */
import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../alive.js';
import { removeLeftovers, writeFileAtomic } from '../atomic-file.js';
import { makeFolder } from '../folder.js';
import { TtsError } from '../protocol/errors.js';
import type { BaseModel } from '../protocol/job.js';
import type { Preparation } from '../protocol/preparation.js';
import type { DownloadOptions, DownloadProgress } from './fetch/download.js';
import { localFailure } from './fetch/failure.js';
import { hashFile } from './fetch/incoming-file.js';
import { type LockOptions, withLock } from './lock.js';
import {
  type FileRecord,
  type GraphName,
  loadModelManifest,
  loadPackManifest,
  type ModelManifest,
  PACKAGE_VOICES_DIR,
  type PackManifest,
  RECIPE,
} from './manifest.js';
import { type FilesOfModel, type GpuModelFiles, type ModelFiles, modelFiles, PUBLISHED } from './model-files.js';
import type { KokoroParts } from './onnx/kokoro.js';
import type { LightGraphName } from './onnx/light-graphs.js';
import { type Depth, graphFile, graphOf, inspectPack, type PackState, writeRecord } from './pack-record.js';

export interface EnsureOptions {
  readonly modelDir: string;
  /** Never touch the network. */
  readonly offline?: boolean;
  /** Make the graphs for a GPU as well. */
  readonly gpu?: boolean;
  /**
   * `hashes` reads every byte that is there; `sizes` (the default) is quick enough for every start.
   */
  readonly depth?: Depth;
  readonly onProgress?: (progress: Preparation) => void;
  readonly signal?: AbortSignal;
  /** Where the manifests lie. */
  readonly manifestDir?: string;
  readonly download?: DownloadOptions;
  readonly lock?: LockOptions;
}

/** Reports progress of the model that is being made ready. */
type Tell = (progress: Omit<Preparation, 'model'>) => void;

/** Where the engine keeps graphs as the runtime prepared them; void once a graph is made anew. */
export const optimisedDir = (modelDir: string): string => path.resolve(modelDir, 'optimised');

/** Pause (ms) before each graph, in which its progress can be drawn. */
const FRAME_MS = 100;

export const packDir = (modelDir: string, pack: PackManifest): string => path.resolve(modelDir, pack.name);
export const lockFile = (modelDir: string, pack: PackManifest): string => path.resolve(modelDir, `.${pack.name}.lock`);

/** The files of a model, ready to be loaded. Downloads and makes those that are missing. */
export function ensureModel(model: BaseModel, options: EnsureOptions & { gpu: true }): Promise<GpuModelFiles>;
export function ensureModel<Model extends BaseModel>(
  model: Model,
  options: EnsureOptions,
): Promise<FilesOfModel[Model]>;
export async function ensureModel(model: BaseModel, options: EnsureOptions): Promise<ModelFiles> {
  const { modelDir, manifestDir = PACKAGE_VOICES_DIR, depth = 'sizes', signal } = options;
  const manifest = loadModelManifest(model, manifestDir);
  const pack = loadPackManifest(manifest.pack, manifestDir);
  const wanted = [...new Set([...manifest.graphs, ...(options.gpu ? manifest.gpuGraphs : [])])];
  const dir = packDir(modelDir, pack);
  const files = modelFiles(manifest, { dir, manifestDir }, options.gpu ?? false);
  if (isComplete(await inspectPack(pack, dir, depth, signal), wanted)) return files;
  const tell: Tell = (progress) => options.onProgress?.({ model, ...progress });
  try {
    const onWait: LockOptions['onWait'] = (holder) =>
      tell({
        stage: 'wait',
        done: 0,
        total: 0,
        detail: holder ? `process ${holder.pid} is already fetching it` : 'another process is already fetching it',
      });
    const complete = () => completePack(pack, dir, manifest, wanted, tell, options);
    await withLock(lockFile(modelDir, pack), complete, { onWait, ...options.lock }, signal);
  } catch (error) {
    throw localFailure(error, modelDir);
  }
  return files;
}

const isComplete = (state: PackState, wanted: readonly GraphName[]): boolean =>
  state.record?.recipe === RECIPE && state.missing.length === 0 && missingGraphs(state, wanted).length === 0;

const missingGraphs = (state: PackState, wanted: readonly GraphName[]): GraphName[] => {
  const there = state.graphs.map(graphOf);
  return wanted.filter((name) => !there.includes(name));
};

/** Under the lock: downloads missing files, makes missing graphs, then writes the record. */
async function completePack(
  pack: PackManifest,
  dir: string,
  manifest: ModelManifest,
  wanted: readonly GraphName[],
  tell: Tell,
  options: EnsureOptions,
): Promise<void> {
  const { modelDir, depth = 'sizes', signal } = options;
  await sweep(modelDir, pack);
  // Only the holder of the lock writes there.
  await removeLeftovers(dir, 0);
  const state = await inspectPack(pack, dir, depth, signal);
  if (isComplete(state, wanted)) return;

  let { source = 'files found in place', pulledAt = new Date().toISOString() } = state.record ?? {};
  const came = new Map<string, FileRecord>(pack.files.map((file) => [file.path, file]));
  for (const file of state.record?.files ?? []) if (came.has(file.path)) came.set(file.path, file);
  if (state.missing.length > 0) {
    if (options.offline) throw offlineError(manifest, state);
    await assertRoom(modelDir, state.missing, { ...manifest, name: `The model ${manifest.name}` });
    const downloaded = await downloadInto(pack, state.missing, dir, tell, options);
    for (const file of downloaded.files) came.set(file.path, file);
    source = downloaded.source;
    pulledAt = new Date().toISOString();
  }
  const fresh = state.missing.some((file) => file.path === PUBLISHED) ? [] : state.graphs;
  if (state.record?.recipe !== RECIPE) await rm(optimisedDir(modelDir), { recursive: true, force: true });
  const graphs = await makeGraphs(dir, came.get(PUBLISHED)!, manifest, fresh, wanted, tell, options);
  await writeRecord(dir, { pack: pack.name, source, pulledAt, files: [...came.values()], recipe: RECIPE, graphs });
}

function offlineError(manifest: ModelManifest, state: PackState): TtsError {
  const what = state.record ? 'is damaged' : 'is not on this machine';
  return new TtsError(
    'offline',
    `The model ${manifest.name} ${what}, and --offline forbids to fetch it. ` +
      `Run once with network: tts models pull ${manifest.name}`,
  );
}

export async function assertRoom(
  modelDir: string,
  missing: readonly FileRecord[],
  manifest: { readonly name: string; readonly preparedBytes: number },
): Promise<void> {
  const needed = missing.reduce((sum, file) => sum + file.bytes, 0) + manifest.preparedBytes;
  const { bavail, bsize } = await statfs(modelDir);
  const free = bavail * bsize;
  if (free >= needed) return;
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`;
  throw new TtsError(
    'disk_full',
    `${manifest.name} needs ${megabytes(needed)} in ${modelDir}, where ${megabytes(free)} are free. ` +
      'Free some space, or choose another folder with --model-dir (TTS_MODEL_DIR).',
  );
}

export async function downloadInto(
  pack: PackManifest,
  missing: readonly FileRecord[],
  dir: string,
  tell: Tell,
  options: Pick<EnsureOptions, 'modelDir' | 'download' | 'signal'>,
) {
  const staging = `${stagingPrefix(options.modelDir, pack)}${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  makeFolder(staging);
  try {
    const onProgress = (progress: DownloadProgress) => tell({ stage: 'download', ...progress });
    // Imported only where there is something to fetch, which nearly no start has.
    const { download } = await import('./fetch/download.js');
    const downloaded = await download(pack, missing, staging, options.download ?? {}, onProgress, options.signal);
    for (const file of downloaded.files) {
      const target = path.join(dir, file.path);
      makeFolder(path.dirname(target));
      await rename(path.join(staging, file.path), target);
    }
    return downloaded;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

const stagingPrefix = (modelDir: string, pack: PackManifest): string =>
  path.resolve(modelDir, `.${pack.name}.partial-`);

/** Removes the folders of processes that died during a download. */
export async function sweep(modelDir: string, pack: PackManifest): Promise<void> {
  const prefix = path.basename(stagingPrefix(modelDir, pack));
  for (const name of await readdir(modelDir)) {
    if (!name.startsWith(prefix)) continue;
    const [, host, pid] = /^(.*)-(\d+)-[0-9a-f]+$/.exec(name.slice(prefix.length)) ?? [];
    const left = path.join(modelDir, name);
    const ageMs = Date.now() - ((await stat(left).catch(() => undefined))?.mtimeMs ?? 0);
    const dead = host === hostname() ? !isAlive(Number(pid)) : ageMs > 24 * 3_600_000;
    if (dead) await rm(left, { recursive: true, force: true });
  }
}

/** Makes the graphs that are wanted and not `there`. */
async function makeGraphs(
  dir: string,
  published: FileRecord,
  manifest: ModelManifest,
  there: readonly FileRecord[],
  wanted: readonly GraphName[],
  tell: Tell,
  { modelDir, manifestDir = PACKAGE_VOICES_DIR, signal }: EnsureOptions,
): Promise<FileRecord[]> {
  const graphs = [...there];
  const todo = wanted.filter((name) => !there.some((file) => graphOf(file) === name));
  if (todo.length === 0) return graphs;
  await rm(optimisedDir(modelDir), { recursive: true, force: true });
  let parts: KokoroParts | undefined;
  for (const [done, name] of todo.entries()) {
    tell({ stage: 'prepare', done, total: todo.length, detail: name });
    // Making a graph blocks the thread for about a second: timers and sockets go first.
    await sleep(FRAME_MS, undefined, signal ? { signal } : {});
    const file = path.join(dir, graphFile(name));
    if (isLightGraph(name)) {
      const [{ LIGHT_GRAPHS }, { shippedBytes }] = await Promise.all([
        import('./onnx/light-graphs.js'),
        import('./onnx/shipped.js'),
      ]);
      const { from, make } = LIGHT_GRAPHS[name];
      await writeFileAtomic(file, make(await shippedBytes(path.resolve(manifestDir, manifest[from]!.path))));
    } else {
      parts ??= await partsOf(path.join(dir, published.path), published.sha256, signal);
      await writeFileAtomic(file, parts.make(name));
    }
    graphs.push({ path: graphFile(name), ...(await hashFile(file, signal)) });
  }
  tell({ stage: 'prepare', done: todo.length, total: todo.length, detail: 'done' });
  return graphs;
}

const isLightGraph = (name: GraphName): name is LightGraphName => name.startsWith('light-');

async function partsOf(published: string, sha256: string, signal: AbortSignal | undefined): Promise<KokoroParts> {
  const bytes = await readFile(published, { signal });
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) {
    throw new TtsError(
      'model_corrupt',
      `The downloaded model ${published} was altered on disk. Repair it with: tts models pull`,
    );
  }
  const { kokoroParts } = await import('./onnx/kokoro.js');
  return kokoroParts(bytes);
}
