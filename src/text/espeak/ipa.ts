/** IPA as people write it, made fit for a mapping of espeak's IPA to the model's alphabet. */

export const VOWELS = 'aeiouyæɑɐɒɔəɚɛɜɝɪɨʊʌøœɯɤᵻᵊAIOQWYʉɵɘɞʏɶ';
export const VOWEL = new RegExp(`[${VOWELS}]`, 'u');

/** Symbols of careful transcriptions that have a near neighbour in the alphabet. */
const NEIGHBOURS: Readonly<Record<string, string>> = {
  ʉ: 'u',
  ɵ: 'ə',
  ɘ: 'ə',
  ɞ: 'ɜ',
  ʏ: 'y',
  ɶ: 'œ',
  ɓ: 'b',
  ɗ: 'd',
  ɠ: 'ɡ',
  ɦ: 'h',
  ħ: 'h',
  ʀ: 'ʁ',
  ɺ: 'ɾ',
  ɭ: 'l',
  ɮ: 'l',
  ʟ: 'l',
  ʐ: 'ʒ',
  ʑ: 'ʒ',
  q: 'k',
  ɢ: 'ɡ',
  '\u2019': 'ˈ',
  "'": 'ˈ',
  ',': 'ˌ',
  ':': 'ː',
};

/** Ties, syllable dots, length halves and the like say nothing the model could use. */
const SILENT = /[.ˑ˞|‖‿^-]|\u200D|[\u0300-\u0328\u032A-\u036F]/gu;

/**
 * A person's IPA: slashes allowed, stress before the syllable or before its vowel. `map` is the
 * language's own of espeak's IPA.
 */
export function readIpa(ipa: string, map: (plain: string) => string): string {
  const plain = ipa
    .normalize('NFD')
    .replace(/c\u0327/gu, 'ç')
    .replace(/^\s*[/[]|[/\]]\s*$/gu, '')
    .replace(SILENT, '');
  const near = [...plain].map((symbol) => NEIGHBOURS[symbol] ?? symbol).join('');
  return stressBeforeVowel(map(near)).replace(/\s+/gu, ' ').trim();
}

function stressBeforeVowel(phonemes: string): string {
  let out = '';
  let stress = '';
  for (const symbol of phonemes) {
    if (symbol === 'ˈ' || symbol === 'ˌ') {
      stress = symbol;
    } else if (symbol === ' ') {
      out += symbol;
      stress = '';
    } else {
      out += stress !== '' && VOWEL.test(symbol) ? stress + symbol : symbol;
      if (VOWEL.test(symbol)) stress = '';
    }
  }
  return out;
}
