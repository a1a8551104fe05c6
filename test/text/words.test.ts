/**
 * Names and words written alike, by the lists of `words/`, which were written down before anything
 * was tuned on them.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/text/reader.js';
import { soundsLike } from '../support/sound/same-sounds.js';

const lines = (file: string) =>
  readFileSync(path.resolve(import.meta.dirname, 'words', file), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

const reader = await createReader();

/** The phonemes of the characters `[from, to)` of a text. */
function soundsOf(text: string, from: number, to: number): string {
  const spans = [{ kind: 'text' as const, text, start: 0, end: [...text].length }];
  const { parts } = reader.read({ text, offset: 0, spans, pause: 'none' });
  return parts
    .flatMap((part) => (part.kind === 'speech' ? part.tokens : []))
    .filter(({ start, end }) => start >= from && end <= to)
    .map(({ symbol }) => symbol)
    .join('')
    .replace(/[.,;:!?“” ]/gu, '');
}

/** Without all main stresses but the last. */
function lastStressed(sounds: string): string {
  const at = sounds.lastIndexOf('ˈ');
  return sounds.slice(0, at).replaceAll('ˈ', '') + sounds.slice(at);
}

const share = (wrong: readonly string[], all: number) => `${all - wrong.length} of ${all}\n${wrong.join('\n')}`;

describe('words written alike', () => {
  it.each([
    ['homographs.txt', 200],
    ['homographs-2.txt', 60],
    ['homographs-3.txt', 166],
    ['homographs-4.txt', 152],
  ])('are read as they are meant in at least 95 of 100 sentences: %s', (file, count) => {
    const cases = lines(file);
    expect(cases).toHaveLength(count);
    const wrong = cases.flatMap((line) => {
      const [wanted, marked] = line.split(' | ') as [string, string];
      const from = marked.indexOf('_');
      const to = marked.indexOf('_', from + 1) - 1;
      const said = soundsOf(marked.replaceAll('_', ''), from, to);
      return soundsLike(said, wanted) ? [] : [`${marked}: ${said}, not ${wanted}`];
    });
    expect(wrong.length, share(wrong, cases.length)).toBeLessThanOrEqual(count / 20);
  });
});

describe('names', () => {
  it.each([
    ['names.txt', 200],
    ['names-2.txt', 60],
    ['names-3.txt', 200],
    ['names-4.txt', 200],
  ])('are said as a well-read speaker says them in at least 9 of 10: %s', (file, count) => {
    const cases = lines(file);
    expect(cases).toHaveLength(count);
    const wrong = cases.flatMap((line) => {
      const [name, ways] = line.split(' = ') as [string, string];
      const text = `We spoke of ${name} today.`;
      const said = soundsOf(text, 12, 12 + [...name].length);
      const stressed = /[ -]/.test(name) ? lastStressed : (sounds: string) => sounds;
      return ways.split(' ').some((way) => soundsLike(stressed(said), stressed(way)))
        ? []
        : [`${name}: ${said}, not ${ways}`];
    });
    expect(wrong.length, share(wrong, cases.length)).toBeLessThanOrEqual(count / 10);
  });
});
