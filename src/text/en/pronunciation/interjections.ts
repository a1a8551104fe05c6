/**
 * Sounds that people make between words, as near as phonemes come to them. However often a letter
 * is written, the sound is the same: "Shhhh" is "Shh".
 */

type Sound = readonly [written: RegExp, phonemes: string];

const SOUNDS: readonly Sound[] = [
  [/^h+m+$/, 'həm'],
  [/^m{2,}$/, 'mːm'],
  [/^m+h+m+$/, 'mhˈʌm'],
  [/^m+-?h+m+$/, 'mhˈʌm'],
  [/^u+h+-h+u+h+$/, 'ʌhˈʌ'],
  [/^u+h+-u+h+$/, 'ˈʌʔʌ'],
  [/^u+h+$/, 'ˈʌ'],
  [/^u+m+$/, 'ˈʌm'],
  [/^e+r+m+$/, 'ˈɜɹm'],
  [/^s+h+$/, 'ʃː'],
  [/^p+s+t+$/, 'psːt'],
  [/^u+g+h+$/, 'ˈʌɡ'],
  [/^b+r+$/, 'bɹːɹ'],
  [/^g+r+$/, 'ɡɹːɹ'],
  [/^p+f+t*$/, 'pfːt'],
  [/^t+s+k+$/, 'tˈɪsk'],
  [/^t+u+t+$/, 'tˈʌt'],
  [/^a+h+$/, 'ˈɑ'],
  [/^a+h+a+$/, 'ɑhˈɑ'],
  [/^a+r+g+h*$/, 'ˈɑɹɡ'],
  [/^a+w+$/, 'ˈɔ'],
  [/^e+w+$/, 'ˈiw'],
  [/^o+h+$/, 'ˈO'],
  [/^o{2,}h*$/, 'ˈu'],
  [/^e+h+$/, 'ˈɛ'],
  [/^h+u+h+$/, 'hˈʌ'],
  [/^h+e+h+$/, 'hˈɛ'],
  [/^m+e+h+$/, 'mˈɛ'],
  [/^b+l+e+h+$/, 'blˈɛ'],
  [/^p+h+e+w+$/, 'fjˈu'],
  [/^w+h+e+w+$/, 'hwjˈu'],
  [/^z{2,}$/, 'zːz'],
  [/^y+u+c*k+$/, 'jˈʌk'],
  [/^a+h+e+m+$/, 'əhˈɛm'],
  [/^w+h*o+a+h*$/, 'wˈO'],
  [/^o+o+f+$/, 'ˈuf'],
];
/** The letters and the length of any of them. */
const POSSIBLE = /^[abceghkmoprstuwyzflu-]{2,24}$/;
const MOST_FOUND = 5_000;
/** What was looked for, for most words are asked about again; '' is none. */
const found = new Map<string, string>();

/** The phonemes of a word that is such a sound, without its mark of possession. */
export function interjection(word: string): string | undefined {
  const small = word.toLowerCase();
  if (!POSSIBLE.test(small)) return undefined;
  let sound = found.get(small);
  if (sound === undefined) {
    if (found.size === MOST_FOUND) found.clear();
    sound = SOUNDS.find(([written]) => written.test(small))?.[1] ?? '';
    found.set(small, sound);
  }
  return sound === '' ? undefined : sound;
}

export const isInterjection = (word: string): boolean => interjection(word) !== undefined;
