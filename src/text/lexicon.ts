/** The operator's own pronunciations: a file of words with their sounds or a respelling. */
import { readFile } from 'node:fs/promises';
import { excerpt, TtsError } from '../protocol/errors.js';
import { DEFAULT_LANGUAGE, type Language } from '../protocol/job.js';
import { localeOf } from '../protocol/languages.js';
import { MAX_SAID_CHARS } from '../protocol/pages.js';
import { characterIs, IS } from './character-kinds.js';
import { frontEnd } from './languages.js';
import { type Alphabet, createAlphabet } from './tokens.js';

type LexiconEntry = (
  | { readonly kind: 'ipa'; readonly ipa: string }
  | { readonly kind: 'respelling'; readonly text: string }
) & {
  /** The language it is said in, where that is not the text's. */
  readonly language?: Language;
};

interface LexiconMatch {
  /** Where the word stands, in UTF-16 units. */
  readonly index: number;
  readonly length: number;
  readonly entry: LexiconEntry;
}

export interface Lexicon {
  readonly size: number;
  /** The languages that entries name. */
  readonly languages: readonly Language[];
  /** The words of the lexicon in a text, from left to right. */
  find(text: string): LexiconMatch[];
}

interface Row {
  readonly word: string;
  readonly said: string;
  readonly line: number;
}

const MAX_SAID = MAX_SAID_CHARS;

export async function loadLexicon(file: string): Promise<Lexicon> {
  let content: string;
  try {
    content = await readFile(file, 'utf8');
  } catch (cause) {
    throw new TtsError('config_invalid', `The lexicon ${file} cannot be read. Check the path given by --lexicon.`, {
      cause,
    });
  }
  return parseLexicon(content, file);
}

/**
 * Lines of `word = /ipa/` or `word = respelling`, or of `word = es: palabra` for one that is said
 * in another language, with `#` for comments, or one JSON object of the same. A word in small
 * letters stands for every way of capitalising it; one with a capital letter for itself alone.
 */
export function parseLexicon(content: string, file: string): Lexicon {
  const text = content.replace(/^\uFEFF/, '');
  const rows = text.trimStart().startsWith('{') ? jsonRows(text, file) : lineRows(text, file);
  const alphabet = createAlphabet();
  const exact = new Map<string, LexiconEntry>();
  const folded = new Map<string, LexiconEntry>();
  for (const row of rows) {
    const word = fold(row.word);
    const table = word === word.toLowerCase() ? folded : exact;
    if (table.has(word)) fail(file, row.line, `"${excerpt(row.word, 40)}" is there twice`);
    table.set(word, entryOf(row, file, alphabet));
  }
  return createLexicon(exact, folded);
}

/**
 * At every place where a word can begin, the longest entry that stands there. Entries are looked
 * up, not searched for by a pattern: they may hold any sign, and be any number.
 */
function createLexicon(exact: ReadonlyMap<string, LexiconEntry>, folded: ReadonlyMap<string, LexiconEntry>): Lexicon {
  const lengths = new Map<string, number[]>();
  for (const word of [...exact.keys(), ...folded.keys()]) {
    const first = word.charAt(0).toLowerCase();
    const known = lengths.get(first) ?? [];
    if (!known.includes(word.length))
      lengths.set(
        first,
        [...known, word.length].sort((a, b) => b - a),
      );
  }
  const entryAt = (text: string, index: number): LexiconMatch | undefined => {
    for (const length of lengths.get(fold(text.charAt(index)).toLowerCase()) ?? []) {
      const written = text.slice(index, index + length);
      if (written.length < length || goesOn(text, index + length)) continue;
      const word = fold(written);
      const entry = exact.get(word) ?? folded.get(word.toLowerCase());
      if (entry) return { index, length, entry };
    }
    return undefined;
  };
  return {
    size: exact.size + folded.size,
    languages: [...new Set([...exact.values(), ...folded.values()].flatMap(({ language }) => language ?? []))],
    find(text) {
      const found: LexiconMatch[] = [];
      if (lengths.size === 0) return found;
      for (let at = 0; at < text.length; ) {
        const match = canBegin(text, at) ? entryAt(text, at) : undefined;
        if (match) found.push(match);
        at += match?.length ?? 1;
      }
      return found;
    },
  };
}

