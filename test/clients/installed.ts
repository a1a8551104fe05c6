/**
 * Stock clients in a folder of their own that only this suite needs: installed when it runs, kept
 * afterwards. They are fifty thousand files, of which `npm ci` writes each with its declarations and
 * source maps in half a minute of a core. What runs of them, unpacked by tar, takes a third of that.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pacote from 'pacote';
import { loadNpmOptions, type NpmOptions } from '../../src/models/fetch/npm-options.js';

const FOLDER = import.meta.dirname;
const LOCK = readFileSync(path.join(FOLDER, 'package-lock.json'), 'utf8');
const MARK = path.join(FOLDER, 'node_modules/.installed-lock');
const require = createRequire(path.join(FOLDER, 'package.json'));

const isInstalled = (): boolean => {
  try {
    return readFileSync(MARK, 'utf8') === LOCK;
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

async function unpack(place: string, locked: Locked, npm: NpmOptions): Promise<void> {
  const { version, integrity } = locked;
  const name = locked.name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const fetched = (preferOffline: boolean) =>
    pacote.tarball(`${name}@${version}`, { ...npm, integrity, preferOffline } as object);
  // What npm kept of the registry may be older than a version that the lock names.
  const tarball = await fetched(true).catch(() => fetched(false));
  const folder = path.join(FOLDER, place);
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

async function unpackAll(): Promise<void> {
  rmSync(path.join(FOLDER, 'node_modules'), { recursive: true, force: true });
  const npm = await loadNpmOptions();
  const { packages } = JSON.parse(LOCK) as { packages: Record<string, Locked> };
  const wanted = Object.entries(packages).filter(([place, locked]) => place !== '' && isForThisMachine(locked));
  const lane = async () => {
    for (let next = wanted.pop(); next; next = wanted.pop()) await unpack(...next, npm);
  };
  await Promise.all(Array.from({ length: 4 }, lane));
}

/** Resolves to false where the registry cannot be reached. */
export async function installClients(): Promise<boolean> {
  if (isInstalled()) return true;
  try {
    await unpackAll();
    writeFileSync(MARK, LOCK);
    return true;
  } catch (error) {
    process.stderr.write(`The stock clients could not be installed: ${(error as Error).message.slice(0, 500)}\n`);
    return false;
  }
}

/**
 * A module of one of them. What is used of it is written down by whoever asks: it is not there when
 * types are checked.
 */
export async function clientModule<Module>(name: string): Promise<Module> {
  const found = (await import(pathToFileURL(require.resolve(name)).href)) as Module & { default?: object };
  // Of a CommonJS module not every name is seen from outside.
  return { ...found.default, ...found };
}
