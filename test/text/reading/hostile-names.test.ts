/**
 * Words that every object of the language answers to are words like any other, wherever a text is
 * looked up in a table.
 */
import { describe, expect, it } from 'vitest';
import { TtsError } from '../../../src/protocol/errors.js';
import type { SayAs } from '../../../src/protocol/job.js';
import { parseLexicon } from '../../../src/text/lexicon.js';
import { normalize } from '../../../src/text/normalize.js';
import { createReader } from '../../../src/text/reader.js';
import { segmentText } from '../../../src/text/segment/segment.js';

const NAMES = Object.getOwnPropertyNames(Object.prototype);
const reader = await createReader();
const countTokens = (text: string) => reader.countTokens(text);

/** What comes of a function or an undefined value that was taken for a word. */
const STRAY = /undefined|\[object|native code|NaN/;

function readAll(text: string, ssml = false): string {
  return segmentText(text, { countTokens, ssml })
    .map((segment) => {
      const { normalized, phonemes } = reader.read(segment);
      return `${normalized} ${phonemes}`;
    })
    .join(' ');
}

function refusal(text: string): string {
  try {
    readAll(text, true);
  } catch (error) {
    if (error instanceof TtsError && error.code === 'invalid_ssml') return error.message;
    throw error;
  }
  return 'accepted';
}

describe('the names of Object.prototype', () => {
  it('there are some', () => expect(NAMES).toContain('constructor'));

  for (const name of NAMES) {
    it(`${name} in a text, behind a number, a unit, a sign or in an address`, () => {
      for (const text of [
        `The ${name} is here.`,
        `5 ${name} and 5 km/${name} at $5/${name}, ${name}: 3/4 ${name}`,
        `&${name}; \\${name} #${name} @${name} ${name}. ${name.toUpperCase()} 'S ${name}'s ${name}_${name}`,
        `https://example.com/${name}?${name}=${name} ${name}.ts ${name}-${name} 1.${name}`,
      ]) {
        expect(normalize(text).text).not.toMatch(STRAY);
        expect(readAll(text)).not.toMatch(STRAY);
      }
    });

    it(`${name} as a value, an element, an attribute or a reference of SSML`, () => {
      expect(refusal(`<break strength="${name}"/>`)).toMatch(/strength="[^"]+" is not known/);
      expect(refusal(`<break time="${name}"/>`)).toMatch(/is not a time/);
      expect(refusal(`<say-as interpret-as="${name}">5</say-as>`)).toMatch(/is not known/);
      expect(refusal(`<phoneme alphabet="${name}" ph="a">x</phoneme>`)).toMatch(/is not known/);
      expect(refusal(`&${name};`)).toMatch(/&amp;/);
      expect(readAll(`<${name} ${name}="${name}">text</${name}>`, true)).toContain('text');
      expect(readAll(`<sub alias="${name}">x</sub><phoneme ph="${name}">x</phoneme>`, true)).not.toMatch(STRAY);
      for (const as of ['characters', 'cardinal', 'ordinal', 'date', 'telephone'] satisfies SayAs[]) {
        expect(readAll(`<say-as interpret-as="${as}">${name}</say-as>`, true)).not.toMatch(STRAY);
      }
    });

    it(`${name} as a word of a lexicon`, () => {
      const [match] = parseLexicon(`${name} = hello`, 'words.txt').find(`x ${name} y`);
      expect(match?.entry).toEqual({ kind: 'respelling', text: 'hello' });
      expect(parseLexicon('other = hello', 'words.txt').find(name)).toEqual([]);
      expect(parseLexicon(`{"${name}": "hello"}`, 'words.json').size).toBe(1);
    });
  }
});
