/**
 * Stock clients in a folder of their own, half a gigabyte that only this suite needs: installed
 * when it runs, kept afterwards.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

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

/** Resolves to false where the registry cannot be reached. */
export async function installClients(): Promise<boolean> {
  if (isInstalled()) return true;
  try {
    const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    const install = (...more: string[]) =>
      promisify(execFile)('npm', [...options, ...more], { cwd: FOLDER, timeout: 600_000 });
    // What npm kept of the registry may be older than a version that the lock names.
    await install('--prefer-offline').catch(() => install());
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
