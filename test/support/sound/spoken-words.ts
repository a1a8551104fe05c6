/** Words read for tests: as segments, and against the lists of `test/text/words`. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { Segment } from '../../../src/protocol/job.js';

/** A text as one segment. */
export const spanOf = (text: string): Segment => ({
  text,
  offset: 0,
  spans: [{ kind: 'text', text, start: 0, end: [...text].length }],
  pause: 'none',
});

/**
 * The words of a list, `word = reading reading` a line, that are said in none of these ways.
 * `heard` makes readings of two sources comparable.
 */
export function disagreements(
  file: string,
  count: number,
  say: (word: string) => string,
  heard: (ipa: string) => string,
): string[] {
  const lines = readFileSync(path.resolve(import.meta.dirname, '../../text/words', file), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines).toHaveLength(count);
  return lines.flatMap((line) => {
    const [word, ways] = line.split(' = ') as [string, string];
    const said = say(word);
    return ways.split(' ').some((way) => heard(way) === heard(said)) ? [] : [`${word}: ${said}, not ${ways}`];
  });
}
