/**
 * Katakana to the symbols the model was taught for Japanese. Which symbol stands for which kana
 * follows the default path of hexgrad/misaki, the grapheme-to-phoneme library of the model's
 * makers.
 */

const ROWS = `
ア a i ɯ e o
カ ka kʲi kɯ ke ko
ガ ɡa ɡʲi ɡɯ ɡe ɡo
サ sa ɕi sɨ se so
ザ ʣa ʥi zɨ ʣe ʣo
タ ta ʨi ʦɨ te to
ダ da ʥi zɨ de do
ナ na ɲi nɯ ne no
ハ ha çi ɸɯ he ho
バ ba bʲi bɯ be bo
パ pa pʲi pɯ pe po
マ ma mʲi mɯ me mo
ラ ɾa ɾʲi ɾɯ ɾe ɾo`;
const KANA_OF_ROW: Readonly<Record<string, string>> = {
  ア: 'アイウエオ',
  カ: 'カキクケコ',
  ガ: 'ガギグゲゴ',
  サ: 'サシスセソ',
  ザ: 'ザジズゼゾ',
  タ: 'タチツテト',
  ダ: 'ダヂヅデド',
  ナ: 'ナニヌネノ',
  ハ: 'ハヒフヘホ',
  バ: 'バビブベボ',
  パ: 'パピプペポ',
  マ: 'マミムメモ',
  ラ: 'ラリルレロ',
};
const SINGLE =
  'ヤ ja ユ jɯ ヨ jo ワ βa ヰ i ヱ e ヲ o ヴ vɯ ァ a ィ i ゥ ɯ ェ e ォ o ャ ja ュ jɯ ョ jo ヮ βa ヵ ka ヶ ke ー ː ッ ʔ';
/**
 * Kana with a small one behind it: the first sound of each, and the small kana it is written with.
 */
const JOINED = `
キ kʲ ャュョェ
ギ ɡʲ ャュョェ
シ ɕ ャュョェ
ジ ʥ ャュョェ
チ ʨ ャュョェ
ヂ ʥ ャュョェ
ニ ɲ ャュョェ
ヒ ç ャュョェ
ビ bʲ ャュョェ
ピ pʲ ャュョェ
ミ mʲ ャュョェ
リ ɾʲ ャュョェ
ク kᵝ ァィェォヮ
グ ɡᵝ ァィェォヮ
ツ ʦ ァェォ
ツ ʦʲ ィ
テ tʲ ィュ
デ dʲ ィュ
ト t ゥ
ド d ゥ
フ ɸ ァェォ
フ ɸʲ ィュョ
ウ β ィェォ
イ j ェ
ヴ v ァェォ
ヴ vʲ ィ
ヴ bʲ ュョ
ス s ィ
ズ z ィ`;
/** Behind a palatal the close back vowel is a central one. */
const VOWEL_OF: Readonly<Record<string, string>> = {
  ァ: 'a',
  ィ: 'i',
  ゥ: 'ɯ',
  ェ: 'e',
  ォ: 'o',
  ャ: 'a',
  ュ: 'ɨ',
  ョ: 'o',
  ヮ: 'a',
};

function kanaTable(): ReadonlyMap<string, string> {
  const table = new Map<string, string>();
  for (const line of ROWS.trim().split('\n')) {
    const [row, ...sounds] = line.split(' ');
    for (const [i, kana] of [...KANA_OF_ROW[row!]!].entries()) table.set(kana, sounds[i]!);
  }
  const single = SINGLE.split(' ');
  for (let i = 0; i < single.length; i += 2) table.set(single[i]!, single[i + 1]!);
  for (const line of JOINED.trim().split('\n')) {
    const [kana, sound, small] = line.split(' ');
    for (const tail of small!) table.set(kana! + tail, sound! + VOWEL_OF[tail]!);
  }
  return table;
}

const TABLE = kanaTable();

/** The nasal before a sound; ɴ where none of these follows. */
const NASALS: readonly (readonly [RegExp, string])[] = [
  [/^[mpb]/, 'm'],
  [/^[kɡ]/, 'ŋ'],
  [/^[ɲʨʥ]/, 'ɲ'],
  [/^[ntdɾz]/, 'n'],
];

const MOST_CACHED = 20_000;
const cache = new Map<string, string>();

/** The phonemes of a word in katakana. Characters that are no kana are left out. */
export function kanaPhonemes(kana: string): string {
  let phonemes = cache.get(kana);
  if (phonemes === undefined) {
    if (cache.size === MOST_CACHED) cache.clear();
    phonemes = workedOut(kana);
    cache.set(kana, phonemes);
  }
  return phonemes;
}

function workedOut(kana: string): string {
  let phonemes = '';
  for (let at = 0; at < kana.length; ) {
    const pair = TABLE.get(kana.slice(at, at + 2));
    if (kana[at] === 'ン') {
      const next = TABLE.get(kana[at + 1] ?? '') ?? '';
      phonemes += NASALS.find(([before]) => before.test(next))?.[1] ?? 'ɴ';
      at += 1;
    } else if (pair !== undefined && at + 1 < kana.length) {
      phonemes += pair;
      at += 2;
    } else {
      phonemes += TABLE.get(kana[at]!) ?? '';
      at += 1;
    }
  }
  return phonemes;
}

const HIRAGANA = /[ぁ-ゖ]/g;

export const toKatakana = (text: string): string =>
  text.replace(HIRAGANA, (kana) => String.fromCharCode(kana.charCodeAt(0) + 0x60));

export const isKatakana = (text: string): boolean => /^[ァ-ヺー]+$/.test(text);

const VOICED = 'カガキギクグケゲコゴサザシジスズセゼソゾタダチヂツヅテデトドハバヒビフブヘベホボ';

/** "ゝ" says the kana before it again, "ゞ" says it voiced. */
export function withoutRepeats(kana: string): string {
  return kana.replace(/(.)([ヽヾゝゞ])/g, (_, before: string, mark: string) => {
    const at = VOICED.indexOf(before);
    const voiced = at >= 0 && at % 2 === 0 ? VOICED[at + 1]! : before;
    return before + (mark === 'ヾ' || mark === 'ゞ' ? voiced : before);
  });
}

const O_ROW = 'オコソトノホモヨロヲゴゾドボポョォ';
const U_ROW = 'ウクスツヌフムユルグズヅブプュゥ';
const E_ROW = 'エケセテネヘメレゲゼデベペェ';

const LONG_O_U = new RegExp(`(?<=[${O_ROW}])[ウオ]|(?<=[${U_ROW}])ウ`, 'g');
const LONG_E = new RegExp(`(?<=[${E_ROW}])イ`, 'g');

/** Long vowels as they are heard: "コウ" is コー. Only for a stretch that is one part of a word. */
export const longVowels = (kana: string): string => kana.replace(LONG_O_U, 'ー');

/** "エイ" is heard as エー in words of Chinese origin. */
export const longE = (kana: string): string => kana.replace(LONG_E, 'ー');
