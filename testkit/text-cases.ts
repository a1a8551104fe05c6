/**
 * Case files of written text and how it is read, one case a line, for every language.
 *
 * `== class` begins a class, `# …` is a comment, `written => read` a case, with `\n` and `\u{…}`
 * for what cannot be seen. Two spaces and `# …` behind a case say why it is read so.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Language } from '../src/protocol/job.js';
import { loadFrontEnd } from '../src/text/languages.js';
import { normalize } from '../src/text/normalize.js';

export interface TextCase {
  readonly kind: string;
  readonly written: string;
  readonly read: string;
}

/** The folder of a test's case files, by its name in `test/text`. */
const folderOf = (name: string) => path.resolve(import.meta.dirname, '../test/text', name);

export function casesOf(file: string): TextCase[] {
  const cases: TextCase[] = [];
  let kind = '';
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line === '' || line.startsWith('# ')) continue;
    if (line.startsWith('== ')) {
      kind = line.slice(3);
      continue;
    }
    const match =
      /^(.*?) =>(?: ([^>]*))?$/.exec(withoutWhy(line)) ?? expect.fail(`${path.basename(file)}: not a case: ${line}`);
    const written = match[1]!
      .replace(/\\n/g, '\n')
      .replace(/\\u\{([0-9a-f]+)\}/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));
    cases.push({ kind, written, read: match[2] ?? '' });
  }
  return cases;
}

/** A line of a list without the reason behind it. */
export const withoutWhy = (line: string): string => line.replace(/ {2}# .*$/, '');

/** All case files of a folder of `test/text`. */
const caseTables = (folder: string): { readonly file: string; readonly cases: readonly TextCase[] }[] =>
  readdirSync(folderOf(folder)).map((file) => ({ file, cases: casesOf(path.join(folderOf(folder), file)) }));

/**
 * A test for each case of a folder: `normalize` in the language reads what the line says; at least
 * `least` cases, none twice.
 */
export async function testCases(folder: string, language: Language, least: number): Promise<void> {
  await loadFrontEnd(language);
  const tables = caseTables(folder);

  it(`has at least ${least} cases in the tables, none twice`, () => {
    const written = tables.flatMap(({ cases }) => cases.map((each) => each.written));
    expect(written.length).toBeGreaterThanOrEqual(least);
    expect(written.filter((each, i) => written.indexOf(each) !== i)).toEqual([]);
  });

  for (const { file, cases } of tables) {
    describe(file.replace('.txt', ''), () => {
      for (const { kind, written, read } of cases) {
        it(`${kind}: ${JSON.stringify(written)}`, () => {
          expect(normalize(written, { language }).text).toBe(read);
        });
      }
    });
  }
}
