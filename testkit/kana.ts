/**
 * Readings in kana compared by their sound: people write them in hiragana, with long vowels as they
 * are spelled.
 */

const ROWS: readonly (readonly [string, string])[] = [
  ['アカサタナハマヤラワガザダバパャァ', 'ア'],
  ['イキシチニヒミリギジビピィ', 'イ'],
  ['ウクスツヌフムユルグズブプュゥ', 'ウ'],
  ['エケセテネヘメレゲゼデベペェ', 'イエ'],
  ['オコソトノホモヨロゴゾドボポョォ', 'ウオ'],
];
const LONG = new RegExp(ROWS.map(([row, vowels]) => `(?<=[${row}])[${vowels}]`).join('|'), 'g');

/** Nothing but katakana, each long vowel as ー. */
export const soundsLike = (reading: string): string =>
  reading
    .replace(/[ぁ-ゖ]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) + 0x60))
    .replace(/[^ァ-ヺー]/g, '')
    .replaceAll('ヲ', 'オ')
    .replaceAll('ヂ', 'ジ')
    .replaceAll('ヅ', 'ズ')
    .replace(LONG, 'ー');
