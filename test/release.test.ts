/**
 * `npm run release`: version, release notes, commit and tag from one command, in a repository of
 * its own.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const SCRIPT = path.resolve(import.meta.dirname, '../scripts/release.js');
const IDENTITY = ['-c', 'user.name=A', '-c', 'user.email=a@example.invalid'];

let dir: string;
const env = () => ({
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.invalid',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.invalid',
});
const git = (...args: string[]) =>
  execFileSync('git', [...IDENTITY, ...args], { cwd: dir, env: env(), encoding: 'utf8' });
const release = (...args: string[]) =>
  spawnSync(process.execPath, [SCRIPT, ...args], { cwd: dir, env: env(), encoding: 'utf8' });
const read = (name: string) => readFileSync(path.join(dir, name), 'utf8');

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'tts-release-'));
  writeFileSync(path.join(dir, 'package.json'), '{"name":"a","version":"0.1.4"}\n');
  writeFileSync(path.join(dir, 'package-lock.json'), '{"version":"0.1.4","packages":{"":{"version":"0.1.4"}}}\n');
  writeFileSync(
    path.join(dir, 'CHANGELOG.md'),
    '# Changelog\n\n## Unreleased\n\n### Added\n- A thing.\n\n## 0.1.4 (2026-01-01)\n- Old.\n',
  );
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '-m', 'first');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it('sets the version, closes the notes under it, commits and tags', () => {
  const { status, stdout } = release('minor');
  expect(status).toBe(0);
  expect(stdout).toBe('### Added\n- A thing.\n');
  expect(JSON.parse(read('package.json')).version).toBe('0.2.0');
  expect(JSON.parse(read('package-lock.json'))).toMatchObject({
    version: '0.2.0',
    packages: { '': { version: '0.2.0' } },
  });
  expect(read('CHANGELOG.md')).toMatch(
    /## Unreleased\n\n## 0\.2\.0 \(\d{4}-\d\d-\d\d\)\n\n### Added\n- A thing\.\n\n## 0\.1\.4/,
  );
  expect(git('log', '-1', '--format=%s').trim()).toBe('release: 0.2.0');
  expect(git('tag', '-l', '-n9', 'v0.2.0')).toMatch(/A thing/);
  expect(git('status', '--porcelain')).toBe('');
});

it('refuses what cannot be a release, and changes nothing', () => {
  expect(release('sideways')).toMatchObject({ status: 2, stderr: /no step and no version/ });
  writeFileSync(path.join(dir, 'stray'), '');
  expect(release('patch')).toMatchObject({ status: 2, stderr: /not committed/ });
  rmSync(path.join(dir, 'stray'));
  expect(release('patch').status).toBe(0);
  expect(release('patch')).toMatchObject({ status: 2, stderr: /nothing to release/ });
  expect(JSON.parse(read('package.json')).version).toBe('0.1.5');
});
