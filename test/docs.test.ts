/** Documents that point somewhere: every file they name is there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '..');
const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'ARCHITECTURE.md',
  'SECURITY.md',
  'examples/README.md',
  'voices/README.md',
  'voices/training/README.md',
  'docs/decisions/README.md',
  ...readdirSync(path.join(ROOT, 'docs/decisions')).map((name) => `docs/decisions/${name}`),
];

describe.each([...new Set(DOCUMENTS)])('%s', (document) => {
  const text = readFileSync(path.join(ROOT, document), 'utf8');

  it('links to files that exist', () => {
    const targets = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
      .map((match) => match[1]!)
      .filter((link) => !/^\w+:/.test(link));
    expect(targets.filter((link) => !existsSync(path.resolve(ROOT, path.dirname(document), link)))).toEqual([]);
  });

  it('names files of the repository that exist', () => {
    const named = [...text.matchAll(/`((?:src|test|bench|bin|scripts|docs|\.ci)\/[\w./-]+)`/g)].map(
      (match) => match[1]!,
    );
    expect(named.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
  });
});
