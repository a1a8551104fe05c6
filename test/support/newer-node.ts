/**
 * Newer versions of Node than the one that runs the tests, as npm has them. Each is fetched once a
 * run, by the first suite that asks for it.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const PACKAGE = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

/** Where the program is. */
export async function newerNode(major: string): Promise<string> {
  const folder = path.join(process.env.TTS_TEST_FOLDER!, `node-${major}`);
  if (!existsSync(folder)) {
    const fresh = mkdtempSync(`${folder}-`);
    const install = ['install', '--prefix', fresh, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
    await promisify(execFile)('npm', [...install, '--prefer-offline', `${PACKAGE}@${major}`]);
    try {
      // It appears whole; where another suite was faster, its copy stays.
      renameSync(fresh, folder);
    } catch {
      rmSync(fresh, { recursive: true, force: true });
    }
  }
  return path.join(folder, 'node_modules', PACKAGE, 'bin', 'node');
}
