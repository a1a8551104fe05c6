/** Names and loans of several words, which are said otherwise than the same words apart. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('../../../../pronunciations/phrases.txt', import.meta.url));

interface Phrase {
  readonly words: readonly string[];
  readonly sounds: readonly string[];
}

let byFirst: ReadonlyMap<string, readonly Phrase[]> | undefined;

/** "foie gras = fwˌɑ ɡɹˈɑ", by the first word; of those that begin alike the longest first. */
function loaded(): ReadonlyMap<string, readonly Phrase[]> {
  const found = new Map<string, Phrase[]>();
  for (const line of readFileSync(FILE, 'utf8').trimEnd().split('\n')) {
    const [written, said] = line.split(' = ') as [string, string];
    const words = written.split(' ');
    const known = found.get(words[0]!) ?? [];
    known.push({ words, sounds: said.split(' ') });
    found.set(words[0]!, known);
  }
  for (const known of found.values()) known.sort((a, b) => b.words.length - a.words.length);
  return found;
}

/** The American sounds of the phrase that begins at `index`, one for each of its words. */
export function phraseAt(words: readonly string[], index: number): readonly string[] | undefined {
  byFirst ??= loaded();
  return byFirst.get(words[index]!)?.find((phrase) => phrase.words.every((word, by) => words[index + by] === word))
    ?.sounds;
}
