/**
 * A release in one command: `npm run release -- minor` (or patch, major, or a version).
 * Sets the version, closes "Unreleased" in CHANGELOG.md under it, commits and tags. It publishes
 * nothing: the workflow `publish` does.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const USAGE = 'Usage: npm run release -- patch|minor|major|X.Y.Z';
const root = process.cwd();
const file = (name) => path.join(root, name);
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

function fail(message) {
  process.stderr.write(`release: ${message}\n`);
  process.exit(2);
}

function nextVersion(current, step) {
  if (/^\d+\.\d+\.\d+$/.test(step)) return step;
  const [major, minor, patch] = current.split('.').map(Number);
  const next = { major: [major + 1, 0, 0], minor: [major, minor + 1, 0], patch: [major, minor, patch + 1] }[step];
  return next ? next.join('.') : fail(`"${step}" is no step and no version. ${USAGE}`);
}

const step = process.argv[2] ?? fail(USAGE);
if (git('status', '--porcelain') !== '') fail('there are changes that are not committed. Commit or stash them first.');

const manifest = JSON.parse(readFileSync(file('package.json'), 'utf8'));
const version = nextVersion(manifest.version, step);
const changelog = readFileSync(file('CHANGELOG.md'), 'utf8');
const [before, after] = changelog.split(/^## Unreleased\n/m);
if (after === undefined) fail('CHANGELOG.md has no section "## Unreleased".');
const notes = after.split(/^## /m)[0].trim();
if (notes === '') fail('CHANGELOG.md says nothing under "## Unreleased": there is nothing to release.');
if (git('tag', '--list', `v${version}`) !== '') fail(`v${version} exists already.`);

const date = new Date().toISOString().slice(0, 10);
writeFileSync(file('CHANGELOG.md'), `${before}## Unreleased\n\n## ${version} (${date})\n${after}`);
for (const name of ['package.json', 'package-lock.json']) {
  const data = JSON.parse(readFileSync(file(name), 'utf8'));
  data.version = version;
  if (data.packages) data.packages[''].version = version;
  writeFileSync(file(name), `${JSON.stringify(data, null, 2)}\n`);
}
git('add', 'CHANGELOG.md', 'package.json', 'package-lock.json');
git('commit', '--quiet', '-m', `release: ${version}`);
git('tag', '--annotate', `v${version}`, '-m', `${version}\n\n${notes}`);
process.stdout.write(`${notes}\n`);
process.stderr.write(
  `\nrelease: v${version} is committed and tagged. Next: git push --follow-tags, then the workflow "publish" on that tag\n`,
);
