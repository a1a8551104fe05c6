/**
 * Newer versions of Node than the one that runs the tests, as npm has them. Each is fetched once a
 * run, by the first suite that asks for it. Of the package the program alone is unpacked: npm would
 * take eleven seconds of a core for the whole.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import pacote from 'pacote';
import { loadNpmOptions } from '../../src/models/fetch/npm-options.js';

const PACKAGE = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

/** Where the program is. */
export async function newerNode(major: string): Promise<string> {
  const folder = path.join(process.env.TTS_TEST_FOLDER!, `node-${major}`);
  if (!existsSync(folder)) {
    const fresh = mkdtempSync(`${folder}-`);
    const tarball = path.join(fresh, 'node.tgz');
    const npm = await loadNpmOptions();
    await pacote.tarball.file(`${PACKAGE}@${major}`, tarball, { ...npm, preferOffline: true } as object);
    const program = ['--strip-components=1', '--no-same-owner', '--wildcards', '*/bin/node'];
    await promisify(execFile)('tar', ['-xzf', tarball, '-C', fresh, ...program]);
    rmSync(tarball);
    try {
      // It appears whole; where another suite was faster, its copy stays.
      renameSync(fresh, folder);
    } catch {
      rmSync(fresh, { recursive: true, force: true });
    }
  }
  return path.join(folder, 'bin', 'node');
}
