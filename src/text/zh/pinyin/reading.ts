/**
 * The syllables of a clause: words, each by the dictionary of pinyin, by its neighbours, and with
 * its tones changed.
 */
import { pinyin } from 'pinyin-pro';
import { chineseWords } from '../words/segmentation.js';
import type { WordList } from '../words/word-list.js';
import { endsNeutral, polyphone, READINGS, type TaggedWord } from './polyphones.js';
import { applySandhi, type Toned } from './sandhi.js';
import { parseSyllable, type Syllable, syllablePhonemes } from './syllable.js';

/** A word as it is said. */
export interface SaidWord {
  readonly word: string;
  readonly syllables: readonly Toned[];
}

const MOST_CACHED = 20_000;
const cache = new Map<string, readonly Syllable[]>();
const SILENT: Syllable = { sound: '', tone: 0 };

/** 跑得快: what a verb leads to, and not 不得不. */
const COMPLEMENT = /^[^不非只总必获取所]得[^已了着到]$/;

/** The syllables of a word by itself, one a character. */
function dictionaryReading(word: string): readonly Syllable[] {
  let found = cache.get(word);
  if (found === undefined) {
    const own = Object.hasOwn(READINGS, word) ? READINGS[word]!.split(' ') : undefined;
    const read = own ?? pinyin(word, { toneType: 'num', type: 'array', toneSandhi: false });
    found = read.map((syllable) => parseSyllable(syllable) ?? SILENT);
    if (COMPLEMENT.test(word)) found = [found[0]!, { sound: 'de', tone: 0 }, found[2]!];
    if (endsNeutral(word)) found = [...found.slice(0, -1), { ...found.at(-1)!, tone: 0 }];
    if (cache.size === MOST_CACHED) cache.clear();
    cache.set(word, found);
  }
  return found;
}

/** Words that end in 儿 and mean a child: it is a syllable of its own there. */
const CHILD = /(?:女|婴|幼|孤|少|胎|健|宠|男|新生|混血|弃|患|育|双胞胎|婴幼)儿$/;

/** The words of a clause with their syllables, tones as they are heard. */
export function sayClause(clause: string, list: WordList): SaidWord[] {
  const words: TaggedWord[] = joinedWords(chineseWords(clause, list)).map((word) => ({ word, tag: list.tagOf(word) }));
  const all: Toned[] = [];
  const said = words.map(({ word }, at) => {
    const alone = word.length === 1 ? polyphone(words, at) : undefined;
    const reading = alone === undefined ? dictionaryReading(word) : [parseSyllable(alone) ?? SILENT];
    const syllables: Toned[] = [];
    for (const char of word) {
      const { sound, tone } = reading[syllables.length] ?? SILENT;
      const syllable = { char, sound, tone, starts: syllables.length === 0, word };
      syllables.push(syllable);
      all.push(syllable);
    }
    return { word, syllables };
  });
  applySandhi(all);
  return said;
}

/** 们 and 儿 belong to the word before them. */
function joinedWords(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of words) {
    if ((word === '们' || word === '儿') && joined.length > 0) joined[joined.length - 1] += word;
    else joined.push(word);
  }
  return joined;
}

export function wordPhonemes({ word, syllables }: SaidWord): string {
  let phonemes = '';
  for (let i = 0; i < syllables.length; i++) {
    const rhotic =
      i + 2 === syllables.length && syllables[i + 1]!.char === '儿' && !CHILD.test(word) && word.length > 1;
    phonemes += syllablePhonemes(syllables[i]!, rhotic);
    if (rhotic) break;
  }
  return phonemes;
}
