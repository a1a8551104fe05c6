/** The manifests in `voices/`: files and sources of a pack, and the parts of a model. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { TtsError } from '../protocol/errors.js';
import { BASE_MODELS, type BaseModel } from '../protocol/job.js';

/** Two folders up from `src/models` and from `dist/models` alike. */
export const PACKAGE_VOICES_DIR = fileURLToPath(new URL('../../voices', import.meta.url));

/** The pack that has the styles of all voices. */
export const STYLE_PACK = 'kokoro-82m';

export interface FileRecord {
  /** Relative to the pack's folder, with forward slashes. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Where a file lies in a source, with size and hash where the source's copy differs. */
interface SourcePath {
  readonly from: string;
  readonly bytes?: number;
  readonly sha256?: string;
}

interface SourceBase {
  /** Files and folders of the pack (`styles/` means all in it) → where they lie in the source. */
  readonly paths: Readonly<Record<string, string | SourcePath>>;
}
export interface NpmSource extends SourceBase {
  readonly type: 'npm';
  readonly package: string;
  readonly integrity: string;
  /** Size of the tarball. */
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

/** Graphs that are made here, in the order of their making; also the names of their files. */
export const GRAPHS = [
  'front-quantised',
  'generator-quantised',
  'generator-float',
  'source',
  'generator-gpu',
  'generator-gpu-half',
  'light-gpu',
  'light-gpu-others',
  'light-blocks',
  'light-blocks-others',
  'light-frames',
] as const;
export type GraphName = (typeof GRAPHS)[number];

/** Raised whenever graphs come out differently, so that older ones are made and timed again. */
export const RECIPE = process.arch === 'x64' ? 15 : 12;

export interface ModelManifest {
  readonly name: BaseModel;
  readonly description: string;
  readonly licence: string;
  readonly pack: string;
  /** Made when the model is pulled. */
  readonly graphs: readonly GraphName[];
  /** Made when a GPU is asked for, since they are large. */
  readonly gpuGraphs: readonly GraphName[];
  /** About the size of the graphs on disk. */
  readonly preparedBytes: number;
  /**
   * An acoustic model and a vocoder that come with the package, beside the manifest. Absent where
   * they are Kokoro's.
   */
  readonly front?: FileRecord;
  readonly generator?: FileRecord;
  /** Weights of the vocoder that are different for voices of other languages. */
  readonly generatorOthers?: FileRecord;
}

const OWN_FILES = ['front', 'generator', 'generatorOthers'] as const;
export type OwnFile = (typeof OWN_FILES)[number];

/** Files of a model that come with the package. */
export const ownFiles = (manifest: ModelManifest): FileRecord[] => OWN_FILES.flatMap((name) => manifest[name] ?? []);

/** A digest of all weights that come with the package. */
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

/** The names of a pack's styles, in its order. */
export const stylesOf = (pack: PackManifest): string[] =>
  pack.files.flatMap((file) => /^styles\/(.+)\.bin$/.exec(file.path)?.[1] ?? []);

/** A digest of each style by its name, with which machines compare their styles. */
export const styleDigests = (): Record<string, string> =>
  Object.fromEntries(
    loadPackManifest(STYLE_PACK).files.flatMap(({ path: file, sha256 }) => {
      const name = /^styles\/(.+)\.bin$/.exec(file)?.[1];
      return name === undefined ? [] : [[name, sha256.slice(0, 12)]];
    }),
  );

/** Where `file` lies in `source`, and its size and hash there. */
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
