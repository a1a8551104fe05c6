/** Model packs on disk: making sure that all a model needs is there, by download and by preparation. */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
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
import type { KokoroParts } from './onnx/kokoro.js';
import { type Depth, graphFile, graphOf, inspectPack, type PackState, writeRecord } from './pack-record.js';

/**
 * Absolute paths of everything a model consists of. The boundary tensors have the same names in all graphs:
 * `input_ids` [1,n] int64, `style` [1,256], `speed` [1] → front → `x` [1,512,t], `f0` [1,1,t], `s` [1,128] and
 * `durations` [1,n] (frames of 600 samples a token, pads included) → generator → `waveform` [1, 300·t].
 */
export interface ModelFiles {
  readonly model: BaseModel;
  /** Front, 8-bit weights: `input_ids`, `style`, `speed` → `x`, `f0`, `s`, `durations`: the model's own, or Kokoro's. */
  readonly front: string;
  /** Kokoro's generator: `x`, `f0`, `s` → `waveform`. Which of the two is faster depends on the CPU. base-tts only. */
  readonly generatorFloat: string | undefined;
  readonly generatorQuantised: string | undefined;
  /** The light generator; base-tts-fast only. */
  readonly fastGenerator: string | undefined;
  /**
   * For a GPU, made where `gpu` was asked for. The harmonic source (`f0` → `source` [1,22,60·t+1]), which runs on the CPU; Kokoro's
   * generator behind it (`x`, `s`, `source` → `waveform`) in float32 and float16; the light one for many windows at once.
   */
  readonly source: string | undefined;
  readonly generatorGpu: string | undefined;
  readonly generatorGpuHalf: string | undefined;
  readonly fastGeneratorGpu: string | undefined;
  /** The undivided graph as published: `input_ids`, `style`, `speed` → `waveform`. For comparisons. */
  readonly published: string;
  /** One `<style>.bin` a style: float32, 510 rows of 256, row = tokens without pads. */
  readonly stylesDir: string;
  readonly tokenizer: string;
}

export interface EnsureOptions {
  readonly modelDir: string;
  /** Never touch the network. */
  readonly offline?: boolean;
  /** Prepare what a GPU runs as well. */
  readonly gpu?: boolean;
  /** `hashes` reads every byte of what is there before trusting it; `sizes` (the default) is for every start. */
  readonly depth?: Depth;
  readonly onProgress?: (progress: Preparation) => void;
  readonly signal?: AbortSignal;
  /** Where the manifests lie. */
  readonly manifestDir?: string;
  readonly download?: DownloadOptions;
  readonly lock?: LockOptions;
}

/** Progress of the one model that is being made ready. */
type Tell = (progress: Omit<Preparation, 'model'>) => void;

/** Where the engine keeps copies of the graphs as the runtime optimised them: worthless once a graph is made anew. */
export const optimisedDir = (modelDir: string): string => path.resolve(modelDir, 'optimised');

/** Time for whoever shows the progress to show it. */
const FRAME_MS = 100;

/** The published graph, the one file of a pack that graphs are made from. */
const PUBLISHED = 'kokoro-quantized.onnx';

export const packDir = (modelDir: string, pack: PackManifest): string => path.resolve(modelDir, pack.name);
export const lockFile = (modelDir: string, pack: PackManifest): string => path.resolve(modelDir, `.${pack.name}.lock`);

/** The files of a model, ready to be loaded; what is missing is fetched and made first. */
export async function ensureModel(model: BaseModel, options: EnsureOptions): Promise<ModelFiles> {
  const { modelDir, manifestDir = PACKAGE_VOICES_DIR, depth = 'sizes', signal } = options;
  const manifest = loadModelManifest(model, manifestDir);
  const pack = loadPackManifest(manifest.pack, manifestDir);
  const wanted = [...new Set([...manifest.graphs, ...(options.gpu ? manifest.gpuGraphs : [])])];
  const dir = packDir(modelDir, pack);
  const files = modelFiles(manifest, dir, wanted, manifestDir);
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

function modelFiles(
  manifest: ModelManifest,
  dir: string,
  graphs: readonly GraphName[],
  manifestDir: string,
): ModelFiles {
  const graph = (name: GraphName) => (graphs.includes(name) ? path.join(dir, graphFile(name)) : undefined);
  const own = (record: FileRecord | undefined): string | undefined => {
    const file = record && path.resolve(manifestDir, record.path);
    if (file === undefined || existsSync(file)) return file;
    throw new TtsError('model_missing', `The package lacks ${file}. Install it again.`);
  };
  return {
    model: manifest.name,
    front: own(manifest.front) ?? path.join(dir, graphFile('front-quantised')),
    generatorFloat: graph('generator-float'),
    generatorQuantised: graph('generator-quantised'),
    fastGenerator: own(manifest.generator),
    source: graph('source'),
    generatorGpu: graph('generator-gpu'),
    generatorGpuHalf: graph('generator-gpu-half'),
    fastGeneratorGpu: graph('light-gpu'),
    published: path.join(dir, PUBLISHED),
    stylesDir: path.join(dir, 'styles'),
    tokenizer: path.join(dir, 'tokenizer.json'),
  };
}

/** Under the lock: downloads what is missing, makes the graphs that are missing, and only then writes the record. */
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
    await assertRoom(modelDir, state.missing, manifest);
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

async function assertRoom(modelDir: string, missing: readonly FileRecord[], manifest: ModelManifest): Promise<void> {
  const needed = missing.reduce((sum, file) => sum + file.bytes, 0) + manifest.preparedBytes;
  const { bavail, bsize } = await statfs(modelDir);
  const free = bavail * bsize;
  if (free >= needed) return;
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`;
  throw new TtsError(
    'disk_full',
    `The model ${manifest.name} needs ${megabytes(needed)} in ${modelDir}, where ${megabytes(free)} are free. ` +
      'Free some space, or choose another folder with --model-dir (TTS_MODEL_DIR).',
  );
}

async function downloadInto(
  pack: PackManifest,
  missing: readonly FileRecord[],
  dir: string,
  tell: Tell,
  options: EnsureOptions,
) {
  const staging = `${stagingPrefix(options.modelDir, pack)}${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  makeFolder(staging);
  try {
    const onProgress = (progress: DownloadProgress) => tell({ stage: 'download', ...progress });
    // Loaded only where there is something to fetch: every start asks, and nearly every one finds all in its place.
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

/** Removes what processes left that died in the middle of a download. */
async function sweep(modelDir: string, pack: PackManifest): Promise<void> {
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

/** Makes the graphs that are wanted and not there. Those that are there and good stay. */
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
    // Cutting a graph is a second's work in one piece: timers and sockets have their turn before it, and a frame is drawn.
    await sleep(FRAME_MS, undefined, signal ? { signal } : {});
    const file = path.join(dir, graphFile(name));
    if (name === 'light-gpu') {
      const { lightGraph } = await import('./onnx/light-gpu.js');
      const shipped = await readFile(path.resolve(manifestDir, manifest.generator!.path), { signal });
      await writeFileAtomic(file, lightGraph(shipped));
    } else {
      parts ??= await partsOf(path.join(dir, published.path), published.sha256, signal);
      await writeFileAtomic(file, parts.make(name));
    }
    graphs.push({ path: graphFile(name), ...(await hashFile(file, signal)) });
  }
  tell({ stage: 'prepare', done: todo.length, total: todo.length, detail: 'done' });
  return graphs;
}

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
