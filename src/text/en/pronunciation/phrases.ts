/** Names and loans of several words, which are said otherwise than the same words apart. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('../../../../pronunciations/phrases.txt', import.meta.url));

interface Phrase {
  readonly words: readonly string[];
  readonly sounds: readonly string[];
}

/** By the first word, then by the second; of those that begin alike the longest first. */
type Index = ReadonlyMap<string, ReadonlyMap<string, readonly Phrase[]>>;
let index: Index | undefined;

/** Lines such as "foie gras = fwˌɑ ɡɹˈɑ". */
function load(): Index {
  const found = new Map<string, Map<string, Phrase[]>>();
  for (const line of readFileSync(FILE, 'utf8').trimEnd().split('\n')) {
    const [written, said] = line.split(' = ') as [string, string];
    const words = written.split(' ');
    const seconds = found.get(words[0]!) ?? new Map<string, Phrase[]>();
    found.set(words[0]!, seconds);
    seconds.set(words[1]!, [...(seconds.get(words[1]!) ?? []), { words, sounds: said.split(' ') }]);
  }
  for (const seconds of found.values())
    for (const known of seconds.values()) known.sort((a, b) => b.words.length - a.words.length);
  return found;
}

/** The American sounds of the phrase that begins at `at`, one for each of its words. */
export function phraseAt(words: readonly string[], at: number): readonly string[] | undefined {
  index ??= load();
  return index
    .get(words[at]!)
    ?.get(words[at + 1]!)
    ?.find((phrase) => phrase.words.every((word, by) => words[at + by] === word))?.sounds;
}
