/** The manifests in `voices/`: what a pack downloads and from where, and what a model is made of. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { TtsError } from '../protocol/errors.js';
import { BASE_MODELS, type BaseModel } from '../protocol/job.js';

/** Two folders up from `src/models` and from `dist/models` alike. */
export const PACKAGE_VOICES_DIR = fileURLToPath(new URL('../../voices', import.meta.url));

/** The pack whose styles voices are made of. */
export const STYLE_PACK = 'kokoro-82m';

export interface FileRecord {
  /** Relative to the pack's folder, with forward slashes. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Where a pack's file lies in a source; with a size and hash of its own where the source's copy differs. */
interface SourcePath {
  readonly from: string;
  readonly bytes?: number;
  readonly sha256?: string;
}

interface SourceBase {
  /** Folders and files of the pack (`styles/` stands for all in it) → where they lie in the source. */
  readonly paths: Readonly<Record<string, string | SourcePath>>;
}
export interface NpmSource extends SourceBase {
  readonly type: 'npm';
  readonly package: string;
  readonly integrity: string;
  /** Of the tarball. */
  readonly bytes: number;
}
export interface WebSource extends SourceBase {
  readonly type: 'https';
  readonly name: string;
  /** Ends in a slash. */
  readonly base: string;
}
export type Source = NpmSource | WebSource;

/** A download that one or several models share. */
export interface PackManifest {
  readonly name: string;
  readonly title: string;
  readonly licence: string;
  readonly files: readonly FileRecord[];
  readonly sources: readonly Source[];
}

/** The graphs that are made from the download. */
export const GRAPHS = [
  'front-quantised',
  'generator-quantised',
  'generator-float',
  'source',
  'generator-gpu',
  'generator-gpu-half',
  'light-gpu',
] as const;
export type GraphName = (typeof GRAPHS)[number];

/** Changes whenever a graph comes out differently on a machine of this kind, so that older ones are made (and timed) again. */
export const RECIPE = process.arch === 'x64' ? 8 : 7;

export interface ModelManifest {
  readonly name: BaseModel;
  readonly description: string;
  readonly licence: string;
  readonly pack: string;
  /** Made from the download when it is pulled. */
  readonly graphs: readonly GraphName[];
  /** What a GPU needs besides; made when one is asked for, since it is large. */
  readonly gpuGraphs: readonly GraphName[];
  /** About how much room the graphs take. */
  readonly preparedBytes: number;
  /** A front and a generator of our own, which lie in the package beside the manifest; Kokoro's, where absent. */
  readonly front?: FileRecord;
  readonly generator?: FileRecord;
}

/** What of a model comes with the package. */
export const ownFiles = ({ front, generator }: ModelManifest): FileRecord[] =>
  [front, generator].filter((file) => file !== undefined);

/** Changes with every byte of the weights that come with the package. */
export function ownWeights(dir = PACKAGE_VOICES_DIR): string {
  const hash = createHash('sha256');
  for (const model of BASE_MODELS)
    for (const { path: file, sha256 } of ownFiles(loadModelManifest(model, dir))) hash.update(`${file} ${sha256}\n`);
  return hash.digest('hex').slice(0, 8);
}

function readManifest<T>(name: string, dir: string): T {
  const file = path.join(dir, `${name}.json`);
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch (cause) {
    throw new TtsError(
      'model_corrupt',
      `The manifest ${file} could not be read: ${(cause as Error).message}. Install the package again.`,
      { cause },
    );
  }
}

export const loadPackManifest = (name: string, dir = PACKAGE_VOICES_DIR): PackManifest => readManifest(name, dir);
export const loadModelManifest = (name: BaseModel, dir = PACKAGE_VOICES_DIR): ModelManifest => readManifest(name, dir);

/** The names of the styles that come with a pack, in its order. */
export const stylesOf = (pack: PackManifest): string[] =>
  pack.files.flatMap((file) => /^styles\/(.+)\.bin$/.exec(file.path)?.[1] ?? []);

/** A digest of each style's content, by its name: styles of one name and digest are the same on every machine. */
export const styleDigests = (): Record<string, string> =>
  Object.fromEntries(
    loadPackManifest(STYLE_PACK).files.flatMap(({ path: file, sha256 }) => {
      const name = /^styles\/(.+)\.bin$/.exec(file)?.[1];
      return name === undefined ? [] : [[name, sha256.slice(0, 12)]];
    }),
  );

/** Where `file` lies in `source`, and what it must weigh and hash to there. */
export function locate(file: FileRecord, source: Source): { from: string; bytes: number; sha256: string } {
  const exact = source.paths[file.path];
  if (typeof exact === 'object') {
    return { from: exact.from, bytes: exact.bytes ?? file.bytes, sha256: exact.sha256 ?? file.sha256 };
  }
  if (exact !== undefined) return { from: exact, bytes: file.bytes, sha256: file.sha256 };
  const slash = file.path.lastIndexOf('/') + 1;
  const folder = source.paths[file.path.slice(0, slash)];
  const from = `${typeof folder === 'string' ? folder : ''}${file.path.slice(slash)}`;
  return { from, bytes: file.bytes, sha256: file.sha256 };
}
