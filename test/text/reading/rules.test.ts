/**
 * What a rule says it can begin with is all it can begin with: asked everywhere, the rules read
 * every text the same.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { AMERICAN } from '../../../src/text/en/english.js';
import { RULES } from '../../../src/text/en/rules.js';
import { loadFrontEnd } from '../../../src/text/languages.js';
import { clean } from '../../../src/text/normalize/clean.js';
import { createReading, type Rule } from '../../../src/text/normalize/rule.js';
import { isDigit, isLetter, Scan } from '../../../src/text/normalize/scan.js';
import { normalize } from '../../../src/text/normalize.js';

beforeAll(() => loadFrontEnd('en-US'));

/**
 * Reads with every rule for letters asked at every letter, every one for digits at every digit,
 * none left out.
 */
function unguarded(text: string): string {
  const scan = new Scan(clean(text, AMERICAN.characters), AMERICAN);
  for (let at = 0; at < scan.text.length; ) {
    const code = scan.text.charCodeAt(at);
    const kind = isLetter(code) ? 'words' : isDigit(code) ? 'digits' : 'signs';
    let end = at;
    for (const { begins, apply } of RULES) {
      if (begins[kind] === undefined) continue;
      if (kind === 'signs' && begins.signs !== 'any sign' && !begins.signs!.includes(scan.text[at]!)) continue;
      end = apply(scan, at);
      if (end > at) break;
    }
    expect(end).toBeGreaterThan(at);
    at = end;
  }
  return scan.out.finish().text;
}

const FOLDER = path.resolve(import.meta.dirname, '../normalize-cases');
const written = readdirSync(FOLDER)
  .flatMap((file) => readFileSync(path.join(FOLDER, file), 'utf8').split('\n'))
  .flatMap((line) => (/ =>/.test(line) ? [line.slice(0, line.indexOf(' =>')).replace(/\\n/g, '\n')] : []));
const words = [...new Set(written.flatMap((line) => line.split(/\s+/)))].filter((word) => word !== '');
const chars = [...'0123456789.,:;/\\-–—+*_#@$€£%^&|~`\'"<>()[]{}!? aAbBcCdDeEfFiIlLvVxXsSmMpP°²½µ…→★♯₂⁺éÉß×÷'];

describe('a rule', () => {
  it('is asked at its own words, however many rules there are', () => {
    const asked: string[] = [];
    const rules = Array.from({ length: 70 }, (_, i): Rule => {
      const word = String.fromCharCode(97 + Math.floor(i / 26), 97 + (i % 26));
      const apply: Rule['apply'] = (_scan, at) => {
        asked.push(word);
        return at + word.length;
      };
      return { name: word, begins: { words: { known: [word] } }, apply };
    });
    const words = rules.map(({ name }) => name);
    createReading(rules)(new Scan(clean(words.join(' '), AMERICAN.characters), AMERICAN));
    expect(asked).toEqual(words);
  });

  it('has a name of its own', () => {
    const names = RULES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('begins with something', () => {
    for (const { begins } of RULES) expect(begins.signs ?? begins.digits ?? begins.words).toBeDefined();
  });

  it('is asked wherever it could apply: the tables', () => {
    for (const text of written) expect(unguarded(text)).toBe(normalize(text).text);
  });

  it('is asked wherever it could apply: words of the tables in any order', () => {
    const text = fc
      .array(fc.constantFrom(...words), { minLength: 1, maxLength: 12 })
      .chain((list) => fc.constantFrom(' ', '', ', ', '\n', '-').map((between) => list.join(between)));
    fc.assert(
      fc.property(text, (value) => {
        expect(unguarded(value)).toBe(normalize(value).text);
      }),
      { numRuns: 2000 },
    );
  });

  it('is asked wherever it could apply: signs, digits and letters', () => {
    const piece = fc.oneof(fc.constantFrom(...chars), fc.constantFrom(...words));
    const text = fc.array(piece, { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (value) => {
        expect(unguarded(value)).toBe(normalize(value).text);
      }),
      { numRuns: 2000 },
    );
  });
});
