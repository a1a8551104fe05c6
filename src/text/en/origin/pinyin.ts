/** Chinese names in pinyin, syllable by syllable, as Americans who know it say them. */

const INITIALS: Readonly<Record<string, string>> = {
  b: 'b',
  p: 'p',
  m: 'm',
  f: 'f',
  d: 'd',
  t: 't',
  n: 'n',
  l: 'l',
  g: 'ɡ',
  k: 'k',
  h: 'h',
  j: 'ʤ',
  q: 'ʧ',
  x: 'ʃ',
  zh: 'ʤ',
  ch: 'ʧ',
  sh: 'ʃ',
  r: 'ɹ',
  z: 'z',
  c: 'ts',
  s: 's',
  y: 'j',
  w: 'w',
  '': '',
};
const FINALS: Readonly<Record<string, string>> = {
  a: 'ɑ',
  o: 'O',
  e: 'ʌ',
  i: 'i',
  u: 'u',
  ü: 'u',
  ai: 'I',
  ei: 'A',
  ui: 'wA',
  ao: 'W',
  ou: 'O',
  iu: 'jO',
  ie: 'jɛ',
  ue: 'wA',
  üe: 'wA',
  er: 'ɜɹ',
  an: 'ɑn',
  en: 'ʌn',
  in: 'ɪn',
  un: 'ʊn',
  ang: 'ɑŋ',
  eng: 'ʌŋ',
  ing: 'ɪŋ',
  ong: 'ʊŋ',
  ia: 'iɑ',
  iao: 'iW',
  ian: 'iɛn',
  iang: 'iɑŋ',
  iong: 'iʊŋ',
  ua: 'wɑ',
  uo: 'wO',
  uai: 'wI',
  uan: 'wɑn',
  uang: 'wɑŋ',
};
const SYLLABLE =
  /(zh|ch|sh|[bpmfdtnlgkhjqxrzcsyw]?)(iang|iong|uang|iao|ian|uai|uan|ang|eng|ing|ong|ai|ei|ui|ao|ou|iu|ie|ue|üe|er|an|en|in|un|ia|ua|uo|a|o|e|i|u|ü)(?![aeiouü]|ng?$|n[^aeiouügy]|ng[^aeiouü]|r$)/y;
/** "Xuan" rather than "xu-an": a syllable that begins with a vowel is rare and marked. */
const AFTER_VOWEL = /^[aeo]/;
/** What no other language writes so. */
const TELLS =
  /^[xq](?!u[aeiou]?[^aeiouns])|zh|[aeiou]?ng[xqzj]|[jqx]i(?:a|an|ang|ao|e|ong|u|n|ng)?|(?:^|[aeioung])x[iu]|[gks]huang?|uo$|iang|uang$/;

/** The sounds of a word in small letters, or undefined where it is not pinyin beyond doubt. */
export function pinyin(word: string): string | undefined {
  if (word.length > 20 || !TELLS.test(word)) return undefined;
  const syllables: string[] = [];
  let at = 0;
  while (at < word.length) {
    SYLLABLE.lastIndex = at;
    const match = SYLLABLE.exec(word);
    if (!match || (at > 0 && AFTER_VOWEL.test(match[0]))) return undefined;
    syllables.push(said(match[1]!, match[2]!));
    at = SYLLABLE.lastIndex;
  }
  if (syllables.length > 4) return undefined;
  const last = syllables.pop()!;
  return syllables.join('') + last.replace(/(?=[AIOWYɑɛɜɪʊʌ]|i$|i(?![ɑɛWʊ])|u)/u, 'ˈ');
}

function said(initial: string, final: string): string {
  // "Yi" and "wu" are vowels alone; the i of "zhi" and "ci" is none that English has.
  if (initial === 'y' && /^i/.test(final)) return FINALS[final]!;
  if (initial === 'y' && final === 'an') return 'jɛn';
  if (initial === 'w' && final === 'u') return 'u';
  if (final === 'i' && /^[zcs]$/.test(initial)) return `${INITIALS[initial]}ʌ`;
  if (/^[jqxy]$/.test(initial) && final === 'un') return `${INITIALS[initial]}ʊn`;
  if (/^[jqxy]$/.test(initial) && final === 'uan') return `${INITIALS[initial]}wɛn`;
  if (/^[jqx]$/.test(initial) && final === 'iao') return `${INITIALS[initial]}W`;
  return INITIALS[initial]! + FINALS[final]!;
}
