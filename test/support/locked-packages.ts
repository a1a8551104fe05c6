/**
 * Programs of others that one suite alone needs, locked in a folder of their own: installed there
 * when the suite runs, kept afterwards. Stock clients are fifty thousand files, of which `npm ci`
 * writes each with its declarations and source maps in half a minute of a core. What runs of them,
 * unpacked by tar, takes a third of that.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pacote from 'pacote';
import { loadNpmOptions, type NpmOptions } from '../../src/models/fetch/npm-options.js';

/** Holds the lock of what was installed. */
const markOf = (folder: string): string => path.join(folder, 'node_modules/.installed-lock');

const isInstalled = (folder: string, lock: string): boolean => {
  try {
    return readFileSync(markOf(folder), 'utf8') === lock;
  } catch {
    return false;
  }
};

/** A package of the lock, by the folder that it goes to. */
interface Locked {
  /** Where the folder has another one. */
  readonly name?: string;
  readonly version: string;
  readonly integrity: string;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

const isForThisMachine = ({ os, cpu, libc }: Locked): boolean =>
  (os?.includes(process.platform) ?? true) &&
  (cpu?.includes(process.arch) ?? true) &&
  (libc?.includes('glibc') ?? true);

/** What only compilers and debuggers read. */
const LEFT_OUT = ['*.ts', '*.mts', '*.cts', '*.map', '*.md'].map((pattern) => `--exclude=${pattern}`);

async function unpack(into: string, place: string, locked: Locked, npm: NpmOptions): Promise<void> {
  const { version, integrity } = locked;
  const name = locked.name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const fetched = (preferOffline: boolean) =>
    pacote.tarball(`${name}@${version}`, { ...npm, integrity, preferOffline } as object);
  // What npm kept of the registry may be older than a version that the lock names.
  const tarball = await fetched(true).catch(() => fetched(false));
  const folder = path.join(into, place);
  mkdirSync(folder, { recursive: true });
  await new Promise<void>((resolve, reject) => {
    const tar = execFile(
      'tar',
      ['-xz', '--strip-components=1', '--no-same-owner', ...LEFT_OUT, '-C', folder],
      (error) => (error ? reject(error) : resolve()),
    );
    // What it says when it leaves early is the error above.
    tar.stdin!.on('error', () => undefined).end(tarball);
  });
}

async function unpackAll(folder: string, lock: string): Promise<void> {
  rmSync(path.join(folder, 'node_modules'), { recursive: true, force: true });
  const npm = await loadNpmOptions();
  const { packages } = JSON.parse(lock) as { packages: Record<string, Locked> };
  const wanted = Object.entries(packages).filter(([place, locked]) => place !== '' && isForThisMachine(locked));
  const lane = async () => {
    for (let next = wanted.pop(); next; next = wanted.pop()) await unpack(folder, ...next, npm);
  };
  await Promise.all(Array.from({ length: 4 }, lane));
}

/** Installs what the lock of a folder names. Resolves to false where the registry cannot be reached. */
export async function installLocked(folder: string): Promise<boolean> {
  const lock = readFileSync(path.join(folder, 'package-lock.json'), 'utf8');
  if (isInstalled(folder, lock)) return true;
  try {
    await unpackAll(folder, lock);
    writeFileSync(markOf(folder), lock);
    return true;
  } catch (error) {
    process.stderr.write(`${folder} could not be installed: ${(error as Error).message.slice(0, 500)}\n`);
    return false;
  }
}
