/**
 * The newer versions of Node that `engines` promises: the smoke suite on each, with the binary that
 * npm has of it.
 */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modelDirForTests } from '../../testkit/speech.js';
import { newerNode } from '../support/newer-node.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const VERSIONS = ['22', '24'] as const;
const MINUTES = 60_000;
const run = promisify(execFile);

const dir = mkdtempSync(path.join(tmpdir(), 'tts-node-'));
const clone = path.join(dir, 'clone');

/** Packages with a script that npm runs: it may compile over files that are there. */
function builtPackages(): string[] {
  const { packages } = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8'));
  const names = Object.keys(packages).filter((name) => name !== '' && packages[name].hasInstallScript === true);
  return names.map((name) => path.relative('node_modules', name));
}

/**
 * The packages as `npm ci` unpacked them for this tree, which takes longest and is the same for every
 * Node: npm checks them against each. Files are links to those of this tree where the disk is the
 * same: npm replaces files, and does not write into them. Folders with a dot are caches of tools,
 * which come and go.
 */
async function copyPackages(): Promise<void> {
  const from = realpathSync(path.join(ROOT, 'node_modules'));
  const names = readdirSync(from).filter((name) => !/^\.(?!bin$)/.test(name));
  const to = path.join(clone, 'node_modules');
  mkdirSync(to, { recursive: true });
  const all = names.map((name) => path.join(from, name));
  await run('cp', ['-al', ...all, to]).catch(() => run('cp', ['-a', ...all, to]));
  // An optional package may not be there.
  const built = builtPackages().filter((name) => existsSync(path.join(from, name)));
  for (const name of ['.package-lock.json', ...built]) {
    rmSync(path.join(to, name), { recursive: true, force: true });
    cpSync(path.join(from, name), path.join(to, name), { recursive: true, verbatimSymlinks: true });
  }
}

beforeAll(async () => {
  await modelDirForTests();
  await copyPackages();
}, 5 * MINUTES);
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe.each(VERSIONS)('Node %s', (major) => {
  it('is promised by package.json', () => {
    const { engines } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
    expect(engines.node.split(' || ')).toContainEqual(expect.stringMatching(`^\\^${major}(?:\\.|$)`));
  });

  it('installs, builds, speaks, serves, streams and shows the pages', { timeout: 10 * MINUTES }, async () => {
    const node = await newerNode(major);
    const { stdout } = await run(node, ['scripts/smoke.js', clone], { cwd: ROOT, maxBuffer: 16 * 1024 * 1024 });
    expect(stdout).toContain(`smoke: Node v${major}.`);
    expect(stdout).toMatch(/^smoke: passed$/m);
  });

  it('gives the runtime numbers in float16, and takes them, by their bits', async () => {
    const bits = ['15360', '50312', '1'];
    const { stdout } = await run(await newerNode(major), ['test/support/sound/half-tensors.mjs', ...bits], {
      cwd: ROOT,
    });
    expect(stdout).toBe(bits.join());
  });
});
