/** The pronouncing dictionary: words that espeak reads otherwise. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SortedLines } from './sorted-lines.js';

const FILE = fileURLToPath(new URL('../../../../pronunciations/en.txt', import.meta.url));
/** A line so marked is not for British voices. */
const AMERICAN_ONLY = ' us';
/** The reading of a word that espeak says well, and that rules by origin would spoil. */
const AS_ESPEAK = '=';

let lines: SortedLines | undefined;

/**
 * The American reading of a word in small letters, in the model's alphabet. Null where the word is
 * known and left to espeak, undefined where it is not known.
 */
export function dictionaryReading(word: string, british: boolean): string | null | undefined {
  lines ??= new SortedLines(readFileSync(FILE), ' ');
  const line = lines.get(word);
  if (line === AS_ESPEAK) return null;
  if (line === undefined || !line.endsWith(AMERICAN_ONLY)) return line;
  return british ? null : line.slice(0, -AMERICAN_ONLY.length);
}
