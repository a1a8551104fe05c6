/** Written English and how it is said, class by class; the tables lie in `normalize-cases/`, one case a line. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { normalize } from '../../src/text/normalize.js';

const FOLDER = path.resolve(import.meta.dirname, 'normalize-cases');

interface Case {
  readonly kind: string;
  readonly written: string;
  readonly spoken: string;
}

/** `== class` begins a class; `written => spoken` is a case, with `\n` and `\u{…}` for what cannot be seen. */
function casesOf(file: string): Case[] {
  const cases: Case[] = [];
  let kind = '';
  for (const line of readFileSync(path.join(FOLDER, file), 'utf8').split('\n')) {
    if (line === '') continue;
    if (line.startsWith('== ')) {
      kind = line.slice(3);
      continue;
    }
    const [, written, spoken] = /^(.*?) =>(?: ([^>]*))?$/.exec(line) ?? expect.fail(`${file}: not a case: ${line}`);
    const unescaped = written!
      .replace(/\\n/g, '\n')
      .replace(/\\u\{([0-9a-f]+)\}/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));
    cases.push({ kind, written: unescaped, spoken: spoken ?? '' });
  }
  return cases;
}

const tables = readdirSync(FOLDER).map((file) => ({ file, cases: casesOf(file) }));

it('has at least 1,200 cases in the tables, none twice', () => {
  const written = tables.flatMap(({ cases }) => cases.map((each) => each.written));
  expect(written.length).toBeGreaterThanOrEqual(1_200);
  expect(written.filter((each, i) => written.indexOf(each) !== i)).toEqual([]);
});

for (const { file, cases } of tables) {
  describe(file.replace('.txt', ''), () => {
    for (const { kind, written, spoken } of cases) {
      it(`${kind}: ${JSON.stringify(written)}`, () => {
        expect(normalize(written).text).toBe(spoken);
      });
    }
  });
}
