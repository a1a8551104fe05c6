/** Who speaks in prose dialogue: the cases of `cast-cases`, each passage a text of its own. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Attribution, taggedNames } from '../../src/book/cast/attribution.js';
import { casesOf } from '../../testkit/text-cases.js';

const FOLDER = path.join(import.meta.dirname, 'cast-cases');
const tables = readdirSync(FOLDER).map((file) => ({ file, cases: casesOf(path.join(FOLDER, file)) }));
const known = taggedNames(tables.flatMap(({ cases }) => cases.map(({ written }) => written))).keys();

describe('who speaks', () => {
  const names = [...known];
  for (const { file, cases } of tables) {
    for (const kind of new Set(cases.map((each) => each.kind))) {
      const lines = cases.filter((each) => each.kind === kind);
      it(`${file.replace('.txt', '')}: ${kind}`, () => {
        const attribution = new Attribution(names);
        const found = lines.map(({ written }) => attribution.paragraph(written));
        // Quotations that are no speech are the narrator's.
        const said = found.map((speeches, index) => {
          const wanted = lines[index]!.read.split(', ').filter(Boolean);
          const speakers = speeches.map(({ speaker }) => speaker ?? '-');
          return speakers.length === 0 && wanted.every((name) => name === '-') ? wanted : speakers;
        });
        expect(said).toEqual(lines.map(({ read }) => read.split(', ').filter(Boolean)));
      });
    }
  }
});
