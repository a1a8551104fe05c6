/** Names and loans of several words, which are said otherwise than the same words apart. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SortedLines } from './sorted-lines.js';

/** Lines such as "foie gras = fwˌɑ ɡɹˈɑ". */
const FILE = fileURLToPath(new URL('../../../../pronunciations/phrases.txt', import.meta.url));

let lines: SortedLines | undefined;

/** The American sounds of the phrase that begins at `at`, one for each of its words. */
export function phraseAt(words: readonly string[], at: number): readonly string[] | undefined {
  const second = words[at + 1];
  if (second === undefined || second === '') return undefined;
  lines ??= new SortedLines(readFileSync(FILE), ' ');
  let longest: readonly string[] | undefined;
  for (const line of lines.startingWith(`${words[at]} ${second}`)) {
    const [others, said] = line.startsWith('= ') ? ['', line.slice(2)] : (line.split(' = ') as [string, string]);
    const sounds = said.split(' ');
    const goesOn = others === '' || others.split(' ').every((word, by) => words[at + 2 + by] === word);
    if (goesOn && sounds.length > (longest?.length ?? 0)) longest = sounds;
  }
  return longest;
}
