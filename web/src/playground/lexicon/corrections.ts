/** How words are read for this visitor: kept in this browser, and sent with each session. */
import { computed } from '@preact/signals';
import { MAX_SESSION_WORDS_CHARS } from '../../../../src/protocol/pages.js';
import { keptHere } from '../../shared/kept-here.js';

export type Words = Readonly<Record<string, string>>;

const isWords = (value: unknown): value is Words =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((said) => typeof said === 'string');

export const corrections = keptHere<Words>('tts.words', {}, isWords);

/** The latest that fit into the query of a session; undefined where there are none. */
export const sessionWords = computed((): Words | undefined => {
  let entries = Object.entries(corrections.value);
  while (JSON.stringify(Object.fromEntries(entries)).length > MAX_SESSION_WORDS_CHARS) entries = entries.slice(1);
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
});

export function withCorrection(word: string, said: string): Words {
  const { [word]: _, ...others } = corrections.value;
  return { ...others, [word]: said };
}

export function forget(word: string): void {
  const { [word]: _, ...others } = corrections.value;
  corrections.value = others;
}

/** As `--lexicon` reads it; as JSON where a word holds a sign that lines have another use for. */
export function asLexicon(words: Words): string {
  const entries = Object.entries(words);
  const fitsLines = entries.every(([word, said]) => !/=|(?:^|\s)#|^\{/.test(word) && !/\s#/.test(said));
  if (!fitsLines) return `${JSON.stringify(words, null, 2)}\n`;
  return entries.map(([word, said]) => `${word} = ${said}\n`).join('');
}
