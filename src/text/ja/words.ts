/** The words of a Japanese text and how they sound, in katakana. */
import { isWhiteSpace } from '../../protocol/characters.js';
import type { Entry } from './analysis/dictionary.js';
import type { FixedStretch, Lattice, Morpheme } from './analysis/lattice.js';
import { isKatakana, longE, longVowels, toKatakana, withoutRepeats } from './kana.js';
import { COUNTER_PATTERN, counted, isCounter } from './numbers/counters.js';
import { NUMERALS, numeralSound } from './numbers/numerals.js';
import { corrected, NEW_WORDS } from './readings.js';

/** A word with its place in UTF-16 units; `kana` is undefined for one that is not Japanese. */
export interface JapaneseWord {
  readonly start: number;
  readonly end: number;
  readonly kana: string | undefined;
}

/** A morpheme with its sound settled; undefined for a word that is not Japanese. */
interface Sounded extends Morpheme {
  readonly sound: string | undefined;
}

/** What words are written with; anything else but white space parts clauses. */
const CLAUSE = /[\p{L}\p{M}\p{N}\s'’&.-]*[\p{L}\p{M}\p{N}]/gu;
const HAS_JAPANESE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const SPACE = /\s/;
const ONE_WORD = "[ァ-ヺー]+|[A-Za-z\\u00c0-\\u024f][A-Za-z\\u00c0-\\u024f'’.-]*";
const SPACED = new RegExp(`(?<!\\S)(?:${ONE_WORD})(?!\\S)`, 'g');
const UNSPACED = new RegExp(`^(?:${ONE_WORD})$`);
const ODD_IN_KANA = /(?:出|手|毛|目|根|背|瀬|姉|稲)[入糸色痛石]/;

export function japaneseWords(text: string, lattice: Lattice): JapaneseWord[] {
  const words: JapaneseWord[] = [];
  for (const { 0: clause, index } of text.matchAll(CLAUSE)) {
    for (const word of clauseWords(clause, lattice)) {
      words.push({ start: index + word.start, end: index + word.end, kana: word.kana });
    }
  }
  return words;
}

/**
 * White space tells where a reading was put in, and is no part of what is analysed: particles
 * belong to what stands before.
 */
function clauseWords(clause: string, lattice: Lattice): JapaneseWord[] {
  if (!SPACE.test(clause)) {
    const whole = UNSPACED.test(clause) ? [{ from: 0, to: clause.length, like: lattice.noun }] : [];
    return joined(withSounds(lattice.analyse(clause, withNewWords(whole, clause, lattice.noun))));
  }
  const places: number[] = [];
  let plain = '';
  for (let at = 0; at < clause.length; at++) {
    if (isWhiteSpace(clause.charCodeAt(at))) continue;
    places.push(at);
    plain += clause[at]!;
  }
  const words = joined(withSounds(lattice.analyse(plain, fixedIn(clause, plain, places, lattice.noun))));
  return words.map(({ start, end, kana }) => ({ start: places[start]!, end: places[end - 1]! + 1, kana }));
}

const NEW = new RegExp([...NEW_WORDS.keys()].join('|'), 'g');

/**
 * Readings and Latin words, which stand between white space, and words that the dictionary lacks.
 */
function fixedIn(clause: string, plain: string, places: readonly number[], like: number): FixedStretch[] {
  const fixed = Array.from(clause.matchAll(SPACED), ({ 0: word, index }) => {
    const from = places.indexOf(index);
    return { from, to: from + word.length, like };
  });
  return withNewWords(fixed, plain, like);
}

function withNewWords(fixed: FixedStretch[], plain: string, like: number): FixedStretch[] {
  const { length } = fixed;
  for (const { 0: word, index } of plain.matchAll(NEW)) fixed.push({ from: index, to: index + word.length, like });
  return length === 0 ? fixed : fixed.sort((a, b) => a.from - b.from);
}

/**
 * Settles how each morpheme sounds: numbers with their counters, particles, words of several
 * readings.
 */
function withSounds(morphemes: readonly Morpheme[]): Sounded[] {
  const found: Sounded[] = [];
  for (let at = 0; at < morphemes.length; ) {
    const number = numberAt(morphemes, at);
    if (number) {
      found.push(number.sounded);
      at = number.next;
      continue;
    }
    const morpheme = morphemes[at]!;
    const repeated = morpheme.written === '々' ? found.at(-1)?.sound : undefined;
    const { from, to, written, entry, known } = morpheme;
    const sound = repeated ?? corrected(morphemes, at) ?? soundOf(morpheme);
    found.push({ from, to, written, entry, known, sound });
    at += 1;
  }
  return found;
}

/** Sounds of the dictionary's words, each worked out once. */
const sounds = new WeakMap<Entry, string>();

function soundOf(morpheme: Morpheme): string | undefined {
  if (!morpheme.known) return soundWorkedOut(morpheme);
  let sound = sounds.get(morpheme.entry);
  if (sound === undefined) {
    sound = soundWorkedOut(morpheme);
    if (sound !== undefined) sounds.set(morpheme.entry, sound);
  }
  return sound;
}

function soundWorkedOut({ written, entry, known }: Morpheme): string | undefined {
  if (!HAS_JAPANESE.test(written)) return undefined;
  const own = NEW_WORDS.get(written);
  if (own !== undefined) return own;
  if (entry.sound !== '') {
    const loan = isKatakana(written) || (entry.kind === '動詞' && written.endsWith('い')) || ODD_IN_KANA.test(written);
    return loan ? entry.sound : longE(entry.sound);
  }
  const kana = withoutRepeats(toKatakana(written));
  return known || isKatakana(written) ? kana : longVowels(kana);
}

const NUMERAL = new RegExp(`^[${NUMERALS}]+$`);
const COUNTER = new RegExp(`^(?:${COUNTER_PATTERN})`);
/**
 * Numerals that are also words by themselves: a number only where another numeral or a counter
 * stands beside them.
 */
const WORDS_TOO = /^[何数]$/;

interface NumberFound {
  readonly sounded: Sounded;
  readonly next: number;
}

/** A row of numerals with what counts behind it. */
function numberAt(morphemes: readonly Morpheme[], at: number): NumberFound | undefined {
  let next = at;
  let number = '';
  while (next < morphemes.length && isNumeral(morphemes[next]!)) number += morphemes[next++]!.written;
  if (number === '') return undefined;
  const first = morphemes[at]!;
  const counter = counterAt(morphemes, next, number);
  if (counter === undefined) {
    const fraction = morphemes[next]?.written === '分の';
    if (next - at === 1 && (!fraction || WORDS_TOO.test(number))) return undefined;
    const { to } = morphemes[next - 1]!;
    return { sounded: { ...first, to, written: number, sound: numeralSound(number) }, next };
  }
  const dayOfMonth = counter.written === '日' && number === '一' && morphemes[at - 1]?.written.endsWith('月');
  const sound = dayOfMonth ? 'ツイタチ' : counted(number, counter.written, counter.sound);
  const { to } = morphemes[counter.next - 1]!;
  return { sounded: { ...first, to, written: number + counter.written, sound }, next: counter.next };
}

const isNumeral = ({ written, entry }: Morpheme): boolean =>
  (entry.detail === '数' || written === '何' || written === '数') && NUMERAL.test(written);

interface CounterFound {
  readonly written: string;
  readonly sound: string;
  readonly next: number;
}

/** The longest counter that the morphemes from `at` on write. */
function counterAt(morphemes: readonly Morpheme[], at: number, number: string): CounterFound | undefined {
  let written = '';
  let found: CounterFound | undefined;
  for (let next = at; next < morphemes.length && next < at + 3; next++) {
    const { written: piece, entry } = morphemes[next]!;
    written += piece;
    const kind = entry.subdetail === '助数詞';
    if (isCounter(written)) found = { written, sound: entry.sound, next: next + 1 };
    else if (next === at && kind && entry.sound !== '') found = { written, sound: entry.sound, next: next + 1 };
    if (!COUNTER.test(written)) break;
  }
  // "数人" counts, "数 が" does not.
  return WORDS_TOO.test(number) && found && morphemes[at]!.entry.kind === '助詞' ? undefined : found;
}

/** Morphemes put together into words: a verb with its endings, a noun with its suffixes. */
function joined(morphemes: readonly Sounded[]): JapaneseWord[] {
  const words: { start: number; end: number; kana: string | undefined }[] = [];
  let last: Sounded | undefined;
  for (const morpheme of morphemes) {
    const word = words.at(-1);
    if (word && last && word.kana !== undefined && morpheme.sound !== undefined && clings(last, morpheme)) {
      word.end = morpheme.to;
      word.kana += morpheme.sound;
    } else words.push({ start: morpheme.from, end: morpheme.to, kana: morpheme.sound });
    last = morpheme;
  }
  return words;
}

const VERBAL = new Set(['動詞', '形容詞', '助動詞']);
const ENDINGS = new Set(['て', 'で', 'ば', 'ちゃ', 'じゃ', 'たり', 'だり']);

function clings(last: Sounded, { written, entry }: Sounded): boolean {
  if (last.entry.kind === '接頭詞' || last.sound!.endsWith('ッ')) return true;
  if (entry.detail === '接尾') return entry.kind === '名詞' ? last.entry.kind === '名詞' : true;
  if (!VERBAL.has(last.entry.kind)) return false;
  if (entry.kind === '助動詞') return true;
  return entry.detail === '接続助詞' && ENDINGS.has(written);
}
