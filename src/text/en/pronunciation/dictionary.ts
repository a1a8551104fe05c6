/**
 * The pronouncing dictionary: words that espeak reads otherwise, a line each and sorted, found by
 * halving the file.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('../../../../pronunciations/en.txt', import.meta.url));
const NEWLINE = 10;
const SPACE = 32;
/** A line so marked is not for British voices. */
const AMERICAN_ONLY = ' us';
/** The reading of a word that espeak says well, and that rules by origin would spoil. */
const AS_ESPEAK = '=';

let lines: Buffer | undefined;

/**
 * The American reading of a word in small letters, in the model's alphabet. Null where the word is
 * known and left to espeak, undefined where it is not known.
 */
export function dictionaryReading(word: string, british: boolean): string | null | undefined {
  // Half a megabyte that stays as it is on disk: neither parsed nor held as strings.
  lines ??= readFileSync(FILE);
  const line = findLine(lines, Buffer.from(word));
  if (line === AS_ESPEAK) return null;
  if (line === undefined || !line.endsWith(AMERICAN_ONLY)) return line;
  return british ? null : line.slice(0, -AMERICAN_ONLY.length);
}

/** What stands behind the word on its line. */
function findLine(text: Buffer, word: Buffer): string | undefined {
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    let begin = middle;
    while (begin > low && text[begin - 1] !== NEWLINE) begin--;
    const order = compare(text, begin, word);
    if (order === 0) return text.toString('utf8', begin + word.length + 1, text.indexOf(NEWLINE, begin));
    if (order > 0) {
      high = begin;
      continue;
    }
    low = middle;
    while (low < high && text[low] !== NEWLINE) low++;
    low++;
  }
  return undefined;
}

/**
 * How the word of the line that begins at `begin` stands to another: before it, the same, behind
 * it.
 */
function compare(text: Buffer, begin: number, word: Buffer): number {
  for (let i = 0; i < word.length; i++) {
    const byte = text[begin + i]!;
    // A space sorts before every letter.
    if (byte !== word[i]) return byte - word[i]!;
  }
  return text[begin + word.length] === SPACE ? 0 : 1;
}
