/** What tells two readers of text apart: a digest of all that decides how a text is read. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/** Packages that read with us. */
const READERS = ['espeak-phonemizer', 'n2words', 'pinyin-pro'];

/** What English words are looked up in. */
const WORD_LISTS = ['en.txt', 'phrases.txt', 'tagger.txt'];

/**
 * The code is digested rather than a number kept by hand: a number is forgotten, and then two
 * machines read one text in two ways. `lexicon` is the file of the operator's own pronunciations,
 * or ''; `dictionaries` are digests of those that languages are read with.
 */
export function textVersion(lexicon: string, dictionaries: readonly string[]): string {
  const digest = createHash('sha256');
  const folder = import.meta.dirname;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.[jt]s$/.test(file))
    .map((file) => file.split(path.sep).join('/'))
    .sort();
  for (const file of files) digest.update(`${file}\n`).update(readFileSync(path.join(folder, file)));
  for (const file of WORD_LISTS) digest.update(readFileSync(path.join(folder, '../../pronunciations', file)));
  for (const name of READERS) digest.update(`${name} ${versionOf(name)}\n`);
  for (const dictionary of dictionaries) digest.update(`${dictionary}\n`);
  if (lexicon !== '') digest.update(readFileSync(lexicon));
  return digest.digest('hex').slice(0, 16);
}

function versionOf(name: string): string {
  // Not every package lets its package.json be asked for by name.
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  const file = folders.map((folder) => path.join(folder, name, 'package.json')).find((each) => existsSync(each));
  return file === undefined ? 'absent' : (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
