/**
 * Latin letters in Japanese text: letters by name, words everybody knows in kana, Japanese written
 * in Latin letters.
 */
import type { Rule } from '../../normalize/rule.js';
import { LATIN_WORDS } from './latin-words.js';

const LETTERS: Readonly<Record<string, string>> = Object.fromEntries(
  'エー ビー シー ディー イー エフ ジー エイチ アイ ジェー ケー エル エム エヌ オー ピー キュー アール エス ティー ユー ブイ ダブリュー エックス ワイ ゼット'
    .split(' ')
    .map((name, i) => [String.fromCharCode(65 + i), name]),
);
const LONGEST_ACRONYM = 5;

export const letterNames = (letters: string): string =>
  [...letters.toUpperCase()].map((letter) => LETTERS[letter] ?? '').join('');

/** How a Latin word is said in kana; undefined for one that is left as English. */
export function latinSound(word: string): string | undefined {
  const plain = word.replace(/[’']s$/, '').toLowerCase();
  if (/^[A-Z]$/.test(word)) return letterNames(word);
  const known = LATIN_WORDS.get(plain) ?? LATIN_WORDS.get(plain.replace(/s$/, ''));
  if (known !== undefined) return known;
  const letters = word.replace(/[.-]/g, '');
  if (/^[A-Z]{1,5}s?$/.test(letters) && letters.length <= LONGEST_ACRONYM + 1) {
    return letterNames(letters.replace(/s$/, '')) + (/s$/.test(letters) ? 'ズ' : '');
  }
  if (letters.length === 1 || !/[aeiouyà-ÿ]/i.test(word)) return letterNames(letters);
  return romajiSound(plain);
}

const VOWELS = 'aiueo';
const ROMAJI_ROWS: Readonly<Record<string, string>> = {
  '': 'アイウエオ',
  k: 'カキクケコ',
  g: 'ガギグゲゴ',
  s: 'サシスセソ',
  z: 'ザジズゼゾ',
  t: 'タチツテト',
  d: 'ダヂヅデド',
  n: 'ナニヌネノ',
  h: 'ハヒフヘホ',
  b: 'バビブベボ',
  p: 'パピプペポ',
  m: 'マミムメモ',
  r: 'ラリルレロ',
  y: 'ヤ_ユ_ヨ',
  w: 'ワ___ヲ',
  f: '__フ__',
  j: '_ジ___',
};
const ROMAJI_OTHER: Readonly<Record<string, string>> = { shi: 'シ', chi: 'チ', tsu: 'ツ' };
const PALATALS: Readonly<Record<string, string>> = {
  ky: 'キ',
  gy: 'ギ',
  sh: 'シ',
  j: 'ジ',
  ch: 'チ',
  ny: 'ニ',
  hy: 'ヒ',
  by: 'ビ',
  py: 'ピ',
  my: 'ミ',
  ry: 'リ',
};
const SYLLABLE =
  /(shi|chi|tsu|(?:ky|gy|sh|ch|ny|hy|by|py|my|ry|j)[auo]|[kgsztdnhbpmr]?[aiueo]|y[auo]|wa|fu|ji|n(?![aiueoy])|([kstpgdbcz])(?=\2|ch))/y;
/** Shorter words, and those with English endings, are more likely English. */
const LEAST_ROMAJI = 5;
const ENGLISH_ENDING = /(?:ate|ine|one|ite|ide|ame|ake|ime|ome|age|ure|ere|are|ore|use|me|te|se|ge)$/;

/** "Kyoto" → キョート: a word that is nothing but Japanese syllables. */
function romajiSound(word: string): string | undefined {
  if (word.length < LEAST_ROMAJI || ENGLISH_ENDING.test(word) || !/^[a-z]+$/.test(word)) return undefined;
  let kana = '';
  for (let at = 0; at < word.length; ) {
    SYLLABLE.lastIndex = at;
    const syllable = SYLLABLE.exec(word)?.[0];
    if (syllable === undefined) return undefined;
    kana += syllableKana(syllable);
    at += syllable.length;
  }
  return kana.replace(/トウキョウ|トキョ(?!ウ)/, 'トーキョー').replace(/オウ|(?<=[ョコソトノホモロゴ])ウ/g, 'ー');
}

function syllableKana(syllable: string): string {
  if (ROMAJI_OTHER[syllable] !== undefined) return ROMAJI_OTHER[syllable];
  if (syllable === 'n') return 'ン';
  if (syllable.length === 1 && !VOWELS.includes(syllable)) return 'ッ';
  const vowel = syllable.at(-1)!;
  const palatal = PALATALS[syllable.slice(0, -1)];
  const small = { a: 'ャ', u: 'ュ', o: 'ョ' }[vowel];
  if (palatal !== undefined && small !== undefined) return palatal + small;
  return ROMAJI_ROWS[syllable.slice(0, -1)]![VOWELS.indexOf(vowel)]!;
}

const WORD = /[A-Za-z\u00c0-\u024f]+(?:['’-][A-Za-z\u00c0-\u024f]+)*\.?/y;
/** What is joined with a number, or with a word behind a hyphen or a dot. */
const SPECIAL = /(?:COVID-19|Wi-?Fi|e-mail|No\.|Mr\.|Ms\.|Mrs\.|Dr\.|vs\.?|etc\.|R&D|Q&A|M&A|AT&T|H&M)(?![A-Za-z])/y;

export const latinRule: Rule = {
  name: 'Latin word',
  begins: { words: 'any word', inside: true },
  apply(scan, at) {
    const { text, out } = scan;
    SPECIAL.lastIndex = at;
    const special = SPECIAL.exec(text)?.[0];
    const whole = special === undefined ? undefined : LATIN_WORDS.get(special.toLowerCase());
    if (whole !== undefined) {
      out.say(whole, at, at + special!.length);
      return at + special!.length;
    }
    WORD.lastIndex = at;
    const word = (WORD.exec(text)?.[0] ?? text[at]!).replace(/\.$/, '');
    const end = at + word.length;
    const said = latinSound(word);
    if (said === undefined && word.includes('-')) {
      const first = word.slice(0, word.indexOf('-'));
      out.say(latinSound(first) ?? first, at, at + first.length);
      return at + first.length;
    }
    out.say(said ?? word, at, end);
    scan.remember(word.slice(0, 40));
    return end;
  },
};

const BY_NUMBER: Readonly<Record<string, string>> = {
  '2D': 'ツーディー',
  '3D': 'スリーディー',
  '3G': 'スリージー',
  '4G': 'フォージー',
  '5G': 'ファイブジー',
  '4K': 'ヨンケー',
  '8K': 'ハチケー',
};

/** "5G", "3D": said in English. */
export const numberedLetterRule: Rule = {
  name: 'number with a letter',
  begins: { digits: { next: /[DGK]/ } },
  apply(scan, at) {
    const said = BY_NUMBER[scan.text.slice(at, at + 2)];
    if (said === undefined || /[A-Za-z0-9]/.test(scan.text[at + 2] ?? '')) return at;
    scan.out.say(said, at, at + 2);
    return at + 2;
  },
};
