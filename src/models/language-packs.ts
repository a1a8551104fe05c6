/**
 * What a language needs beside the package: a dictionary, fetched at its first use as the packs of
 * models are.
 */
import { rm } from 'node:fs/promises';
import { makeFolder } from '../folder.js';
import { TtsError } from '../protocol/errors.js';
import { LANGUAGES, type Language } from '../protocol/job.js';
import type { Preparation } from '../protocol/preparation.js';
import { localFailure } from './fetch/failure.js';
import { type LockOptions, withLock } from './lock.js';
import { loadPackManifest, PACKAGE_VOICES_DIR, type PackManifest } from './manifest.js';
import { type Depth, inspectPack } from './pack-record.js';
import { assertRoom, downloadInto, type EnsureOptions, lockFile, packDir, sweep } from './packs.js';

const PACKS: Partial<Readonly<Record<Language, string>>> = { 'ja-JP': 'ipadic', 'zh-CN': 'jieba' };

export type LanguageOptions = Omit<EnsureOptions, 'gpu'>;

/** The languages that have a dictionary to fetch. */
const LANGUAGES_WITH_FILES: readonly Language[] = LANGUAGES.filter((language) => PACKS[language] !== undefined);

const packOf = (language: Language, dir = PACKAGE_VOICES_DIR): PackManifest | undefined => {
  const name = PACKS[language];
  return name === undefined ? undefined : loadPackManifest(name, dir);
};

/**
 * A digest of each file of the dictionaries, with which machines compare how they read. Files are
 * verified against these when they are fetched.
 */
export const dictionaryDigests = (): string[] =>
  LANGUAGES_WITH_FILES.flatMap((language) =>
    packOf(language)!.files.map(({ path: file, sha256 }) => `${language} ${file} ${sha256}`),
  );

/** "ja" and "ja-JP" as the language that is read; names those that exist where there is none. */
export function languageNamed(name: string): Language {
  const wanted = name.toLowerCase();
  const found =
    LANGUAGES.find((tag) => tag.toLowerCase() === wanted) ?? LANGUAGES.find((tag) => shortOf(tag) === wanted);
  if (found !== undefined) return found;
  const names = [...new Set(LANGUAGES.map(shortOf))].join(', ');
  throw new TtsError('usage', `There is no language "${name}". The languages are ${names}.`);
}

const shortOf = (language: Language): string => language.slice(0, 2);

/**
 * The folder of a language's files, fetched first where they are not there; '' for a language that
 * needs none.
 */
export async function ensureLanguage(language: Language, options: LanguageOptions): Promise<string> {
  const { modelDir, manifestDir, depth = 'sizes', signal } = options;
  const pack = packOf(language, manifestDir);
  if (pack === undefined) return '';
  const dir = packDir(modelDir, pack);
  if (await isComplete(pack, dir, depth, signal)) return dir;
  const tell = (progress: Omit<Preparation, 'model'>) => options.onProgress?.({ model: language, ...progress });
  const onWait: LockOptions['onWait'] = () =>
    tell({ stage: 'wait', done: 0, total: 0, detail: 'another process is already fetching it' });
  const complete = async () => {
    await sweep(modelDir, pack);
    const { missing } = await inspectPack(pack, dir, depth, signal);
    if (missing.length === 0) return;
    if (options.offline) throw offlineError(language, pack);
    await assertRoom(modelDir, missing, { name: pack.title, preparedBytes: 0 });
    await downloadInto(pack, missing, dir, tell, options);
  };
  try {
    makeFolder(modelDir);
    await withLock(lockFile(modelDir, pack), complete, { onWait, ...options.lock }, signal);
  } catch (error) {
    throw localFailure(error, modelDir);
  }
  return dir;
}

async function isComplete(pack: PackManifest, dir: string, depth: Depth, signal?: AbortSignal): Promise<boolean> {
  return (await inspectPack(pack, dir, depth, signal)).missing.length === 0;
}

function offlineError(language: Language, pack: PackManifest): TtsError {
  return new TtsError(
    'offline',
    `To read ${language}, ${pack.title} is needed, which is not on this machine, and --offline forbids to fetch it. ` +
      `Run once with network: tts models pull --language ${shortOf(language)}`,
  );
}

export interface LanguageEntry {
  readonly language: Language;
  readonly title: string;
  readonly licence: string;
  readonly ready: boolean;
  /** Where it comes from. */
  readonly source: string;
  /** On disk. */
  readonly bytes: number;
  /** Of the download. */
  readonly downloadBytes: number;
}

/** The dictionaries, and which of them are on this machine. */
export async function listLanguages({ modelDir, manifestDir, signal }: LanguageOptions): Promise<LanguageEntry[]> {
  const { sourceName } = await import('./fetch/download.js');
  return Promise.all(
    LANGUAGES_WITH_FILES.map(async (language): Promise<LanguageEntry> => {
      const pack = packOf(language, manifestDir)!;
      const [source] = pack.sources;
      const bytes = pack.files.reduce((sum, file) => sum + file.bytes, 0);
      return {
        language,
        title: pack.title,
        licence: pack.licence,
        ready: await isComplete(pack, packDir(modelDir, pack), 'sizes', signal),
        source: sourceName(source!),
        bytes,
        downloadBytes: source?.type === 'npm' ? source.bytes : bytes,
      };
    }),
  );
}

/** Removes every dictionary, and returns the bytes that came free. */
export async function removeLanguages(options: LanguageOptions): Promise<number> {
  let freed = 0;
  for (const { language, ready, bytes } of await listLanguages(options)) {
    await rm(packDir(options.modelDir, packOf(language, options.manifestDir)!), { recursive: true, force: true });
    if (ready) freed += bytes;
  }
  return freed;
}
