/** Mandarin, as it is written in simplified and traditional characters. */
import path from 'node:path';
import type { SayAs } from '../../protocol/job.js';
import { fromEspeak } from '../en/pronunciation/alphabet.js';
import { knownReading, respelled } from '../en/pronunciation/known-words.js';
import { espeakSymbols } from '../espeak/espeak-language.js';
import { readIpa } from '../espeak/ipa.js';
import type { FoundWord, FrontEnd, LanguageFiles } from '../front-end.js';
import { Characters } from '../normalize/characters.js';
import type { Scan } from '../normalize/scan.js';
import { WIDE_MARKS } from '../normalize/wide-marks.js';
import { VULGAR_FRACTIONS } from './forms/quantities.js';
import { isNamed } from './forms/signs.js';
import { letterName } from './letters.js';
import { codeNames, integer } from './numbers.js';
import { sayClause, wordPhonemes } from './pinyin/reading.js';
import { RULES, SCRIPT } from './rules.js';
import { loadWordList, type WordList } from './words/word-list.js';

const KEPT = new RegExp(`${SCRIPT.source}|${WIDE_MARKS.source}|[～]`, 'u');

let list: WordList | undefined;

async function prepare(files: LanguageFiles): Promise<void> {
  list ??= await loadWordList(path.join(await files('zh-CN'), 'dict.txt'));
}

/** The list of words, for a text that is read. */
export function chineseWordList(): WordList {
  if (list === undefined) throw new Error('Chinese is read before its words are loaded');
  return list;
}

/** Han with the spaces between, or a Latin word. */
const STRETCH =
  /\p{Script=Han}(?:[\p{Script=Han}〇 ]*\p{Script=Han})?|[\p{Script=Latin}\p{N}]+(?:['’-][\p{Script=Latin}\p{N}]+)*/gu;

function words(text: string): FoundWord[] {
  const found: FoundWord[] = [];
  for (const { 0: stretch, index } of text.matchAll(STRETCH)) {
    if (!SCRIPT.test(stretch)) {
      found.push({ start: index, end: index + stretch.length, phonemes: undefined });
      continue;
    }
    const clause = stretch.replaceAll(' ', '');
    const places = clause.length === stretch.length ? undefined : placesIn(stretch);
    let at = 0;
    for (const word of sayClause(clause, chineseWordList())) {
      const end = at + word.word.length;
      const [from, to] = places ? [places[at]!, places[end - 1]! + 1] : [at, end];
      found.push({ start: index + from, end: index + to, phonemes: wordPhonemes(word) });
      at = end;
    }
  }
  return found;
}

/** Where the characters of a text stand that are no spaces. */
function placesIn(text: string): number[] {
  const places: number[] = [];
  for (let i = 0; i < text.length; i++) if (text[i] !== ' ') places.push(i);
  return places;
}

/** A whole text by its characters, as a number or as the digits of a telephone. */
function readAs(scan: Scan, as: SayAs): boolean {
  const { text, out } = scan;
  const digits = text.replace(/[\s,()-]/g, '');
  if (as === 'characters' && /^[\w\s.-]+$/.test(text)) {
    out.say(
      [...digits].map((char) => (/\d/.test(char) ? codeNames(char) : char.toUpperCase())).join(' '),
      0,
      text.length,
    );
    return true;
  }
  if (!/^\+?\d+$/.test(digits) || (as !== 'telephone' && as !== 'cardinal')) return false;
  const groups = text.split(/[\s()-]+/).map((group) => codeNames(group.replace(/\D/g, '')));
  out.say(as === 'cardinal' ? integer(digits.replace('+', '')) : groups.join(' '), 0, text.length);
  return true;
}

export const MANDARIN: FrontEnd = {
  language: 'zh-CN',
  characters: new Characters((sign) => isNamed(sign) || VULGAR_FRACTIONS.includes(sign), { keeps: KEPT }),
  isShouted: () => false,
  rules: RULES,
  readAs,
  readable: SCRIPT,
  words,
  prepare,
  pronounce: (said, phonemizer) => said.map(({ text, phonemes }) => phonemes ?? phonemizer.word(text)),
  alphabet: {
    // What is written in Latin letters is said in English.
    espeakVoice: 'en-us',
    respelled,
    fromEspeak: (ipa) => fromEspeak(ipa, 'en-US'),
    known: (word) => letterName(word) ?? knownReading(word, 'en-US'),
    fromIpa: (ipa) =>
      readIpa(ipa.replace(/t[\u0361\u035c]?ɕ/gu, 'ʨ').replace(/ʈ[\u0361\u035c]?ʂ/gu, 'ꭧ'), espeakSymbols),
  },
};