/** No entry begins inside a word, nor with a sign right behind one: "ASP.NET" is not ".NET". */
function canBegin(text: string, at: number): boolean {
  const isSign = writingOf(text.charCodeAt(at)) === 'none';
  return !goesOn(text, at) && !(isSign && at > 0 && writingOf(text.charCodeAt(at - 1)) === 'spaced');
}

/** Whether the word before `at` goes on there, so that no entry can end. */
function goesOn(text: string, at: number): boolean {
  if (at === 0 || at >= text.length) return false;
  const kind = writingOf(text.charCodeAt(at));
  return kind !== 'none' && kind !== 'unspaced' && kind === writingOf(text.charCodeAt(at - 1));
}

/**
 * How a character belongs to words. Between Han and hiragana, which are written without spaces, a
 * word may begin anywhere; a row of katakana is one word, as is a row of letters or digits.
 */
function writingOf(code: number): 'none' | 'spaced' | 'katakana' | 'unspaced' {
  if ((characterIs(code) & IS.letter) === 0) return 'none';
  if (code < 0x3005 || code >= 0xa000) return 'spaced';
  return code > 0x30a0 && code < 0x3100 ? 'katakana' : 'unspaced';
}

const fold = (word: string) => word.normalize('NFC').replace(/’/g, "'");

function fail(file: string, line: number, problem: string): never {
  throw new TtsError(
    'config_invalid',
    `The lexicon ${file}, line ${line}: ${problem}. A line reads: word = /ipa/ or: word = respelling.`,
  );
}

/** "es: jalapeño": the locale before the colon, and what is said in it. */
function inLanguage(said: string): { readonly language?: Language; readonly said: string } {
  const match = /^([a-z]{2}(?:-[a-z0-9]{2,3})?):\s*(\S.*)$/i.exec(said);
  const language = match ? localeOf(match[1]!) : undefined;
  return language === undefined ? { said } : { language, said: match![2]! };
}

function entryOf(written: Row, file: string, alphabet: Alphabet): LexiconEntry {
  const { said, ...spoken } = inLanguage(written.said);
  return { ...plainEntry({ ...written, said }, file, alphabet), ...spoken };
}

function plainEntry(row: Row, file: string, alphabet: Alphabet): LexiconEntry {
  if (row.said.length > MAX_SAID) fail(file, row.line, `more than ${MAX_SAID} characters to say`);
  if (!row.said.startsWith('/')) return { kind: 'respelling', text: row.said };
  if (row.said.length < 3 || !row.said.endsWith('/')) fail(file, row.line, 'IPA stands between two slashes');
  const phonemes = frontEnd(DEFAULT_LANGUAGE).alphabet.fromIpa(row.said);
  const strange = [...phonemes].find((symbol) => !alphabet.has(symbol));
  if (strange !== undefined) fail(file, row.line, `"${strange}" is no IPA symbol the voices know`);
  if (phonemes === '') fail(file, row.line, 'nothing to say between the slashes');
  return { kind: 'ipa', ipa: row.said };
}

function lineRows(text: string, file: string): Row[] {
  const rows: Row[] = [];
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const content = raw.replace(/(?:^|\s)#.*$/, '').trim();
    if (content === '') continue;
    const match = /^(.*?\S)\s*=\s*(\S.*)$/.exec(content);
    if (!match) fail(file, index + 1, `"${excerpt(content, 40)}" has no "="`);
    rows.push({ word: match[1]!, said: match[2]!, line: index + 1 });
  }
  return rows;
}

function jsonRows(text: string, file: string): Row[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const position = Number(/position (\d+)/.exec(String(cause))?.[1] ?? text.length);
    fail(file, lineAt(text, position), `not JSON (${excerpt(cause instanceof Error ? cause.message : '', 60)})`);
  }
  return Object.entries(value as Record<string, unknown>).map(([word, said]) => {
    const line = lineAt(text, text.indexOf(JSON.stringify(word)));
    if (typeof said !== 'string' || said.trim() === '') fail(file, line, `"${excerpt(word, 40)}" needs a text to say`);
    if (word.trim() === '') fail(file, line, 'a word is missing');
    return { word: word.trim(), said: said.trim(), line };
  });
}

const lineAt = (text: string, position: number) => text.slice(0, Math.max(0, position)).split('\n').length;
