/**
 * Words: those of Hindi are copied; Latin ones are said by a list, by their letters, or in English.
 */
import type { Rule } from '../normalize/rule.js';
import type { Scan } from '../normalize/scan.js';

export const LETTER_NAMES: Readonly<Record<string, string>> = {
  A: 'ए',
  B: 'बी',
  C: 'सी',
  D: 'डी',
  E: 'ई',
  F: 'एफ़',
  G: 'जी',
  H: 'एच',
  I: 'आई',
  J: 'जे',
  K: 'के',
  L: 'एल',
  M: 'एम',
  N: 'एन',
  O: 'ओ',
  P: 'पी',
  Q: 'क्यू',
  R: 'आर',
  S: 'एस',
  T: 'टी',
  U: 'यू',
  V: 'वी',
  W: 'डब्ल्यू',
  X: 'एक्स',
  Y: 'वाई',
  Z: 'ज़ेड',
};

/** Words that Hindi texts write in Latin letters, as Hindi writes them itself. */
const LATIN: Readonly<Record<string, string>> = {
  nasa: 'नासा',
  unesco: 'यूनेस्को',
  unicef: 'यूनिसेफ़',
  isro: 'इसरो',
  nato: 'नाटो',
  covid: 'कोविड',
  aids: 'एड्स',
  aadhaar: 'आधार',
  whatsapp: 'व्हाट्सऐप',
  facebook: 'फ़ेसबुक',
  google: 'गूगल',
  gmail: 'जीमेल',
  youtube: 'यूट्यूब',
  twitter: 'ट्विटर',
  instagram: 'इंस्टाग्राम',
  amazon: 'अमेज़न',
  apple: 'एप्पल',
  microsoft: 'माइक्रोसॉफ़्ट',
  iphone: 'आईफ़ोन',
  android: 'एंड्रॉइड',
  online: 'ऑनलाइन',
  offline: 'ऑफ़लाइन',
  email: 'ईमेल',
  mobile: 'मोबाइल',
  phone: 'फ़ोन',
  computer: 'कंप्यूटर',
  laptop: 'लैपटॉप',
  internet: 'इंटरनेट',
  website: 'वेबसाइट',
  app: 'ऐप',
  video: 'वीडियो',
  software: 'सॉफ़्टवेयर',
  india: 'इंडिया',
  delhi: 'दिल्ली',
  mumbai: 'मुंबई',
  com: 'कॉम',
  org: 'ऑर्ग',
  net: 'नेट',
  gov: 'गव',
  in: 'इन',
  ok: 'ओके',
  wifi: 'वाईफ़ाई',
};

export const latinWord = (word: string): string | undefined => {
  const small = word.toLowerCase();
  return Object.hasOwn(LATIN, small) ? LATIN[small] : undefined;
};

/** Letters by their names. */
export const spell = (letters: string): string =>
  [...letters.toUpperCase()].map((letter) => LETTER_NAMES[letter] ?? letter).join(' ');

const CAPITALS = /^[A-Z]+$/;

function word(scan: Scan, at: number): number {
  const { out } = scan;
  const written = scan.wordAt(at);
  const end = at + written.length;
  const first = written.charCodeAt(0);
  if (first > 0x7f) out.copy(written, at);
  else {
    const known = latinWord(written);
    if (known !== undefined) out.say(known, at, end);
    else if (written.length === 1 || (CAPITALS.test(written) && written.length < 8)) out.say(spell(written), at, end);
    else out.copy(written, at);
  }
  scan.remember(written.slice(0, 40));
  return end;
}

export const wordRule: Rule = {
  name: 'word',
  begins: { words: 'any word', inside: true },
  apply: word,
};
